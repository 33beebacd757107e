// The view of the cluster: what matters in four numbers, the picture, and tables of tasks and sessions.

import { empty, ghost, h, keyed, panel, s, say, table } from "./dom.js";
import { ask } from "./net.js";
import { Picture } from "./cluster_picture.js";
import { openTask } from "./task_panel.js";
import { badge } from "./app.js";
import * as words from "./words.js";

const KEPT = 60;
/** The last values of the four numbers, kept from view to view. */
const history = { steps: [], moved: [], memory: [] };

function remember(name, value) {
  history[name].push(value);
  if (history[name].length > KEPT) history[name].shift();
}

function spark(values) {
  const most = Math.max(...values, 1e-9);
  const points = values.map((value, index) => `${(index / (KEPT - 1)) * 84 + (KEPT - values.length) * (84 / (KEPT - 1))} ${25 - (value / most) * 24}`);
  return values.length > 1 ? `M${points.join("L")}` : "M0 25";
}

function stat(name) {
  const parts = { value: h("div", { class: "value" }, "–"), more: h("div", { class: "more" }, " "), path: s("path") };
  const chart = s("svg", { class: "spark", width: 84, height: 26, "aria-hidden": "true" }, parts.path);
  parts.element = h("div", { class: "panel stat" }, h("div", { class: "name" }, name), parts.value, chart, parts.more);
  return parts;
}

const sum = (list, of) => list.reduce((total, one) => total + (of(one) || 0), 0);
const LOOK = { up: "good", draining: "warn", foreign: "warn", down: "bad" };
const STATE = { up: "up", draining: "draining", foreign: "TensorFlow's", down: "down" };

export function mount(root, context) {
  if (!context.about.cluster) {
    root.append(empty("cluster", "No cluster is watched", "This page was started with a folder alone. Name any one task and it finds the others.", "tensorfleet dashboard LOGDIR HOST:PORT"));
    return;
  }
  const stats = { tasks: stat("Tasks up"), steps: stat("Steps a second"), moved: stat("Between tasks"), memory: stat("Memory") };
  const place = h("div", { class: "picture" }, ghost(260));
  const trouble = h("p", { class: "note bad hidden", role: "alert" });
  const tasks = table("Tasks", [["Task"], ["State"], ["Steps/s", "num"], ["Parts/s", "num"], ["CPU", "num"], ["Memory", "num"], ["Variables", "num"], ["Up", "num"], ["Address"]]);
  const sessions = table("Sessions", [["Session"], ["Master"], ["Clients"], ["Steps", "num"], ["Under way", "num"], ["Idle", "num"], ["Nodes", "num"], ["Age", "num"]]);
  const noSessions = h("p", { class: "inside muted hidden" }, "No session is open: nobody trains on this cluster just now.");
  const picture = new Picture((name) => openTask(name, context));
  root.append(
    h("div", { class: "stats" }, Object.values(stats).map((one) => one.element)), trouble,
    panel(null, place), panel("Tasks", tasks.element), panel("Sessions", noSessions, sessions.element));
  let last = null;
  const draw = () => {
    if (!last || !place.isConnected) return;
    const width = Math.max(280, Math.floor(place.clientWidth - 40));
    if (!picture.svg.isConnected) place.replaceChildren(picture.svg);
    picture.draw(last, width);
  };
  new ResizeObserver(draw).observe(place);

  context.failed = (error) => (trouble.classList.remove("hidden"), say(trouble, error.message));
  const poll = context.again(async (signal) => {
    const first = last === null;
    last = await ask("cluster", {}, signal);
    trouble.classList.add("hidden");
    draw();
    numbers(stats, last);
    keyed(tasks.body, last.tasks, (task) => task.task, (task) => taskRow(task, context), updateTask);
    keyed(sessions.body, last.sessions, (one) => one.session, sessionRow, updateSession);
    noSessions.classList.toggle("hidden", last.sessions.length > 0);
    sessions.element.classList.toggle("hidden", !last.sessions.length);
    const longest = Math.max(0, ...last.sessions.map((one) => one.longest_millis));
    badge("waits", longest > 10000 ? last.sessions.filter((one) => one.longest_millis > 10000).length : 0);
    // Rates need two looks.
    if (first) setTimeout(() => poll?.now(), 1000);
  }, 2000);
}

function numbers(stats, { tasks, edges, pairs }) {
  const up = tasks.filter((task) => task.state === "up");
  const away = tasks.length - up.length;
  say(stats.tasks.value, `${up.length} of ${tasks.length}`);
  say(stats.tasks.more, away ? tasks.filter((task) => task.state !== "up").slice(0, 3).map((task) => `${words.task(task.task)} ${STATE[task.state]}`).join(", ") : "all answer");
  stats.tasks.value.classList.toggle("bad", tasks.some((task) => task.state === "down"));
  const steps = sum(tasks, (task) => task.steps_per_second);
  const moved = sum(edges, (edge) => edge.bytes_per_second);
  const memory = sum(tasks, (task) => task.resident);
  remember("steps", steps);
  remember("moved", moved);
  remember("memory", memory);
  const failed = sum(tasks, (task) => task.steps_failed);
  say(stats.steps.value, words.rate(steps));
  say(stats.steps.more, `${words.count(sum(tasks, (task) => task.steps))} in all${failed ? `, ${words.count(failed)} failed` : ""}`);
  say(stats.moved.value, `${words.bytes(moved)}/s`);
  say(stats.moved.more, words.plural(pairs, "pair has", "pairs have") + " exchanged tensors");
  say(stats.memory.value, words.bytes(memory));
  say(stats.memory.more, `${words.bytes(sum(tasks, (task) => task.variable_bytes))} in ${words.plural(sum(tasks, (task) => task.variables), "variable", "variables")}`);
  for (const name of Object.keys(history)) stats[name].path.setAttribute("d", spark(history[name]));
}

function cells(count, numeric) {
  return Array.from({ length: count }, (_, index) => h("td", { class: numeric.includes(index) ? "num" : "" }));
}

function taskRow(task, context) {
  const open = () => openTask(task.task, context);
  const row = h("tr", { class: "pick", tabindex: "0", onclick: open, onkeydown: (event) => event.key === "Enter" && open() }, cells(9, [2, 3, 4, 5, 6, 7]));
  row.cells[0].textContent = words.task(task.task);
  row.cells[1].append(h("span", { class: "tag" }));
  const bar = h("i");
  row.cells[5].append(h("span"), " ", h("span", { class: "meter", role: "img" }, bar));
  row.cells[8].className = "mono faint";
  row.cells[8].textContent = task.address;
  return row;
}

function updateTask(row, task) {
  const [, state, steps, parts, cpu, memory, variables, up] = row.cells;
  const answers = task.version !== undefined;
  state.firstChild.className = `tag ${LOOK[task.state]}`;
  state.firstChild.title = task.error || "";
  say(state.firstChild, STATE[task.state]);
  say(steps, answers ? words.rate(task.steps_per_second) : "–");
  say(parts, answers ? words.rate(task.parts_per_second) : "–");
  say(cpu, answers ? `${Math.round(task.cpu * 100)} %` : "–");
  say(memory.firstChild, answers ? words.bytes(task.resident) : "–");
  const share = answers && task.limit ? Math.min(100, (100 * task.resident) / task.limit) : 0;
  memory.lastChild.firstChild.style.width = `${share}%`;
  memory.lastChild.setAttribute("aria-label", `${share.toFixed(0)} % of ${words.bytes(task.limit)}`);
  say(variables, answers ? (task.variables ? `${words.bytes(task.variable_bytes)} in ${task.variables}` : "none") : "–");
  say(up, answers ? words.duration(task.uptime_millis) : "–");
}

function sessionRow(one) {
  const row = h("tr", {}, cells(8, [3, 4, 5, 6, 7]));
  row.cells[0].append(h("a", { class: "mono", href: `#/graph?session:${one.session}`, title: "Its graph" }, one.session));
  return row;
}

function updateSession(row, one) {
  const [, master, clients, steps, under, idle, nodes, age] = row.cells;
  say(master, words.task(one.master));
  say(clients, one.clients.length ? one.clients.join(", ") : "gone");
  clients.className = one.clients.length ? "mono faint long" : "warn";
  say(steps, words.count(one.steps));
  say(under, one.under_way ? `${one.under_way}, longest ${words.duration(one.longest_millis)}` : "0");
  say(idle, words.duration(one.idle_millis));
  say(nodes, words.count(one.nodes));
  say(age, words.duration(one.age_millis));
}
