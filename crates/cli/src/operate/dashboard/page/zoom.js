// Moving and zooming a picture: by wheel, drag, two fingers and keys.

export class Zoom {
  /** `move(x, y, scale)` is called with what the picture shall be moved by and scaled with. */
  constructor(element, move, limits = [0.02, 4]) {
    Object.assign(this, { element, move, limits, x: 0, y: 0, scale: 1, fingers: new Map(), moved: false });
    element.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey || !event.deltaX) this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)), event.clientX - box.left, event.clientY - box.top);
      else this.pan(-event.deltaX, -event.deltaY);
    }, { passive: false });
    element.addEventListener("pointerdown", (event) => {
      this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      this.moved = false;
    });
    element.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) element.addEventListener(name, (event) => this.fingers.delete(event.pointerId));
  }

  drag(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    if (this.fingers.size === 1) {
      if (!this.moved && Math.hypot(now.x - before.x, now.y - before.y) < 4) return;
      if (!this.moved) this.element.setPointerCapture(event.pointerId);
      this.moved = true;
      this.pan(now.x - before.x, now.y - before.y);
    } else {
      const other = [...this.fingers].find(([id]) => id !== event.pointerId)[1];
      const reach = (point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
      const box = this.element.getBoundingClientRect();
      this.moved = true;
      this.zoom(reach(now) / reach(before), (now.x + other.x) / 2 - box.left, (now.y + other.y) / 2 - box.top);
    }
    this.fingers.set(event.pointerId, now);
  }

  pan(dx, dy) {
    this.set(this.x + dx, this.y + dy, this.scale);
  }

  zoom(factor, x = this.element.clientWidth / 2, y = this.element.clientHeight / 2) {
    const scale = Math.min(this.limits[1], Math.max(this.limits[0], this.scale * factor));
    const real = scale / this.scale;
    this.set(x - (x - this.x) * real, y - (y - this.y) * real, scale);
  }

  set(x, y, scale) {
    Object.assign(this, { x, y, scale });
    this.move(x, y, scale);
  }

  /** Shows all of a picture of this size, no larger than it is; or its beginning, if all would be smaller than `least`. */
  fit(width, height, least = this.limits[0]) {
    const [w, h] = [this.element.clientWidth, this.element.clientHeight];
    const scale = Math.min(1, Math.max(least, Math.min((w - 40) / (width || 1), (h - 40) / (height || 1))));
    this.set((w - width * scale) / 2, Math.max(20, (h - height * scale) / 2), scale);
  }

  /** The keys for it. */
  onKey(event, fit) {
    const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    if (step) this.pan(...step);
    else if (event.key === "+" || event.key === "=") this.zoom(1.25);
    else if (event.key === "-") this.zoom(0.8);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
