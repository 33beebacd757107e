// The checkpoints of the folder, and the variables of the one that is chosen.

import { empty, ghost, h, keyed, panel, say, table } from "./dom.js";
import { ask } from "./net.js";
import * as words from "./words.js";

const choice = { name: null, filter: "" };

export function mount(root, context) {
  if (!context.about.folder) {
    root.append(empty("checkpoints", "No folder is watched", "Checkpoints are read from a folder. Name it when you start the page, or give a server --logdir.", "tensorfleet dashboard LOGDIR HOST:PORT"));
    return;
  }
  const list = table("Checkpoints", [["Checkpoint"], ["Step", "num"], ["Size", "num"], ["Saved", "num"]]);
  const tensors = table("Variables", [["Variable"], ["Type"], ["Shape"], ["Size", "num"]]);
  const title = h("h2", {}, "Variables");
  const summary = h("span", { class: "faint num" });
  const field = h("input", { class: "field", type: "search", placeholder: "Filter", "aria-label": "Filter variables", value: choice.filter, oninput: () => ((choice.filter = field.value), fill()) });
  const trouble = h("p", { class: "note bad hidden", role: "alert" });
  const right = h("section", { class: "panel" }, h("header", {}, title, summary, h("span", { class: "grow" }), field), trouble, tensors.element);
  const split = h("div", { class: "split" }, panel("Checkpoints", list.element), right);
  const body = h("div", { class: "column" }, ghost(240));
  root.append(body);
  let shown = null;

  async function load() {
    for (const row of list.body.rows) row.setAttribute("aria-selected", String(row.name === choice.name));
    try {
      shown = await ask("checkpoint", { name: choice.name });
      trouble.classList.add("hidden");
    } catch (error) {
      shown = { tensors: [], count: 0, bytes: 0, elements: 0 };
      trouble.classList.remove("hidden");
      say(trouble, error.message);
    }
    say(title, choice.name);
    fill();
  }

  function fill() {
    const most = Math.max(1, ...shown.tensors.map((one) => one.bytes));
    const wanted = choice.filter.toLowerCase();
    say(summary, `${words.plural(shown.count, "variable", "variables")}, ${words.count(shown.elements)} elements, ${words.bytes(shown.bytes)}`);
    keyed(tensors.body, shown.tensors.filter((one) => one.name.toLowerCase().includes(wanted)), (one) => `${choice.name} ${one.name}`, (one) => h("tr", {}, h("td", { class: "long mono", title: one.name }, one.name), h("td", {}, one.dtype), h("td", { class: "mono faint" }, words.shape(one.shape)), h("td", { class: "num" }, `${words.bytes(one.bytes)} `, h("span", { class: "meter", "aria-hidden": "true" }, h("i", { style: { width: `${(100 * one.bytes) / most}%` } })))));
  }

  context.failed = (error) => body.replaceChildren(h("p", { class: "note bad", role: "alert" }, error.message));
  context.again(async (signal) => {
    const now = await ask("checkpoints", {}, signal).catch((error) => {
      if (error.status === 404) return { folder: context.about.folder, checkpoints: [] };
      throw error;
    });
    if (!now.checkpoints.length) {
      return body.replaceChildren(empty("checkpoints", "No checkpoints yet", `Nothing in ${now.folder} is a checkpoint. Savers, supervisors and monitored sessions write them as training goes on.`));
    }
    if (!split.isConnected) body.replaceChildren(split);
    keyed(list.body, now.checkpoints, (one) => one.name, (one) => {
      const choose = () => ((choice.name = one.name), load());
      const row = h("tr", { class: "pick", tabindex: "0", onclick: choose, onkeydown: (event) => event.key === "Enter" && choose() }, h("td", { class: "long" }, h("span", { class: "mono" }, one.name), " ", h("span", { class: "tag" })), h("td", { class: "num" }), h("td", { class: "num" }), h("td", { class: "num faint" }));
      row.name = one.name;
      return row;
    }, (row, one) => {
      const note = row.querySelector(".tag");
      note.className = `tag ${one.damaged ? "bad" : one.newest ? "good" : ""} ${one.damaged || one.newest || !one.kept ? "" : "hidden"}`;
      say(note, one.damaged ? "damaged" : one.newest ? "newest" : "not kept");
      note.title = one.damaged || (one.kept ? "" : "The file `checkpoint` does not name it");
      say(row.cells[1], one.step === null ? "–" : words.count(one.step));
      say(row.cells[2], one.damaged ? "–" : words.bytes(one.bytes));
      say(row.cells[3], one.saved ? words.ago(one.saved) : "–");
    });
    if (!now.checkpoints.some((one) => one.name === choice.name)) {
      choice.name = (now.checkpoints.find((one) => one.newest) || now.checkpoints[0]).name;
      await load();
    } else if (!shown) await load();
  }, 5000);
}
