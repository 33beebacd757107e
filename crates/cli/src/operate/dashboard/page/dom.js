// Elements, made without ever reading text as markup: names in a cluster come from anybody.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else if (name in element && !(element instanceof SVGElement) && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An element of HTML. */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** An element of SVG. */
export function s(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** Sets a text if it is another one, so that nothing is drawn again for nothing. */
export function say(element, text) {
  const wanted = String(text);
  if (element.textContent !== wanted) element.textContent = wanted;
}

/** Lets the children of an element be those of a list: kept by key, made once, brought up to date each time. */
export function keyed(parent, list, key, make, update) {
  const known = parent.known || (parent.known = new Map());
  const wanted = new Set();
  list.forEach((item, index) => {
    const name = String(key(item));
    wanted.add(name);
    let child = known.get(name);
    if (!child) known.set(name, (child = make(item)));
    if (update) update(child, item);
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] || null);
  });
  for (const [name, child] of known) {
    if (!wanted.has(name)) {
      child.remove();
      known.delete(name);
    }
  }
}

const ICONS = {
  cluster: "M12 5v5m0 0-6 6m6-6 6 6M10 3h4v4h-4zM3 16h5v5H3zM16 16h5v5h-5z",
  scalars: "M3 3v18h18M7 15l4-5 3 3 6-8",
  histograms: "M3 21h18M5 21v-6h3v6M10.5 21V5h3v16M16 21v-9h3v9",
  graph: "M5 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm0 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm14-7a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7 5c6 0 4 7 10 7M7 19c6 0 4-7 10-7",
  gradients: "M4 19 12 5l8 14zM12 10v4m0 2.500v.1",
  waits: "M6 3h12M6 21h12M7 3c0 6 5 6 5 9s-5 3-5 9m10-18c0 6-5 6-5 9s5 3 5 9",
  checkpoints: "M4 6c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3Zm0 0v6c0 1.7 3.6 3 8 3s8-1.3 8-3V6M4 12v6c0 1.7 3.6 3 8 3s8-1.3 8-3v-6",
  timeline: "M3 5h8M8 12h9M13 19h8",
  sun: "M12 17a5 5 0 1 0 0-10 5 5 0 0 0 0 10Zm0-15v2m0 16v2M4.9 4.900l1.4 1.400m11.4 11.4 1.4 1.400M2 12h2m16 0h2M4.9 19.100l1.4-1.400M17.7 6.300l1.4-1.4",
  moon: "M20 14.500A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.500Z",
  help: "M9.2 9a3 3 0 1 1 4.3 2.700c-1 .5-1.5 1.1-1.5 2.300m0 3v.1M12 22a10 10 0 1 0 0-20 10 10 0 0 0 0 20Z",
  key: "M8 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm3-1 9 9m-3.5-3.5L19 14m-5.5 0 2-2",
  close: "M6 6l12 12M18 6 6 18",
  plus: "M12 5v14M5 12h14", minus: "M5 12h14", fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
};

/** A drawn sign, which says nothing to those who listen. */
export function icon(name, size = 18) {
  return s("svg", { width: size, height: size, viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", "stroke-width": 1.75, "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));
}

/** What stands where there is nothing: why, and what to do. */
export function empty(sign, title, text, command) {
  return h("div", { class: "panel" }, h("div", { class: "empty" }, icon(sign, 28), h("h2", {}, title), h("p", {}, text), command && h("code", {}, command)));
}

export function panel(title, ...children) {
  return h("section", { class: "panel" }, title && h("header", {}, h("h2", {}, title)), ...children);
}

/** A table with a head; cells that are numbers stand to the right. */
export function table(label, columns) {
  const head = columns.map(([name, kind]) => h("th", { class: kind || "", scope: "col" }, name));
  const body = h("tbody");
  return { body, element: h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, h("table", {}, h("thead", {}, h("tr", {}, head)), body)) };
}

export function ghost(height) {
  return h("div", { class: "ghost", style: { height: `${height}px` }, "aria-hidden": "true" });
}

/** What a pointer is at, in words beside it. */
export const tip = {
  element: null,
  show(x, y, ...children) {
    this.element ||= document.body.appendChild(h("div", { class: "tip", role: "tooltip" }));
    this.element.replaceChildren(...children);
    this.element.classList.remove("hidden");
    const { width, height } = this.element.getBoundingClientRect();
    const left = x + 14 + width > innerWidth ? x - width - 14 : x + 14;
    this.element.style.left = `${Math.max(8, left)}px`;
    this.element.style.top = `${Math.max(8, Math.min(y + 14, innerHeight - height - 8))}px`;
  },
  hide() {
    this.element?.classList.add("hidden");
  },
};
