// Histograms over steps: the newest in front, older ones behind it.

import { empty, ghost, h, keyed, s, say, tip } from "./dom.js";
import { ask } from "./net.js";
import { ticks } from "./chart.js";
import { colour, damageOf, nothingIn, runName } from "./scalars.js";
import * as words from "./words.js";

const choice = { filter: "" };

export function mount(root, context) {
  if (!context.about.folder) {
    root.append(empty("histograms", "No folder is watched", "Histograms come from the event files of a folder.", "tensorfleet dashboard LOGDIR HOST:PORT"));
    return;
  }
  const body = h("div", { class: "column" }, ghost(300));
  const notes = h("div");
  const cards = h("div", { class: "cards" });
  const seen = new Map();
  let state = null;
  const controls = h("div", { class: "row" }, h("input", { class: "field", type: "search", placeholder: "Filter tags", "aria-label": "Filter tags", value: choice.filter, oninput: (event) => ((choice.filter = event.target.value), arrange()) }));
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) (seen.set(target, true), load(target));
      else seen.delete(target);
    }
  }, { rootMargin: "300px" });
  root.append(body);

  function arrange() {
    const wanted = choice.filter.toLowerCase();
    const all = state.runs.flatMap((run, index) => run.histograms.map((tag) => ({ run: run.run, tag, index })));
    keyed(cards, all.filter(({ tag }) => tag.toLowerCase().includes(wanted)), (one) => `${one.run}\n${one.tag}`, card);
  }

  function card(one) {
    const svg = s("svg", { role: "img", "aria-label": `Histograms of ${one.tag}`, tabindex: "0" });
    const last = h("span", { class: "last" });
    const element = h("article", { class: "panel card" }, h("h3", {}, h("span", {}, one.tag), state.runs.length > 1 && h("span", { class: "faint" }, runName(one.run, state.folder)), last), h("div", { class: "chart" }, svg));
    Object.assign(element, { one, svg, last });
    watcher.observe(element);
    return element;
  }

  async function load(element, signal) {
    const { run, tag, index } = element.one;
    try {
      draw(element, await ask("histograms", { run, tag }, signal), colour(index));
    } catch (error) {
      if (error.name !== "AbortError") say(element.last, error.message);
    }
  }

  context.failed = (error) => notes.replaceChildren(h("p", { class: "note bad", role: "alert" }, error.message));
  context.again(async (signal) => {
    state = await ask("runs", {}, signal);
    const nothing = nothingIn(state, "histograms", "histograms", (run) => run.histograms.length);
    notes.replaceChildren(...damageOf(state));
    if (nothing) return body.replaceChildren(notes, nothing);
    if (!controls.isConnected) body.replaceChildren(controls, notes, cards);
    arrange();
    for (const element of seen.keys()) await load(element, signal);
  }, 5000);
}

/** A ridge for each step, from the back to the front. */
function draw(element, data, stroke) {
  const { svg } = element;
  const [width, height] = [svg.clientWidth, svg.clientHeight];
  const count = data.steps.length;
  if (!width || !count) return;
  say(element.last, `step ${words.count(data.steps[count - 1].step)}`);
  const [left, right, top, bottom] = [10, width - 10, 16, height - 22];
  const depth = count > 1 ? (bottom - top) * 0.55 : 0;
  const tall = bottom - top - depth;
  const most = Math.max(1e-9, ...data.steps.flatMap((step) => step.counts));
  const [low, high] = data.most > data.least ? [data.least, data.most] : [data.least - 0.5, data.most + 0.5];
  const buckets = data.steps[0].counts.length;
  const x = (index) => left + ((index + 0.5) / buckets) * (right - left);
  const ridges = data.steps.map((step, index) => {
    const base = bottom - depth * (1 - (count > 1 ? index / (count - 1) : 1));
    const points = step.counts.map((value, bucket) => `${x(bucket).toFixed(1)} ${(base - (value / most) * tall).toFixed(1)}`);
    const path = s("path", { class: "ridge", d: `M${left} ${base}L${points.join("L")}L${right} ${base}Z`, style: { fill: stroke, stroke, "stroke-opacity": String(0.25 + (0.75 * (index + 1)) / count) } });
    path.addEventListener("pointermove", (event) => tip.show(event.clientX, event.clientY, h("div", { class: "muted" }, `Step ${words.count(step.step)}`), h("div", {}, `from ${words.value(step.least)} to ${words.value(step.most)}`), h("div", {}, `${words.count(Math.round(step.counts.reduce((a, b) => a + b, 0)))} values`)));
    path.addEventListener("pointerleave", () => tip.hide());
    return path;
  });
  const labels = ticks(low, high, 4).map((at) => s("text", { class: "tick", x: left + ((at - low) / (high - low)) * (right - left), y: height - 5, "text-anchor": "middle" }, words.value(at)));
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren(...ridges, ...labels);
}
