// Where the parts of a graph stand: in layers from inputs to outputs, within each open scope by itself.

const BOX = { height: 40, gapX: 18, gapY: 42, pad: 16, head: 26 };

function widthOf(item) {
  const letters = Math.max(item.label.length, (item.op || "").length * 0.9 + 2);
  return Math.round(Math.min(240, Math.max(84, letters * 6.9 + 30)));
}

/** Gives every item `x`, `y`, `width`, `height`; returns the size of the whole. */
export function layOut(items, edges) {
  const children = items.map(() => []);
  const roots = [];
  items.forEach((item, index) => (item.parent < 0 ? roots : children[item.parent]).push(index));
  const links = liftEdges(items, edges);
  const size = place(-1, roots);
  shift(roots, 0, 0);
  return size;

  /** Lays out what lies in one scope; places are within it. */
  function place(parent, members) {
    for (const index of members) {
      const item = items[index];
      if (item.open && children[index].length) {
        const inner = place(index, children[index]);
        item.width = Math.max(inner.width + 2 * BOX.pad, widthOf(item));
        item.height = inner.height + BOX.pad + BOX.head;
      } else {
        [item.width, item.height] = [widthOf(item), BOX.height];
      }
    }
    return layers(members, links.get(parent) || []);
  }

  function layers(members, arcs) {
    const level = levels(members, arcs);
    const rows = [];
    for (const index of members) (rows[level.get(index)] ||= []).push(index);
    order(rows, arcs);
    // What has no edges at all would make one endless row.
    const cut = rows.flatMap((row) => split(row));
    const widths = cut.map((row) => row.reduce((sum, index) => sum + items[index].width + BOX.gapX, -BOX.gapX));
    const width = Math.max(0, ...widths);
    let y = 0;
    cut.forEach((row, at) => {
      let x = (width - widths[at]) / 2;
      const tall = Math.max(...row.map((index) => items[index].height));
      for (const index of row) {
        Object.assign(items[index], { x, y: y + (tall - items[index].height) / 2 });
        x += items[index].width + BOX.gapX;
      }
      y += tall + BOX.gapY;
    });
    return { width, height: Math.max(0, y - BOX.gapY) };
  }

  function split(row) {
    const limit = Math.max(1400, Math.sqrt(row.length) * 260);
    const parts = [[]];
    let used = 0;
    for (const index of row) {
      used += items[index].width + BOX.gapX;
      if (used > limit && parts[parts.length - 1].length) (parts.push([]), (used = items[index].width));
      parts[parts.length - 1].push(index);
    }
    return parts;
  }

  function shift(members, x, y) {
    for (const index of members) {
      const item = items[index];
      item.x += x;
      item.y += y;
      if (item.open) shift(children[index], item.x + (item.width - inside(index)) / 2, item.y + BOX.head);
    }
  }

  function inside(index) {
    const right = children[index].map((child) => items[child].x + items[child].width);
    return Math.max(0, ...right);
  }
}

/** Edges between the members of each scope, in which those of inner parts count as theirs. */
function liftEdges(items, edges) {
  const way = (index) => {
    const path = [];
    for (let at = index; at >= 0; at = items[at].parent) path.unshift(at);
    return path;
  };
  const found = new Map();
  for (const [from, to, , control] of edges) {
    const [a, b] = [way(from), way(to)];
    let depth = 0;
    while (depth < a.length && depth < b.length && a[depth] === b[depth]) depth++;
    if (depth >= a.length || depth >= b.length) continue;
    const parent = depth ? a[depth - 1] : -1;
    if (!found.has(parent)) found.set(parent, []);
    found.get(parent).push([a[depth], b[depth], control]);
  }
  return found;
}

/** How far each member is from those without inputs; edges that close a circle do not count. */
function levels(members, arcs) {
  const next = new Map(members.map((index) => [index, []]));
  for (const [from, to] of arcs) if (from !== to) next.get(from)?.push(to);
  const state = new Map();
  const order = [];
  for (const start of members) {
    const stack = [[start, 0]];
    while (stack.length) {
      const top = stack[stack.length - 1];
      const [index, at] = top;
      if (at === 0) {
        if (state.has(index)) {
          stack.pop();
          continue;
        }
        state.set(index, "open");
      }
      const following = next.get(index);
      if (at < following.length) {
        top[1]++;
        const other = following[at];
        if (state.get(other) === "open") following[at] = -1;
        else if (!state.has(other)) stack.push([other, 0]);
      } else {
        state.set(index, "done");
        order.unshift(index);
        stack.pop();
      }
    }
  }
  const level = new Map(members.map((index) => [index, 0]));
  for (const index of order) for (const to of next.get(index)) if (to >= 0 && level.get(to) < level.get(index) + 1) level.set(to, level.get(index) + 1);
  return level;
}

/** Puts members below those that they take from, by the mean of their places, some times down and up. */
function order(rows, arcs) {
  const place = new Map();
  const note = () => rows.forEach((row) => row.forEach((index, at) => place.set(index, at / Math.max(1, row.length - 1))));
  const [into, out] = [new Map(), new Map()];
  for (const [from, to] of arcs) {
    if (!into.has(to)) into.set(to, []);
    if (!out.has(from)) out.set(from, []);
    into.get(to).push(from);
    out.get(from).push(to);
  }
  note();
  for (let turn = 0; turn < 4; turn++) {
    const near = turn % 2 ? out : into;
    for (const row of turn % 2 ? [...rows].reverse() : rows) {
      const mean = new Map(row.map((index) => {
        const others = near.get(index);
        return [index, others?.length ? others.reduce((sum, other) => sum + (place.get(other) ?? 0.5), 0) / others.length : place.get(index)];
      }));
      row.sort((a, b) => mean.get(a) - mean.get(b));
      note();
    }
  }
}
