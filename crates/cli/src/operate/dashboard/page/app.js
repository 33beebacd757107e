// The frame of the page: which view is shown, the keyboard, light and dark, who may steer.

import { h, icon, say, ghost, empty } from "./dom.js";
import { ask, again, setKey, takeKey } from "./net.js";
import * as cluster from "./cluster.js";
import * as scalars from "./scalars.js";
import * as histograms from "./histograms.js";
import * as graph from "./graph.js";
import * as gradients from "./gradients.js";
import * as waits from "./waits.js";
import * as checkpoints from "./checkpoints.js";
import * as timeline from "./timeline.js";

const VIEWS = [
  ["cluster", "Cluster", cluster],
  ["scalars", "Scalars", scalars],
  ["histograms", "Histograms", histograms],
  ["graph", "Graph", graph],
  ["gradients", "Gradients", gradients],
  ["waits", "Waits", waits],
  ["checkpoints", "Checkpoints", checkpoints],
  ["timeline", "Timeline", timeline],
];
const at = (id) => document.getElementById(id);
const state = { about: {}, view: null, polls: [], keys: {}, opened: null };

/** What a view gets: the poll that ends with it, keys of its own, and a place over the page. */
const context = {
  get about() {
    return state.about;
  },
  again(look, millis) {
    const poll = again(async (signal) => {
      try {
        await look(signal);
        live(true);
      } catch (error) {
        if (error.name === "AbortError") throw error;
        if (error.status === 401) await renew();
        live(error.status !== 0, error.message);
        context.failed?.(error);
      }
    }, millis);
    state.polls.push(poll);
    return poll;
  },
  keys(keys) {
    Object.assign(state.keys, keys);
  },
  over: (element) => openOver(element),
  close: () => closeOver(),
  failed: null,
};

function live(well, message) {
  const pulse = at("pulse");
  pulse.className = `pulse ${well ? "live" : "lost"}`;
  say(pulse, well ? "Live" : "Not connected");
  pulse.title = well ? "" : message || "";
}

function show() {
  const wanted = /^#\/(\w+)/.exec(location.hash)?.[1];
  const usual = state.about.cluster || !state.about.folder ? "cluster" : "scalars";
  const [name, title, view] = VIEWS.find(([name]) => name === wanted) || VIEWS.find(([name]) => name === usual);
  for (const poll of state.polls) poll.end();
  state.polls = [];
  state.keys = {};
  state.view = name;
  context.failed = null;
  closeOver();
  for (const link of at("views").querySelectorAll("a")) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${title} · tensorfleet`;
  say(at("title"), title);
  const main = at("main");
  main.replaceChildren();
  if (state.about.needs_key && !state.about.may_steer) {
    main.append(empty("key", "This page takes a key", "The cluster asks who comes in. Open the address that was printed when the page was started, or sign in with the key in it or the cluster's token."));
    return signIn();
  }
  if (!view.mount) main.append(ghost(240));
  else view.mount(main, context);
}

async function renew() {
  state.about = await ask("about").catch(() => state.about);
  at("about").replaceChildren(
    h("div", {}, state.about.cluster ? "Watching a cluster" : "No cluster"),
    h("div", { title: state.about.folder || "" }, state.about.folder ? `Folder ${state.about.folder.split("/").pop()}` : "No folder"),
    h("div", {}, `Version ${state.about.version || "?"}${state.about.may_steer ? " · operator" : " · read-only"}`),
  );
}

/* What lies over the page: one thing at a time, closed by Escape, and the focus goes back where it was. */
function openOver(element) {
  closeOver();
  state.opened = document.activeElement;
  at("over").replaceChildren(element);
  (element.querySelector("[autofocus]") || element.querySelector("button, input") || element).focus?.();
}

function closeOver() {
  if (!at("over").firstChild) return;
  at("over").replaceChildren();
  context.closed?.();
  context.closed = null;
  if (state.opened?.isConnected) state.opened.focus();
}

function sheet(label, ...children) {
  const veil = h("div", { class: "veil", onclick: (event) => event.target === veil && closeOver() },
    h("div", { class: "sheet", role: "dialog", "aria-modal": "true", "aria-label": label }, ...children));
  veil.addEventListener("keydown", (event) => {
    if (event.key !== "Tab") return;
    const parts = [...veil.querySelectorAll("button, input, [tabindex]")];
    const [first, last] = [parts[0], parts[parts.length - 1]];
    if (event.shiftKey && document.activeElement === first) (event.preventDefault(), last.focus());
    else if (!event.shiftKey && document.activeElement === last) (event.preventDefault(), first.focus());
  });
  return veil;
}

function help() {
  const keys = VIEWS.map(([, title], index) => [String(index + 1), title]);
  const more = [["?", "This help"], ["t", "Light or dark"], ["/", "To the search of a view"], ["Esc", "Close what is open"], ["Tab", "To the next thing; Enter opens it"], ["← → ↑ ↓", "Along a curve, a picture or a timeline that has the focus"], ["+ − 0", "Zoom a picture, and fit it"]];
  openOver(sheet("Keyboard", h("div", { class: "row" }, h("h2", { class: "grow" }, "Keyboard"), closer()),
    h("dl", {}, [...keys, ...more].flatMap(([key, what]) => [h("dt", {}, key.split(" ").map((one) => [h("kbd", {}, one), " "])), h("dd", {}, what)]))));
}

const closer = () => h("button", { class: "button icon", "aria-label": "Close", onclick: closeOver }, icon("close"));

function signIn() {
  const field = h("input", { class: "field", type: "password", autocomplete: "off", "aria-label": "Key", placeholder: "Key or token", autofocus: true, style: { width: "100%" } });
  const trouble = h("p", { class: "bad", role: "alert" });
  const submit = async () => {
    setKey(field.value.trim());
    await renew();
    if (state.about.may_steer) return closeOver(), tools(), show();
    setKey("");
    say(trouble, "That key does not fit.");
  };
  field.addEventListener("keydown", (event) => event.key === "Enter" && submit());
  openOver(sheet("Sign in", h("div", { class: "row" }, h("h2", { class: "grow" }, "Sign in as an operator"), closer()),
    h("p", { class: "muted" }, "The key stands in the address that was printed when this page was started. Where the cluster has a token, that fits too."),
    h("div", { class: "row", style: { margin: "14px 0 6px" } }, h("div", { class: "grow" }, field), h("button", { class: "button main", onclick: submit }, "Sign in")), trouble));
}

function signOut() {
  setKey("");
  renew().then(() => (tools(), show()));
}

/* Light and dark: as the system is, unless somebody chose. */
const system = matchMedia("(prefers-color-scheme: dark)");
function paint() {
  const chosen = localStorage.getItem("tensorfleet-theme");
  document.documentElement.dataset.theme = chosen || (system.matches ? "dark" : "light");
  dispatchEvent(new Event("repaint"));
}

function turn() {
  localStorage.setItem("tensorfleet-theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  paint();
  tools();
}

function tools() {
  const dark = document.documentElement.dataset.theme === "dark";
  const tool = (sign, label, action) => h("button", { class: "button icon", "aria-label": label, title: label, onclick: action }, icon(sign));
  at("tools").replaceChildren(
    state.about.may_steer
      ? tool("key", "Signed in as an operator; sign out", signOut)
      : h("button", { class: "button", onclick: signIn }, icon("key", 16), h("span", { class: "wide-only" }, "Sign in")),
    tool(dark ? "sun" : "moon", dark ? "Light" : "Dark", turn),
    tool("help", "Keyboard", help),
  );
}

function onKey(event) {
  if (event.key === "Escape") return closeOver();
  const typing = event.target.closest?.("input, select, textarea") && event.target.type !== "checkbox" && event.target.type !== "range";
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const number = Number(event.key);
  if (number >= 1 && number <= VIEWS.length) location.hash = `#/${VIEWS[number - 1][0]}`;
  else if (event.key === "?") help();
  else if (event.key === "t") turn();
  else if (event.key === "/") {
    event.preventDefault();
    at("main").querySelector("input[type=search]")?.focus();
  } else state.keys[event.key]?.(event);
}

/** How many steps wait, beside the name of their view. */
export function badge(view, number) {
  const count = at("views").querySelector(`a[data-view="${view}"] .count`);
  count.classList.toggle("hidden", !number);
  say(count, number > 99 ? "99+" : number);
}

takeKey();
paint();
system.addEventListener("change", () => (paint(), tools()));
at("views").append(...VIEWS.map(([name, title]) => h("li", {}, h("a", { href: `#/${name}`, "data-view": name }, icon(name), h("span", {}, title), h("span", { class: "count hidden" })))));
addEventListener("hashchange", () => (takeKey(), show()));
addEventListener("keydown", onKey);
renew().then(() => (tools(), show()));
