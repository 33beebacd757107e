// Numbers and names as people read them.

export function bytes(count) {
  if (!(count > 0)) return "0 B";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const unit = Math.min(units.length - 1, Math.floor(Math.log2(count) / 10));
  const value = count / 2 ** (10 * unit);
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export function rate(perSecond) {
  if (!(perSecond > 0)) return "0";
  if (perSecond >= 10000) return `${(perSecond / 1000).toFixed(1)}k`;
  return perSecond >= 100 ? String(Math.round(perSecond)) : perSecond.toFixed(1);
}

export function count(number) {
  return Number(number || 0).toLocaleString("en-US");
}

export function duration(millis) {
  const seconds = Math.floor(millis / 1000);
  if (millis < 10000) return `${(millis / 1000).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}h ${String(Math.floor(seconds / 60) % 60).padStart(2, "0")}m`;
  return `${Math.floor(seconds / 86400)}d ${Math.floor(seconds / 3600) % 24}h`;
}

export function micros(value) {
  if (value === 0) return "0";
  if (value < 1000) return `${value.toFixed(value < 10 ? 1 : 0)} µs`;
  return value < 1e6 ? `${(value / 1000).toFixed(value < 1e4 ? 2 : 1)} ms` : `${(value / 1e6).toFixed(2)} s`;
}

export function ago(unixSeconds) {
  return `${duration(Math.max(0, Date.now() - unixSeconds * 1000))} ago`;
}

/** A value of a curve, with as many digits as say something. */
export function value(number) {
  if (number === null || number === undefined || Number.isNaN(number)) return "not a number";
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return number.toExponential(2);
  return String(Number(number.toPrecision(4)));
}

/** `/job:worker/task:1` as `worker:1`. */
export function task(name) {
  return name.replace(/^\/job:([^/]*)\/(?:replica:0\/)?task:(\d+)/, "$1:$2");
}

/** A device as `worker:1 CPU:0`. */
export function device(name) {
  if (!name) return "anywhere";
  return task(name).replace(/\/device:/, " ").replace(/^\//, "");
}

export function shape(dims) {
  return Array.isArray(dims) ? `[${dims.join(", ")}]` : String(dims);
}

export function plural(number, one, many) {
  return `${count(number)} ${number === 1 ? one : many}`;
}
