// Steps that take long, and what they wait for, down to who should do something.

import { empty, ghost, h, keyed, say } from "./dom.js";
import { ask } from "./net.js";
import { segments } from "./scalars.js";
import { badge } from "./app.js";
import * as words from "./words.js";

const choice = { longer: 1 };

export function mount(root, context) {
  if (!context.about.cluster) {
    root.append(empty("waits", "No cluster is watched", "What steps wait for is asked of the tasks that run them.", "tensorfleet dashboard HOST:PORT"));
    return;
  }
  const silent = h("div");
  const chains = h("section", { class: "panel", "aria-label": "Steps that wait" });
  const calm = empty("waits", "Nothing waits", "");
  const body = h("div", { class: "column" }, ghost(160));
  const bar = h("div", { class: "row" }, h("span", { class: "muted" }, "Steps under way for longer than"), segments("Longer than", [[0.2, "0.2 s"], [1, "1 s"], [5, "5 s"], [30, "30 s"]], () => choice.longer, (longer) => ((choice.longer = longer), poll.now())));
  root.append(bar, silent, body);

  context.failed = (error) => body.replaceChildren(h("p", { class: "note bad", role: "alert" }, error.message));
  const poll = context.again(async (signal) => {
    const now = await ask("why", { longer_than: choice.longer }, signal);
    badge("waits", now.stuck.length);
    silent.replaceChildren(...now.silent.map((text) => h("p", { class: "note bad" }, text)));
    if (!now.stuck.length) {
      say(calm.querySelector("p"), `No step has been under way for longer than ${now.longer_than} s. Once one is, its chain stands here: the step, the node, the queue, tensor or gradient, and who should bring it.`);
      return body.replaceChildren(calm);
    }
    if (!chains.isConnected) body.replaceChildren(chains);
    keyed(chains, now.stuck, (one) => one.step, () => h("ol", { class: "chain", style: { margin: "0", "list-style": "none" } }), (list, one) => {
      const links = one.links.map((link, index) => ({ ...link, index }));
      keyed(list, links, (link) => `${link.index} ${link.depth} ${link.culprit}`, (link) => h("li", { class: `${link.depth ? "" : "top"} ${link.culprit ? "culprit" : ""}`, style: { "margin-left": `${Math.max(0, link.depth - 1) * 20}px` } }, h("span")), (line, link) => say(line.firstChild, link.text));
      list.setAttribute("aria-label", `Step ${one.step}, ${words.duration(one.age_millis)}`);
    });
  }, 2000);
}
