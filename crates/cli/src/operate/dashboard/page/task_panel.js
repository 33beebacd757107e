// One task in detail, at the side of the page; and what an operator may do with it.

import { ghost, h, icon, keyed, say, table } from "./dom.js";
import { act, again, ask } from "./net.js";
import * as words from "./words.js";

export function openTask(name, context) {
  const state = h("span", { class: "tag" });
  const facts = h("dl", { class: "facts" });
  const trouble = h("p", { class: "note bad hidden", role: "alert" });
  const variables = table("Variables", [["Variable"], ["Shape"], ["Size", "num"], ["Uses/s", "num"]]);
  const queues = table("Queues", [["Queue"], ["Length", "num"], ["Waiting", "num"]]);
  const lists = h("div", {}, ghost(160));
  const drawer = h("aside", { class: "drawer", role: "dialog", "aria-label": `Task ${words.task(name)}` },
    h("header", {}, h("h2", {}, words.task(name)), state, h("span", { class: "grow" }), h("button", { class: "button icon", "aria-label": "Close", onclick: () => context.close() }, icon("close"))),
    trouble, facts, lists, steering(name, context));
  context.over(drawer);
  let filled = false;
  const poll = again(async (signal) => {
    let task;
    try {
      task = await ask("task", { name }, signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      trouble.classList.remove("hidden");
      return say(trouble, error.message);
    }
    const look = { up: "good", down: "bad" }[task.state] || "warn";
    state.className = `tag ${look}`;
    say(state, task.state);
    trouble.classList.toggle("hidden", !task.error);
    say(trouble, task.error || "");
    keyed(facts, factsOf(task), ([title]) => title, ([title]) => h("div", {}, h("dt", {}, title), h("dd")), (element, [, text]) => say(element.lastChild, text));
    if (!filled) {
      filled = true;
      lists.replaceChildren(...(task.variable_list?.length ? [h("h3", {}, "Variables"), variables.element] : []), ...(task.queue_list?.length ? [h("h3", {}, "Queues"), queues.element] : []));
    }
    keyed(variables.body, task.variable_list || [], (one) => one.name, (one) => h("tr", {}, h("td", { class: "long mono", title: one.name }, one.name), h("td", { class: "mono faint" }, one.shape), h("td", { class: "num" }), h("td", { class: "num" })), (row, one) => {
      say(row.cells[2], one.initialized ? words.bytes(one.bytes) : "empty");
      say(row.cells[3], words.rate(one.uses_per_second));
    });
    keyed(queues.body, task.queue_list || [], (one) => one.name, (one) => h("tr", {}, h("td", { class: "long mono", title: one.name }, one.name), h("td", { class: "num" }), h("td", { class: "num" })), (row, one) => {
      say(row.cells[1], one.capacity ? `${one.length} of ${one.capacity}` : one.length);
      say(row.cells[2], `${one.enqueues_waiting} in, ${one.dequeues_waiting} out`);
    });
  }, 2000);
  context.closed = () => poll.end();
}

function factsOf(task) {
  const facts = [["Address", task.address]];
  if (task.answers_as) facts.push(["Answers as", task.answers_as], ["Tells", "nothing more: it is TensorFlow's server"]);
  if (task.version === undefined) return facts;
  const ended = Object.entries(task.steps_ended || {}).map(([code, count]) => `${code} ${words.count(count)}`).join(", ");
  facts.push(
    ["Version", `${task.version}, process ${task.pid}`], ["Up", words.duration(task.uptime_millis)],
    ["Memory", `${words.bytes(task.resident)} of ${words.bytes(task.limit)}`], ["CPU", `${Math.round(task.cpu * 100)} % of a core`],
    ["Steps", `${words.rate(task.steps_per_second)}/s, ${words.count(task.steps)} in all`], ["Ended", ended || "none"],
    ["Parts of steps", `${words.rate(task.parts_per_second)}/s, ${task.under_way} under way`], ["Tensors", `${words.bytes(task.moved_per_second)}/s`],
    ["Variables", `${words.bytes(task.variable_bytes)} in ${task.variables}`], ["Threads, files", `${task.threads}, ${task.open_files}`],
    ["Checkpoint", task.saved.count ? `${task.saved.last}, ${words.ago(task.saved.last_unix_seconds)}` : "none written by this task"],
  );
  return facts;
}

/** Drain and reset, each asked twice; without the key, how to get it. */
function steering(name, context) {
  if (!context.about.may_steer) return h("p", { class: "faint", style: { "margin-top": "24px" } }, "Sign in to drain or reset this task.");
  const said = h("p", { class: "muted", role: "status" });
  const twice = (label, question, action) => {
    let armed = false;
    const button = h("button", { class: "button danger", onclick: async () => {
      if (!armed) {
        armed = true;
        setTimeout(() => (armed = false, say(button, label)), 5000);
        return say(button, question);
      }
      button.disabled = true;
      say(said, "Working…");
      await action().then((text) => say(said, text), (error) => say(said, error.message));
      button.disabled = false;
    } }, label);
    return button;
  };
  const job = /^\/job:([^/]+)/.exec(name)?.[1] || "";
  return h("div", {}, h("h3", {}, "Steering"), h("div", { class: "row" },
    twice("Drain", "Drain: no new steps, then stop?", async () => {
      const { steps_left: left } = await act("drain", { task: name, grace_secs: 30 });
      return left ? `It stops; ${words.plural(left, "step", "steps")} did not end in time.` : "It is drained and stops.";
    }),
    twice("Reset", `Close its sessions and empty '${job}'?`, async () => {
      await act("reset", { task: name, containers: [job] });
      return `Its sessions are closed and container '${job}' is empty on all tasks.`;
    })), said);
}
