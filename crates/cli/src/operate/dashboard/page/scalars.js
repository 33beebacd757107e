// Curves of scalars from event files: runs to choose, smoothing, scales, and cards that load when they are seen.

import { empty, ghost, h, keyed, say } from "./dom.js";
import { ask } from "./net.js";
import { Chart } from "./chart.js";
import * as words from "./words.js";

const AT_ONCE = 40;
const choice = { weight: 0.6, log: false, x: "step", filter: "", off: new Set() };

export const runName = (run, folder) => (run === "." ? folder.split("/").filter(Boolean).pop() || "." : run);
export const colour = (index) => `var(--s${index % 8})`;

/** What stands where a folder has nothing of a kind; `null` if it has. */
export function nothingIn(state, sign, what, has) {
  if (!state.exists) return empty(sign, "The folder is not there yet", `${state.folder} does not exist. It is looked for again every few seconds, and training makes it.`);
  if (!state.runs.length) return empty(sign, "No event files yet", `Nothing below ${state.folder} is an event file. Supervisors, monitored sessions and FileWriter write them.`, "tensorfleet train --logdir " + state.folder);
  if (!state.runs.some(has)) return empty(sign, `No ${what} yet`, `The event files have other things, but no ${what}. They appear here as soon as one is written.`);
  return null;
}

export function damageOf(state) {
  return state.runs.flatMap((run) => run.damaged.map(({ file, why }) => h("p", { class: "note" }, `${file} is damaged and read only in part: ${why}`)));
}

export function mount(root, context) {
  if (!context.about.folder) {
    root.append(empty("scalars", "No folder is watched", "Curves come from the event files of a folder. Name it when you start the page, or give a server --logdir.", "tensorfleet dashboard LOGDIR HOST:PORT"));
    return;
  }
  const body = h("div", { class: "column" }, ghost(300));
  const notes = h("div");
  const runs = h("div", { class: "runs", role: "group", "aria-label": "Runs" });
  const cards = h("div");
  const seen = new Set();
  const charts = new Map();
  let state = null;
  const refresh = () => draw();
  const weightText = h("span", { class: "num faint", style: { width: "32px" } }, choice.weight.toFixed(2));
  const controls = h("div", { class: "row" },
    h("input", { class: "field", type: "search", placeholder: "Filter tags", "aria-label": "Filter tags", value: choice.filter, oninput: (event) => ((choice.filter = event.target.value), arrange()) }),
    h("label", { class: "check" }, "Smoothing", h("input", { type: "range", min: "0", max: "0.99", step: "0.01", value: String(choice.weight), "aria-label": "Smoothing", oninput: (event) => ((choice.weight = Number(event.target.value)), say(weightText, choice.weight.toFixed(2)), refresh()) }), weightText),
    h("label", { class: "check" }, h("input", { type: "checkbox", checked: choice.log, onchange: (event) => ((choice.log = event.target.checked), refresh()) }), "Log scale"),
    segments("Horizontal axis", [["step", "Step"], ["relative", "Relative"], ["wall", "Time"]], () => choice.x, (x) => ((choice.x = x), refresh())), h("span", { class: "grow" }), runs);
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) (entry.isIntersecting ? seen.add(entry.target.tag) : seen.delete(entry.target.tag));
    load();
  }, { rootMargin: "300px" });
  root.append(body);
  context.keys({ l: () => controls.querySelector("input[type=checkbox]").click() });

  function arrange() {
    const names = state.runs.map((run) => run.run);
    keyed(runs, names.length > 1 ? names : [], (name) => name, (name) => h("button", { class: "run", onclick: (event) => {
      choice.off.has(name) ? choice.off.delete(name) : choice.off.add(name);
      event.currentTarget.setAttribute("aria-pressed", String(!choice.off.has(name)));
      draw();
    } }, h("i", { style: { background: colour(names.indexOf(name)) } }), runName(name, state.folder)), (button, name) => button.setAttribute("aria-pressed", String(!choice.off.has(name))));
    const wanted = choice.filter.toLowerCase();
    const tags = [...new Set(state.runs.flatMap((run) => run.scalars))].filter((tag) => tag.toLowerCase().includes(wanted)).sort();
    const groups = new Map();
    for (const tag of tags) {
      const group = tag.includes("/") ? tag.slice(0, tag.indexOf("/")) : "";
      groups.set(group, [...(groups.get(group) || []), tag]);
    }
    keyed(cards, [...groups], ([group]) => `group ${group}`, ([group]) => h("section", { "aria-label": group || "Scalars" }, group && h("h2", { class: "group" }, group), h("div", { class: "cards" })), (section, [, list]) =>
      keyed(section.lastChild, list, (tag) => tag, card));
  }

  function card(tag) {
    const chart = new Chart(`Curves of ${tag}`);
    const last = h("span", { class: "last" });
    const element = h("article", { class: "panel card" }, h("h3", {}, h("span", {}, tag), last), chart.element);
    element.tag = tag;
    charts.set(tag, { chart, last, runs: null });
    watcher.observe(element);
    return element;
  }

  async function load(signal) {
    const tags = [...seen].slice(0, AT_ONCE);
    if (!tags.length) return;
    const answer = await ask("scalars", { tag: tags }, signal).catch((error) => {
      if (signal) throw error;
    });
    for (const { tag, runs } of answer?.tags || []) {
      const one = charts.get(tag);
      if (one) one.runs = runs;
    }
    draw();
  }

  function draw() {
    const names = state.runs.map((run) => run.run);
    for (const [tag, one] of charts) {
      if (!one.runs || !seen.has(tag)) continue;
      const begin = Math.min(...one.runs.flatMap((run) => run.walls.slice(0, 1)));
      const xs = { step: (run) => run.steps, wall: (run) => run.walls, relative: (run) => run.walls.map((wall) => wall - (run.walls[0] ?? begin)) }[choice.x];
      const shown = one.runs.filter((run) => !choice.off.has(run.run));
      one.chart.set(shown.map((run) => ({ name: runName(run.run, state.folder), colour: colour(names.indexOf(run.run)), xs: xs(run), values: run.values })), choice);
      const values = shown.length === 1 ? shown[0].values : [];
      say(one.last, values.length ? words.value(values[values.length - 1]) : "");
    }
  }

  context.failed = (error) => notes.replaceChildren(h("p", { class: "note bad", role: "alert" }, error.message));
  context.again(async (signal) => {
    state = await ask("runs", {}, signal);
    const nothing = nothingIn(state, "scalars", "scalars", (run) => run.scalars.length);
    notes.replaceChildren(...damageOf(state));
    if (nothing) return body.replaceChildren(notes, nothing);
    if (!controls.isConnected) body.replaceChildren(controls, notes, cards);
    arrange();
    await load(signal);
  }, 3000);
}

export function segments(label, choices, get, set) {
  const buttons = choices.map(([value, text]) => h("button", { "aria-pressed": String(get() === value), onclick: () => {
    set(value);
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(choices[index][0] === value)));
  } }, text));
  return h("div", { class: "segments", role: "group", "aria-label": label }, buttons);
}
