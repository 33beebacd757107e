// Curves over steps or time, with axes, a cross under the pointer and what it meets.

import { h, s, tip } from "./dom.js";
import * as words from "./words.js";

const PAD = { left: 48, right: 10, top: 10, bottom: 24 };

/** Round numbers that cover a range. */
export function ticks(low, high, count) {
  const span = high - low || Math.abs(high) || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.99);
  // Counted, not added up: where numbers lie closer than they can be told apart, a sum would not grow.
  const [first, last] = [Math.ceil(low / step), Math.floor(high / step + 1e-6)];
  const many = Math.max(0, Math.min(last - first + 1, 10 * count)) || 0;
  return Array.from({ length: many }, (_, index) => (first + index) * step);
}

function powers(low, high) {
  const found = [];
  for (let power = Math.ceil(Math.log10(low) - 1e-9); power <= Math.log10(high) + 1e-9; power++) found.push(10 ** power);
  return found.length > 1 ? found : ticks(low, high, 4).filter((at) => at > 0);
}

function axis(number) {
  const size = Math.abs(number);
  if (size >= 1e9) return `${+(number / 1e9).toPrecision(3)}G`;
  if (size >= 1e6) return `${+(number / 1e6).toPrecision(3)}M`;
  if (size >= 1e4) return `${+(number / 1e3).toPrecision(3)}k`;
  if (size !== 0 && size < 1e-3) return number.toExponential(0);
  return String(+number.toPrecision(4));
}

/** A mean that forgets, without the pull of its beginning to zero. */
export function smooth(values, weight) {
  let [mean, sum] = [0, 0];
  return values.map((value) => {
    if (value === null) return null;
    mean = mean * weight + (1 - weight) * value;
    sum = sum * weight + (1 - weight);
    return mean / sum;
  });
}

export class Chart {
  constructor(label) {
    this.plot = s("g");
    this.over = s("g");
    this.svg = s("svg", { tabindex: "0", role: "img", "aria-label": label }, this.plot, this.over);
    this.element = h("div", { class: "chart" }, this.svg);
    this.label = label;
    this.series = [];
    this.options = {};
    this.at = null;
    this.svg.addEventListener("pointermove", (event) => this.point(event.offsetX, event.clientX, event.clientY));
    this.svg.addEventListener("pointerleave", () => this.leave());
    this.svg.addEventListener("blur", () => this.leave());
    this.svg.addEventListener("keydown", (event) => this.onKey(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Series are `{name, colour, xs, values}`; options `{log, weight, x: "step" | "relative" | "wall"}`. */
  set(series, options = {}) {
    this.options = options;
    this.series = series.map((one) => ({ ...one, shown: options.weight > 0 ? smooth(one.values, options.weight) : one.values }));
    this.draw();
  }

  draw() {
    const [width, height] = [this.element.clientWidth, this.element.clientHeight];
    if (!width || !this.series) return;
    const { log, weight } = this.options;
    const fits = (value) => value !== null && (!log || value > 0);
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { xs, shown, values } of this.series) {
      xs.forEach((x, index) => {
        if (!fits(shown[index])) return;
        [left, right] = [Math.min(left, x), Math.max(right, x)];
        [low, high] = [Math.min(low, shown[index]), Math.max(high, shown[index])];
        if (weight > 0 && weight < 0.9 && fits(values[index])) [low, high] = [Math.min(low, values[index]), Math.max(high, values[index])];
      });
    }
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    if (low === Infinity) {
      const why = this.series.some(({ values }) => values.length) ? (log ? "Nothing above zero to show on a logarithmic scale" : "Nothing but NaN") : "No values yet";
      this.scale = null;
      return this.plot.replaceChildren(s("text", { class: "nothing", x: width / 2, y: height / 2, "text-anchor": "middle" }, why));
    }
    if (left === right) [left, right] = [left - 0.5, right + 0.5];
    if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - (Math.abs(low) * 0.1 || 0.5), high + (Math.abs(high) * 0.1 || 0.5)];
    else if (!log) [low, high] = [low - (high - low) * 0.04, high + (high - low) * 0.04];
    const up = log ? Math.log10 : (value) => value;
    const x = (value) => PAD.left + ((value - left) / (right - left)) * (width - PAD.left - PAD.right);
    const y = (value) => height - PAD.bottom - ((up(value) - up(low)) / (up(high) - up(low))) * (height - PAD.top - PAD.bottom);
    this.scale = { x, y, left, right, width, height };
    const rows = (log ? powers(low, high) : ticks(low, high, 4)).map((at) => [
      s("line", { class: "grid", x1: PAD.left, x2: width - PAD.right, y1: Math.round(y(at)) + 0.5, y2: Math.round(y(at)) + 0.5 }),
      s("text", { class: "tick", x: PAD.left - 8, y: y(at) + 4, "text-anchor": "end" }, axis(at)),
    ]);
    const columns = ticks(left, right, Math.max(2, Math.floor(width / 110))).map((at) =>
      s("text", { class: "tick", x: x(at), y: height - 6, "text-anchor": at === left ? "start" : "middle" }, this.abscissa(at)));
    const path = (xs, values) => {
      let [text, pen] = ["", false];
      xs.forEach((at, index) => {
        const value = values[index];
        if (!fits(value)) return (pen = false);
        text += `${pen ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
        pen = true;
      });
      return text;
    };
    const lines = this.series.flatMap((one) => [
      weight > 0 && s("path", { class: "raw", d: path(one.xs, one.values), style: { stroke: one.colour } }),
      s("path", { class: "line", d: path(one.xs, one.shown), style: { stroke: one.colour } }),
      one.xs.length === 1 && fits(one.shown[0]) && s("circle", { cx: x(one.xs[0]), cy: y(one.shown[0]), r: 3, style: { fill: one.colour } }),
    ]).filter(Boolean);
    this.plot.replaceChildren(...rows.flat(), ...columns, ...lines);
  }

  abscissa(at) {
    if (this.options.x === "relative") return words.duration(Math.max(0, at) * 1000);
    if (this.options.x === "wall") return new Date(at * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    return axis(at);
  }

  onKey(event) {
    const way = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    const first = this.series.find((one) => one.xs.length);
    if (!way || !first || !this.scale) return;
    event.preventDefault();
    const last = first.xs.length - 1;
    const here = this.at === null ? (way < 0 ? last + 1 : -1) : first.xs.findIndex((x) => x >= this.at);
    const next = Math.max(0, Math.min(last, way === -Infinity ? 0 : way === Infinity ? last : (here < 0 ? last : here) + way));
    const box = this.svg.getBoundingClientRect();
    const px = this.scale.x(first.xs[next]);
    this.point(px, box.left + px, box.top + box.height / 3);
  }

  /** Shows what the curves are at a place. */
  point(px, clientX, clientY) {
    if (!this.scale) return;
    const { x, y, left, right, width, height } = this.scale;
    const at = left + ((px - PAD.left) / (width - PAD.left - PAD.right)) * (right - left);
    const met = [];
    for (const one of this.series) {
      let best = -1;
      one.xs.forEach((value, index) => {
        if (one.shown[index] !== null && (best < 0 || Math.abs(value - at) < Math.abs(one.xs[best] - at))) best = index;
      });
      if (best >= 0) met.push({ one, index: best });
    }
    if (!met.length) return this.leave();
    const nearest = met.reduce((a, b) => (Math.abs(a.one.xs[a.index] - at) <= Math.abs(b.one.xs[b.index] - at) ? a : b));
    this.at = nearest.one.xs[nearest.index];
    const cross = x(this.at);
    this.over.replaceChildren(s("line", { class: "cross", x1: cross, x2: cross, y1: PAD.top, y2: height - PAD.bottom }),
      ...met.filter(({ one, index }) => !this.options.log || one.shown[index] > 0).map(({ one, index }) => s("circle", { cx: x(one.xs[index]), cy: y(one.shown[index]), r: 3.5, style: { fill: one.colour } })));
    const rows = met.slice(0, 12).map(({ one, index }) => h("div", { class: "row num", style: { gap: "8px", "flex-wrap": "nowrap" } },
      h("i", { style: { width: "9px", height: "9px", "border-radius": "50%", background: one.colour, flex: "none" } }), h("span", { class: "grow" }, one.name),
      h("b", {}, words.value(one.shown[index])), this.options.weight > 0 && h("span", { class: "faint" }, words.value(one.values[index]))));
    const title = this.options.x === "step" || !this.options.x ? `Step ${words.count(this.at)}` : this.abscissa(this.at);
    tip.show(clientX, clientY, h("div", { class: "muted" }, title), ...rows);
  }

  leave() {
    this.at = null;
    this.over.replaceChildren();
    tip.hide();
  }
}
