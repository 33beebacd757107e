// What became of each worker's gradients: added, or too late, and by how many steps.

import { empty, ghost, h, keyed, panel, say, table } from "./dom.js";
import { ask } from "./net.js";
import * as words from "./words.js";

export function mount(root, context) {
  if (!context.about.cluster) {
    root.append(empty("gradients", "No cluster is watched", "Gradients are counted by the parameter servers of a cluster.", "tensorfleet dashboard HOST:PORT"));
    return;
  }
  const bars = h("div", { class: "bars inside" });
  const list = table("Accumulators", [["Accumulator"], ["Task"], ["Now", "num"], ["Added", "num"], ["Dropped", "num"]]);
  const legend = h("div", { class: "legend", style: { "margin-left": "auto" } }, h("span", {}, h("i", { style: { background: "var(--s2)" } }), "added"), h("span", {}, h("i", { style: { background: "var(--bad)" } }), "too late"));
  const workers = panel("By worker", bars);
  workers.querySelector("header").append(legend);
  const body = h("div", { class: "column" }, ghost(200));
  const split = h("div", { class: "split" }, workers, panel("Accumulators", list.element));
  root.append(body);
  let before = null;

  context.failed = (error) => body.replaceChildren(h("p", { class: "note bad", role: "alert" }, error.message));
  context.again(async (signal) => {
    const now = await ask("gradients", {}, signal);
    if (!now.accumulators.length) {
      return body.replaceChildren(empty("gradients", "No accumulators", "In synchronous training parameter servers add up the gradients of a step in accumulators and drop what comes too late. Asynchronous training has none: every gradient is applied as it comes.", "tensorfleet train --sync --open"));
    }
    if (!split.isConnected) body.replaceChildren(split);
    const time = performance.now();
    const seconds = before ? (time - before.time) / 1000 : 0;
    const earlier = new Map((before?.workers || []).map((one) => [one.worker, one]));
    keyed(bars, now.workers, (one) => one.worker, row, (element, one) => update(element, one, earlier.get(one.worker), seconds));
    if (!now.workers.length && !bars.firstChild) bars.append(h("p", { class: "muted" }, "Nobody has said whose gradients are whose: TensorFlow's own clients do not."));
    keyed(list.body, now.accumulators, (one) => `${one.task} ${one.name}`, (one) => h("tr", {}, h("td", { class: "long mono", title: one.name }, one.name), h("td", {}, words.task(one.task)), h("td", { class: "num" }), h("td", { class: "num" }), h("td", { class: "num" })), (line, one) => {
      say(line.cells[2], one.required ? `${one.accumulated} of ${one.required}` : one.accumulated);
      say(line.cells[3], words.count(one.accepted));
      say(line.cells[4], words.count(one.dropped));
      line.cells[4].classList.toggle("bad", one.dropped > 0);
    });
    before = { time, workers: now.workers };
  }, 2000);
}

function row(one) {
  return h("div", { class: "worker" }, h("b", {}, words.task(one.worker)), h("span", { class: "num muted" }), h("div", { class: "stack", role: "img" }, h("i", { class: "kept" }), h("i", { class: "late" })));
}

function update(element, one, earlier, seconds) {
  const [, text, stack] = element.children;
  const all = one.accepted + one.dropped || 1;
  stack.children[0].style.width = `${(100 * one.accepted) / all}%`;
  stack.children[1].style.width = `${(100 * one.dropped) / all}%`;
  const speed = earlier && seconds > 0 ? `${words.rate((one.accepted + one.dropped - earlier.accepted - earlier.dropped) / seconds)}/s · ` : "";
  const late = one.dropped ? `${words.count(one.dropped)} late by ${one.mean_steps_late.toFixed(1)} steps` : "none late";
  const line = `${speed}${words.count(one.accepted)} added, ${late}`;
  say(text, line);
  stack.setAttribute("aria-label", line);
}
