// The next steps on all tasks, recorded: every node on its thread, and every tensor that went from one device to another.

import { empty, ghost, h, panel, say, table, tip } from "./dom.js";
import { ask } from "./net.js";
import { ticks } from "./chart.js";
import { Zoom } from "./zoom.js";
import * as words from "./words.js";

const [LANE, HEAD, LEFT] = [20, 24, 92];
/** Ops that wait for others most of their time. */
const WAITS = /Recv|Dequeue|TakeGradient|Collective|Unstage/;
/** The last recording, kept from view to view. */
let kept = null;

export function mount(root, context) {
  if (!context.about.cluster) {
    root.append(empty("timeline", "No cluster is watched", "A timeline is recorded from steps as they run.", "tensorfleet dashboard HOST:PORT"));
    return;
  }
  const steps = h("select", { class: "field", "aria-label": "How many steps" }, [3, 5, 10, 20].map((count) => h("option", { value: String(count) }, words.plural(count, "step", "steps"))));
  const record = h("button", { class: "button main", onclick: () => run() }, "Record");
  const save = h("button", { class: "button hidden", onclick: () => download() }, "Save for Perfetto");
  const said = h("span", { class: "muted", role: "status" });
  const body = h("div", { class: "column" }, empty("timeline", "Nothing is recorded yet", "Record traces the next steps on all tasks at once, with their clocks aligned. Steps run a little slower meanwhile."));
  root.append(h("div", { class: "row" }, steps, record, save, said), body);
  context.keys({ r: () => record.click() });
  if (kept) show();

  async function run() {
    record.disabled = true;
    say(said, "Waiting for steps…");
    if (!kept) body.replaceChildren(ghost(320));
    try {
      const trace = await ask("trace", { steps: steps.value });
      kept = prepare(trace);
      show();
    } catch (error) {
      say(said, "");
      body.replaceChildren(h("p", { class: "note bad", role: "alert" }, error.message));
    }
    record.disabled = false;
  }

  function download() {
    const file = new Blob([JSON.stringify({ traceEvents: kept.trace.traceEvents, displayTimeUnit: "ms" })], { type: "application/json" });
    const link = h("a", { href: URL.createObjectURL(file), download: "trace.json" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function show() {
    const { trace, lanes, span, slowest } = kept;
    say(said, `${words.plural(trace.steps, "step", "steps")}, ${words.count(trace.nodes)} nodes, ${words.count(trace.arrows)} tensors between devices, ${words.micros(span)}`);
    save.classList.remove("hidden");
    const canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": `A timeline of ${lanes.length} threads over ${words.micros(span)}; the table below has the same by op` });
    const stage = h("div", { class: "lanes panel", style: { height: `${Math.max(160, HEAD + lanes.length * (LANE + 3) + 16)}px` } }, canvas);
    const list = table("Where the time went", [["Op"], ["Task"], ["Nodes", "num"], ["Time", "num"], ["Longest", "num"]]);
    list.body.append(...slowest.slice(0, 30).map((one) => h("tr", {}, h("td", {}, one.op), h("td", {}, words.task(one.task)), h("td", { class: "num" }, words.count(one.count)), h("td", { class: "num" }, words.micros(one.time)), h("td", { class: "num faint" }, words.micros(one.longest)))));
    body.replaceChildren(...trace.silent.map((text) => h("p", { class: "note" }, text)), stage, panel("Where the time went", list.element));
    new Lanes(canvas, kept);
  }
}

/** Brings the events into lanes: a task, and in it a thread. */
function prepare(trace) {
  const names = new Map();
  const [nodes, arrows] = [[], new Map()];
  for (const event of trace.traceEvents) {
    if (event.ph === "M") names.set(event.pid, event.args.name);
    else if (event.ph === "X") nodes.push(event);
    else arrows.set(event.id, { ...arrows.get(event.id), [event.ph]: event });
  }
  const begin = Math.min(...nodes.map((node) => node.ts));
  const span = Math.max(...nodes.map((node) => node.ts + node.dur)) - begin;
  const keys = [...new Set(nodes.map((node) => `${String(node.pid).padStart(5, "0")}/${String(node.tid).padStart(8, "0")}`))].sort();
  const lanes = keys.map((key) => {
    const [pid, tid] = key.split("/").map(Number);
    return { pid, tid, task: names.get(pid) || String(pid) };
  });
  const lane = new Map(keys.map((key, index) => [key, index]));
  const laneOf = (event) => lane.get(`${String(event.pid).padStart(5, "0")}/${String(event.tid).padStart(8, "0")}`);
  const ops = [...new Set(nodes.map((node) => node.name))].sort();
  const boxes = nodes.map((node) => ({ lane: laneOf(node), start: node.ts - begin, time: node.dur, op: node.name, node: node.args.node, step: node.args.step, hue: WAITS.test(node.name) ? 8 : ops.indexOf(node.name) % 8, task: names.get(node.pid) || "" }));
  const flows = [...arrows.values()].filter(({ s: from, f: to }) => from && to && laneOf(from) !== undefined && laneOf(to) !== undefined).map(({ s: from, f: to }) => ({ from: laneOf(from), to: laneOf(to), left: from.ts - begin, arrived: to.ts - begin }));
  const sums = new Map();
  for (const box of boxes) {
    const key = `${box.task}\n${box.op}`;
    const sum = sums.get(key) || { op: box.op, task: box.task, count: 0, time: 0, longest: 0 };
    Object.assign(sum, { count: sum.count + 1, time: sum.time + box.time, longest: Math.max(sum.longest, box.time) });
    sums.set(key, sum);
  }
  return { trace, lanes, boxes, flows, span, slowest: [...sums.values()].sort((a, b) => b.time - a.time) };
}

/** Draws the lanes on a canvas, which is quick with tens of thousands of nodes. */
class Lanes {
  constructor(canvas, data) {
    Object.assign(this, { canvas, data, asked: false });
    this.zoom = new Zoom(canvas, () => this.later(), [1e-6, 1e6]);
    const fit = () => this.fit();
    canvas.addEventListener("keydown", (event) => this.zoom.onKey(event, fit));
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerleave", () => tip.hide());
    new ResizeObserver(() => (this.fitted ? this.later() : this.fit())).observe(canvas);
    addEventListener("repaint", () => this.later());
  }

  fit() {
    if (!this.canvas.clientWidth) return;
    this.fitted = true;
    this.zoom.set(LEFT, 0, (this.canvas.clientWidth - LEFT - 16) / (this.data.span || 1));
  }

  later() {
    if (this.asked || !this.canvas.isConnected) return;
    this.asked = true;
    requestAnimationFrame(() => ((this.asked = false), this.draw()));
  }

  top(lane) {
    return HEAD + lane * (LANE + 3) + Math.min(0, this.zoom.y);
  }

  draw() {
    const { canvas, zoom } = this;
    const [width, height, dense] = [canvas.clientWidth, canvas.clientHeight, devicePixelRatio || 1];
    if (canvas.width !== Math.round(width * dense) || canvas.height !== Math.round(height * dense)) [canvas.width, canvas.height] = [Math.round(width * dense), Math.round(height * dense)];
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const pen = canvas.getContext("2d");
    pen.setTransform(dense, 0, 0, dense, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = `11px ${colour("--sans")}`;
    const [from, to] = [(LEFT - zoom.x) / zoom.scale, (width - zoom.x) / zoom.scale];
    pen.fillStyle = colour("--faint");
    pen.strokeStyle = colour("--line");
    for (const at of ticks(from, to, Math.max(2, Math.floor(width / 140)))) {
      const x = zoom.x + at * zoom.scale;
      if (x < LEFT) continue;
      pen.beginPath();
      pen.moveTo(Math.round(x) + 0.5, HEAD - 6);
      pen.lineTo(Math.round(x) + 0.5, height);
      pen.stroke();
      pen.fillText(words.micros(Math.max(0, at)), x + 4, 14);
    }
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, HEAD, width - LEFT, height - HEAD);
    pen.clip();
    const hues = [...Array.from({ length: 8 }, (_, index) => colour(`--s${index}`)), colour("--line-strong")];
    for (const box of this.data.boxes) {
      const [x, w, y] = [zoom.x + box.start * zoom.scale, Math.max(1, box.time * zoom.scale), this.top(box.lane)];
      if (x + w < LEFT || x > width || y + LANE < HEAD || y > height) continue;
      pen.globalAlpha = 0.85;
      pen.fillStyle = hues[box.hue];
      pen.fillRect(x, y, w, LANE);
      if (w > 40) {
        pen.globalAlpha = 1;
        pen.fillStyle = colour(box.hue === 8 ? "--text" : "--panel");
        pen.fillText(box.op.slice(0, Math.floor((w - 8) / 6.2)), Math.max(x, LEFT) + 5, y + 14);
      }
    }
    pen.globalAlpha = 0.5;
    pen.strokeStyle = colour("--text");
    for (const flow of this.data.flows.slice(0, 3000)) {
      const [x1, x2, y1, y2] = [zoom.x + flow.left * zoom.scale, zoom.x + flow.arrived * zoom.scale, this.top(flow.from) + LANE / 2, this.top(flow.to) + LANE / 2];
      if (x2 < LEFT || x1 > width) continue;
      pen.beginPath();
      pen.moveTo(x1, y1);
      pen.bezierCurveTo(x1 + 12, y1, x2 - 12, y2, x2, y2);
      pen.stroke();
    }
    pen.restore();
    pen.globalAlpha = 1;
    let task = null;
    this.data.lanes.forEach((lane, index) => {
      const y = this.top(index);
      if (y < HEAD - LANE || y > height) return;
      if (lane.task !== task) {
        task = lane.task;
        pen.fillStyle = colour("--text");
        pen.fillText(words.task(task), 12, y + 14);
      }
    });
  }

  point(event) {
    const { zoom } = this;
    if (event.buttons) return tip.hide();
    const at = (event.offsetX - zoom.x) / zoom.scale;
    const slack = 2 / zoom.scale;
    const lane = this.data.lanes.findIndex((_, index) => event.offsetY >= this.top(index) && event.offsetY < this.top(index) + LANE);
    const box = this.data.boxes.find((box) => box.lane === lane && at >= box.start - slack && at <= box.start + box.time + slack);
    if (!box) return tip.hide();
    tip.show(event.clientX, event.clientY, h("b", {}, box.op), h("div", { class: "mono" }, box.node), h("div", { class: "muted" }, `${words.micros(box.time)} at ${words.micros(box.start)}, step ${box.step}, ${words.task(box.task)}`));
  }
}
