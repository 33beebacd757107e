// The cluster as a picture: tasks by job, and what flows between them.

import { s, say } from "./dom.js";
import * as words from "./words.js";

/** So many pairs are drawn, the busiest first, and so many of them move. */
const MOST_DRAWN = 160;
const MOST_MOVING = 60;

/** Sizes of a task, by how many there are. */
function sizeFor(count, width) {
  if (count <= 16) return { width: Math.min(178, Math.max(128, (width - 24) / 2)), height: 64, gap: 22, full: true };
  if (count <= 48) return { width: 78, height: 36, gap: 12 };
  return { width: 58, height: 28, gap: 8 };
}

/** Where each task stands: jobs beside each other on a wide page, below each other on a narrow one, one job in a ring. */
function arrange(tasks, width) {
  const jobs = new Map();
  for (const task of tasks) jobs.set(task.job, [...(jobs.get(task.job) || []), task]);
  const order = [...jobs.keys()].sort((a, b) => (a === "ps" ? -1 : b === "ps" ? 1 : a < b ? -1 : 1));
  const size = sizeFor(tasks.length, width);
  const places = new Map();
  const titles = [];
  if (order.length === 1 && tasks.length > 2 && tasks.length <= 24 && width > 560) {
    const radius = Math.min(width / 2 - size.width / 2 - 10, Math.max(130, (tasks.length * (size.height + 26)) / 4));
    const across = Math.min(width / 2 - size.width / 2 - 10, radius * 1.5);
    tasks.forEach((task, index) => {
      const angle = (index / tasks.length) * 2 * Math.PI - Math.PI / 2;
      places.set(task.task, { x: width / 2 + across * Math.cos(angle), y: radius + size.height / 2 + 30 + radius * Math.sin(angle) });
    });
    titles.push({ text: `${order[0]} · ${tasks.length}`, x: 0, y: 12 });
    return { places, titles, size, height: 2 * radius + size.height + 44, way: "ring" };
  }
  const wide = width > 620;
  const block = (job) => {
    const count = jobs.get(job).length;
    const most = Math.max(1, Math.floor((width + size.gap) / (size.width + size.gap)));
    const rows = wide ? Math.min(count, size.full ? 8 : 12) : Math.ceil(count / most);
    return { job, count, rows, columns: Math.ceil(count / rows) };
  };
  const blocks = order.map(block);
  const of = (block) => [block.columns * (size.width + size.gap) - size.gap, block.rows * (size.height + size.gap) - size.gap];
  const inner = Math.max(...blocks.map((block) => of(block)[1]));
  const used = blocks.reduce((sum, block) => sum + of(block)[0], 0);
  const between = blocks.length > 1 ? Math.min(340, (width - used) / (blocks.length - 1)) : 0;
  let [left, top] = [wide ? Math.max(0, (width - used - between * (blocks.length - 1)) / 2) : 0, 24];
  for (const block of blocks) {
    const [across, down] = of(block);
    const offset = wide ? (inner - down) / 2 : 0;
    titles.push({ text: `${block.job} · ${block.count}`, x: left, y: top - 10 + offset });
    jobs.get(block.job).forEach((task, index) => {
      const [column, row] = wide ? [Math.floor(index / block.rows), index % block.rows] : [index % block.columns, Math.floor(index / block.columns)];
      places.set(task.task, { x: left + column * (size.width + size.gap) + size.width / 2, y: top + offset + row * (size.height + size.gap) + size.height / 2 });
    });
    if (wide) left += across + between;
    else top += down + 74;
  }
  return { places, titles, size, height: wide ? inner + 32 : top - 66, way: wide ? "across" : "down" };
}

/** A curve from one task to another; both directions of a pair lie beside each other. */
function curve(from, to, size, way) {
  const forth = from.x < to.x || (from.x === to.x && from.y < to.y);
  const shift = forth ? -5 : 5;
  if (way === "across" && Math.abs(from.x - to.x) > size.width) {
    const side = from.x < to.x ? 1 : -1;
    const [x1, x2] = [from.x + (side * size.width) / 2, to.x - (side * size.width) / 2];
    const bend = (x2 - x1) * 0.45;
    return `M${x1} ${from.y + shift}C${x1 + bend} ${from.y + shift} ${x2 - bend} ${to.y + shift} ${x2} ${to.y + shift}`;
  }
  if (way === "down" && Math.abs(from.y - to.y) > size.height) {
    const side = from.y < to.y ? 1 : -1;
    const [y1, y2] = [from.y + (side * size.height) / 2, to.y - (side * size.height) / 2];
    const bend = (y2 - y1) * 0.45;
    return `M${from.x + shift} ${y1}C${from.x + shift} ${y1 + bend} ${to.x + shift} ${y2 - bend} ${to.x + shift} ${y2}`;
  }
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const bulge = way === "ring" ? 16 : Math.min(70, length / 3);
  const [x, y] = [(from.x + to.x) / 2 - (dy / length) * bulge, (from.y + to.y) / 2 + (dx / length) * bulge];
  return `M${from.x} ${from.y}Q${x} ${y} ${to.x} ${to.y}`;
}

export class Picture {
  constructor(choose) {
    this.choose = choose;
    this.lines = s("g");
    this.nodes = s("g");
    this.svg = s("svg", { role: "group", "aria-label": "The tasks of the cluster and the traffic between them" }, this.lines, this.nodes);
    this.tasks = new Map();
    this.edges = new Map();
    this.shape = "";
  }

  draw({ tasks, edges }, width) {
    const shape = `${width}|${tasks.map((task) => task.task).join(" ")}`;
    if (shape !== this.shape) {
      this.shape = shape;
      this.plan = arrange(tasks, width);
      this.svg.setAttribute("viewBox", `0 0 ${width} ${this.plan.height}`);
      this.svg.style.height = `${this.plan.height}px`;
      this.nodes.replaceChildren(...this.plan.titles.map((title) => s("text", { class: "job", x: title.x, y: title.y }, title.text)));
      this.lines.replaceChildren();
      this.edges.clear();
      this.tasks.clear();
      for (const task of tasks) this.place(task);
    }
    for (const task of tasks) this.update(task);
    this.connect(edges);
  }

  place(task) {
    const { size, places } = this.plan;
    const { x, y } = places.get(task.task);
    const [left, top] = [x - size.width / 2, y - size.height / 2];
    const small = !size.full;
    const parts = {
      box: s("rect", { class: "box", x: left, y: top, width: size.width, height: size.height, rx: small ? 7 : 10 }),
      dot: s("circle", { cx: left + (small ? 10 : 16), cy: top + (small ? size.height / 2 : 19), r: small ? 3 : 4 }),
      name: s("text", { x: left + (small ? 18 : 27), y: top + (small ? size.height / 2 + 4 : 23) }, small ? String(task.index) : words.task(task.task)),
      sub: small ? null : s("text", { class: "sub", x: left + 16, y: top + 42 }),
      track: small ? null : s("rect", { class: "track", x: left + 16, y: top + 51, width: size.width - 32, height: 3, rx: 1.5 }),
      fill: small ? null : s("rect", { class: "fill", x: left + 16, y: top + 51, width: 0, height: 3, rx: 1.5 }),
      title: s("title"),
    };
    const open = () => this.choose(task.task);
    const lit = (on) => () => this.light(on ? task.task : null);
    parts.group = s("g", { class: "task", tabindex: "0", role: "button", onclick: open, onmouseenter: lit(true), onmouseleave: lit(false), onfocus: lit(true), onblur: lit(false),
      onkeydown: (event) => this.onKey(event, task.task, open) }, parts.title, parts.box, parts.track, parts.fill, parts.dot, parts.name, parts.sub);
    this.nodes.append(parts.group);
    this.tasks.set(task.task, parts);
  }

  /** Arrows go to the nearest task in their direction. */
  onKey(event, name, open) {
    if (event.key === "Enter" || event.key === " ") return event.preventDefault(), open();
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const here = this.plan.places.get(name);
    let best = null;
    for (const [other, place] of this.plan.places) {
      const [dx, dy] = [place.x - here.x, place.y - here.y];
      const along = dx * way[0] + dy * way[1];
      const off = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
      if (along > 4 && (!best || along + 2 * off < best.cost)) best = { other, cost: along + 2 * off };
    }
    if (best) this.tasks.get(best.other).group.focus();
  }

  update(task) {
    const parts = this.tasks.get(task.task);
    const up = task.state === "up" || task.state === "draining";
    const short = { down: "does not answer", foreign: "TensorFlow's server" }[task.state];
    const steps = task.steps_per_second > 0 ? `${words.rate(task.steps_per_second)} steps/s` : `${words.rate(task.parts_per_second)} parts/s`;
    const line = up ? (task.steps_per_second > 0 || !task.variables ? steps : `${words.bytes(task.variable_bytes)} · ${steps}`) : short;
    parts.group.setAttribute("class", `task ${task.state}`);
    const label = `${words.task(task.task)}, ${task.state}, ${line}${up ? `, memory ${words.bytes(task.resident)}` : ""}`;
    parts.group.setAttribute("aria-label", label);
    say(parts.title, task.error ? `${label}: ${task.error}` : label);
    if (!parts.sub) return;
    say(parts.sub, line);
    const busy = up ? Math.min(1, task.cpu || 0) : 0;
    parts.fill.setAttribute("width", busy * (this.plan.size.width - 32));
  }

  connect(edges) {
    const drawn = edges.filter((edge) => this.plan.places.has(edge.from) && this.plan.places.has(edge.to)).slice(0, MOST_DRAWN);
    const most = Math.max(1024, ...drawn.map((edge) => edge.bytes_per_second));
    // Many lines are drawn thin, so that the picture stays one.
    const thin = drawn.length > 50 ? 0.4 : 1;
    const wanted = new Set();
    drawn.forEach((edge, index) => {
      const key = `${edge.from}>${edge.to}`;
      wanted.add(key);
      let line = this.edges.get(key);
      if (!line) {
        const { places, size, way } = this.plan;
        const d = curve(places.get(edge.from), places.get(edge.to), size, way);
        line = { from: edge.from, to: edge.to, title: s("title"), flow: s("path", { class: "flow", d }) };
        line.path = s("path", { class: "edge", d }, line.title);
        this.lines.append(line.path, line.flow);
        this.edges.set(key, line);
      }
      const moves = edge.bytes_per_second > 0;
      const strength = moves ? Math.log2(1 + edge.bytes_per_second) / Math.log2(1 + most) : 0;
      line.path.classList.toggle("still", !moves);
      line.path.style.strokeWidth = moves ? thin * (1.5 + 4.5 * strength ** 2) : 1;
      line.flow.classList.toggle("hidden", !moves || index >= MOST_MOVING);
      line.flow.style.strokeWidth = thin * (2 + 2.5 * strength ** 2);
      line.flow.style.animationDuration = `${(1.6 - 1.2 * strength).toFixed(1)}s`;
      say(line.title, `${words.task(edge.from)} → ${words.task(edge.to)}: ${words.bytes(edge.bytes_per_second)}/s, ${words.rate(edge.tensors_per_second)} tensors/s; ${words.bytes(edge.bytes)} in all`);
    });
    for (const [key, line] of this.edges) {
      if (wanted.has(key)) continue;
      line.path.remove();
      line.flow.remove();
      this.edges.delete(key);
    }
  }

  /** Brings out what flows to and from a task. */
  light(name) {
    this.svg.parentNode?.classList.toggle("hovering", name !== null && this.edges.size > 2);
    for (const line of this.edges.values()) {
      const lit = line.from === name || line.to === name;
      line.path.classList.toggle("lit", lit);
      line.flow.classList.toggle("lit", lit);
    }
  }
}
