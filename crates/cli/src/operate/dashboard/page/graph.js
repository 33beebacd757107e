// The graph: scopes folded until they are opened, coloured by the device that their nodes are on.

import { empty, ghost, h, icon, keyed, s, say } from "./dom.js";
import { ask } from "./net.js";
import { layOut } from "./graph_layout.js";
import { Zoom } from "./zoom.js";
import { colour } from "./scalars.js";
import * as words from "./words.js";

/** Which scopes are open, of each graph. */
const opened = new Map();
const choice = { source: null, controls: false };

export function mount(root, context) {
  const asked = /^#\/graph\?(.+)$/.exec(location.hash)?.[1];
  if (asked) choice.source = decodeURIComponent(asked);
  const [boxes, lines, leaves] = [s("g"), s("g"), s("g")];
  const world = s("g", {}, boxes, lines, leaves);
  let elements = [];
  const svg = s("svg", { tabindex: "0", role: "application", "aria-label": "The graph. Arrows move it, plus and minus zoom, Tab goes from part to part and Enter opens one." }, world);
  const zoom = new Zoom(svg, (x, y, scale) => world.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`));
  const info = h("aside", { class: "info hidden", "aria-label": "Node" });
  const legend = h("div", { class: "legend" });
  const counts = h("span", { class: "faint num" });
  const source = h("select", { class: "field", "aria-label": "Graph", onchange: () => ((choice.source = source.value), load(true)) });
  const results = h("ul", { class: "hidden", "aria-label": "Found" });
  const field = h("input", { class: "field", type: "search", placeholder: "Find a node", "aria-label": "Find a node", oninput: () => search() });
  const button = (sign, label, action) => h("button", { class: "button icon", "aria-label": label, title: label, onclick: action }, icon(sign));
  const stage = h("div", { class: "graph panel" }, svg, info, h("div", { class: "corner" }, button("plus", "Closer", () => zoom.zoom(1.3)), button("minus", "Further", () => zoom.zoom(0.77)), button("fit", "Fit", () => fit())));
  const controls = h("label", { class: "check" }, h("input", { type: "checkbox", checked: choice.controls, onchange: (event) => ((choice.controls = event.target.checked), draw()) }), "Control edges");
  const bar = h("div", { class: "row" }, source, h("div", { class: "search" }, field, results), button("minus", "Fold all", () => (open().clear(), load(true))), controls, counts);
  const body = h("div", { class: "column" }, ghost(420));
  root.append(body);
  let [picture, size, known] = [null, { width: 1, height: 1 }, ""];
  const open = () => {
    if (!opened.has(choice.source)) opened.set(choice.source, new Set());
    return opened.get(choice.source);
  };
  const fit = () => zoom.fit(size.width, size.height);
  svg.addEventListener("keydown", (event) => zoom.onKey(event, fit));
  svg.addEventListener("click", (event) => event.target === svg && !zoom.moved && info.classList.add("hidden"));

  async function load(again, target) {
    body.setAttribute("aria-busy", "true");
    try {
      picture = await ask("graph", { source: choice.source, open: [...open()] });
    } catch (error) {
      return body.replaceChildren(bar, h("p", { class: "note bad", role: "alert" }, error.message));
    } finally {
      body.removeAttribute("aria-busy");
    }
    if (!stage.isConnected) body.replaceChildren(bar, stage, legend);
    const before = target && place(target);
    size = layOut(picture.items, picture.edges.filter((edge) => !edge[3] || choice.controls));
    draw();
    const after = target && place(target);
    // What was opened stays where it is.
    if (before && after) zoom.pan((before.x - after.x) * zoom.scale, (before.y - after.y) * zoom.scale);
    else if (again) zoom.fit(size.width, size.height, 0.5);
  }

  const place = (name) => {
    const item = picture.items.find((item) => item.name === name && item.x !== undefined);
    return item && { x: item.x + item.width / 2, y: item.y };
  };
  const tint = (device) => (picture.devices[device]?.device ? colour(device) : "var(--faint)");

  function draw() {
    const { items } = picture;
    const shown = picture.edges.filter((edge) => !edge[3] || choice.controls);
    say(counts, `${words.plural(picture.nodes, "node", "nodes")} in ${words.plural(picture.scopes, "scope", "scopes")}`);
    legend.replaceChildren(...picture.devices.slice(0, 16).map((one, index) => h("span", {}, h("i", { style: { background: tint(index) } }), `${words.device(one.device)} · ${words.count(one.count)}`)));
    elements = items.map((item, index) => element(item, index));
    // Lines lie over open scopes and under everything else.
    boxes.replaceChildren(...elements.filter((_, index) => items[index].open));
    leaves.replaceChildren(...elements.filter((_, index) => !items[index].open));
    lines.replaceChildren(...shown.map(([from, to, count, control]) => {
      const [a, b] = [items[from], items[to]];
      const [x1, y1, x2, y2] = [a.x + a.width / 2, a.y + a.height, b.x + b.width / 2, b.y];
      const bend = Math.max(18, Math.abs(y2 - y1) * 0.4);
      const path = s("path", { class: control ? "edge control" : "edge", d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`, "stroke-width": Math.min(5, 1 + Math.log2(count) * 0.6), "pointer-events": "none" });
      Object.assign(path, { from, to });
      return path;
    }));
  }

  function element(item, index) {
    const small = !item.open;
    const sub = item.kind === "scope" ? words.plural(item.count, "node", "nodes") : item.op || words.plural(item.count || 0, "node", "nodes");
    const parts = [s("rect", { x: item.x, y: item.y, width: item.width, height: item.height, rx: item.kind === "op" ? item.height / 2 : 9 })];
    const shares = item.kind === "op" ? [[item.device, 1]] : item.devices || [];
    const total = shares.reduce((sum, [, count]) => sum + count, 0) || 1;
    let x = item.x + 12;
    const track = Math.min(item.width - 24, 56);
    for (const [device, count] of shares.slice(0, 8)) {
      const part = (track * count) / total;
      parts.push(s("rect", { x, y: small ? item.y + item.height - 7 : item.y + 20, width: Math.max(2, part), height: 2.5, rx: 1.2, style: { fill: tint(device), stroke: "none" } }));
      x += part;
    }
    const text = (line) => (line.length * 6.9 > item.width - 20 ? `${line.slice(0, Math.floor((item.width - 28) / 6.9))}…` : line);
    parts.push(s("text", { x: item.x + 12, y: item.y + 16 }, text(item.label)));
    if (small) parts.push(s("text", { class: "sub", x: item.x + 12, y: item.y + 28 }, text(sub)));
    const group = s("g", { class: `item ${item.kind} ${item.open ? "open" : ""}`, tabindex: "0", role: "button", "aria-label": `${item.kind} ${item.name}, ${sub}`, "aria-expanded": item.kind === "scope" ? String(item.open) : null,
      onclick: () => !zoom.moved && choose(item, index), onkeydown: (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), choose(item, index)) }, s("title", {}, item.name), ...parts);
    group.addEventListener("mouseenter", () => light(index));
    group.addEventListener("focus", () => light(index));
    return group;
  }

  function light(index) {
    for (const path of lines.children) path.classList.toggle("lit", path.from === index || path.to === index);
  }

  async function choose(item, index) {
    if (item.kind === "scope") {
      item.open ? open().delete(item.name) : open().add(item.name);
      await load(false, item.name);
      elements[picture.items.findIndex((other) => other.name === item.name)]?.focus({ preventScroll: true });
    } else if (item.kind === "op") {
      light(index);
      tell(item.name);
    }
  }

  async function tell(name) {
    const node = await ask("node", { source: choice.source, name }).catch((error) => ({ name, error: error.message }));
    const list = (title, names) => names?.length ? [h("dt", {}, title), h("dd", {}, names.slice(0, 12).map((other) => h("div", {}, h("button", { class: "linkish mono", onclick: () => reveal(other) }, other))), names.length > 12 && h("span", { class: "faint" }, `and ${names.length - 12} more`))] : [];
    info.replaceChildren(h("h3", { class: "mono" }, node.name), h("button", { class: "button icon close", "aria-label": "Close", onclick: () => info.classList.add("hidden") }, icon("close")),
      node.error ? h("p", { class: "bad" }, node.error) : h("dl", {}, h("dt", {}, "Op"), h("dd", {}, node.op), h("dt", {}, "Device"), h("dd", {}, node.device || "none asked for"), node.rule ? [h("dt", {}, "Because"), h("dd", {}, node.rule)] : [], list("Takes from", node.inputs), list("After", node.controls), list("Used by", node.users)));
    info.classList.remove("hidden");
  }

  /** Opens the scopes around a node, goes to it, and tells about it. */
  async function reveal(name) {
    results.classList.add("hidden");
    const { found } = await ask("search", { source: choice.source, text: name });
    const exact = found.find((one) => one.name === name);
    for (const scope of exact?.around || []) open().add(scope);
    await load(false);
    const index = picture.items.findIndex((item) => item.name === name);
    if (index < 0) return tell(name);
    const item = picture.items[index];
    const scale = Math.max(zoom.scale, 0.7);
    zoom.set(svg.clientWidth / 2 - (item.x + item.width / 2) * scale, svg.clientHeight / 2.5 - item.y * scale, scale);
    elements[index].classList.add("found");
    light(index);
    if (item.kind === "op") tell(name);
  }

  async function search() {
    const text = field.value.trim();
    if (!text) return results.classList.add("hidden");
    const { found } = await ask("search", { source: choice.source, text }).catch(() => ({ found: [] }));
    if (field.value.trim() !== text) return;
    results.replaceChildren(...(found.length ? found.map((one) => h("li", {}, h("button", { class: "mono", onclick: () => reveal(one.name) }, one.name))) : [h("li", { class: "muted", style: { padding: "8px" } }, "Nothing has this in its name.")]));
    results.classList.remove("hidden");
  }

  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") results.classList.add("hidden");
    if (event.key === "ArrowDown") (event.preventDefault(), results.querySelector("button")?.focus());
    if (event.key === "Enter") results.querySelector("button")?.click();
  });
  context.again(async (signal) => {
    const { sources } = await ask("graphs", {}, signal);
    if (!sources.length) {
      known = "";
      return body.replaceChildren(empty("graph", "No graph to show", "A graph appears with a session on the cluster, or with event files that hold one, as supervisors write them."));
    }
    keyed(source, sources, (one) => one.source, (one) => h("option", { value: one.source }), (option, one) => say(option, one.nodes ? `${one.label}, ${words.count(one.nodes)} nodes` : one.label));
    const found = sources.find((one) => one.source === choice.source);
    if (!found) {
      // The largest says most: others may be those of savers and probes.
      choice.source = sources.reduce((a, b) => ((b.nodes || 0) > (a.nodes || 0) ? b : a)).source;
    }
    source.value = choice.source;
    const now = `${choice.source} ${found?.nodes}`;
    if (now === known) return;
    known = now;
    await load(true);
  }, 4000);
}
