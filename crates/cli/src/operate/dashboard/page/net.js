// Asking the server, with the key if there is one, and asking again and again while somebody looks.

const KEY = "tensorfleet-key";

/** Takes the key out of the address, so that nobody reads it there. */
export function takeKey() {
  const found = /^#key=([0-9A-Za-z_-]+)/.exec(location.hash);
  if (found) {
    sessionStorage.setItem(KEY, found[1]);
    history.replaceState(null, "", location.pathname + "#/");
  }
}

export function setKey(key) {
  if (key) sessionStorage.setItem(KEY, key);
  else sessionStorage.removeItem(KEY);
}

export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function call(path, options) {
  const key = sessionStorage.getItem(KEY);
  const headers = { ...options.headers, ...(key ? { authorization: `Bearer ${key}` } : {}) };
  let answer;
  try {
    answer = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("the server of this page does not answer; is it still running?", 0);
  }
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(body.error || `the server answered ${answer.status}`, answer.status);
  return body;
}

/** Asks for something; a list in `params` is told as several of one name. */
export function ask(what, params = {}, signal) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of [value].flat()) query.append(name, one);
  }
  const text = query.toString();
  return call(`/api/${what}${text ? `?${text}` : ""}`, { signal });
}

/** Does something. */
export function act(what, body) {
  return call(`/api/${what}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

/** Runs `look` now and whenever `millis` have passed since it ended, while the page is seen; returns what ends it. */
export function again(look, millis) {
  let timer = null;
  let over = false;
  let running = false;
  const abort = new AbortController();
  const run = async () => {
    clearTimeout(timer);
    if (over || running) return;
    if (!document.hidden) {
      running = true;
      try {
        await look(abort.signal);
      } catch (error) {
        if (error.name !== "AbortError") console.error(error);
      }
      running = false;
    }
    if (!over) timer = setTimeout(run, millis);
  };
  const seen = () => !document.hidden && run();
  document.addEventListener("visibilitychange", seen);
  run();
  return {
    now: run,
    end() {
      over = true;
      clearTimeout(timer);
      abort.abort();
      document.removeEventListener("visibilitychange", seen);
    },
  };
}
