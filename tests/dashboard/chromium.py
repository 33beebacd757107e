"""Chromium without a window, driven over a pipe by its DevTools protocol; nothing but the standard library is needed."""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 30


def find():
    """Where Chromium is; installed if it is not there and that is possible here; `None` else."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and shutil.which("apt-get") and os.geteuid() == 0:
        install = ["apt-get", "install", "-y", "--no-install-recommends", "chromium"]
        subprocess.run(install, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
        found = next(filter(None, map(shutil.which, NAMES)), None)
    return found


class Browser:
    """A browser with a profile of its own, which ends with the block."""

    def __init__(self, path):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        (read, self.write), (self.read, write) = os.pipe(), os.pipe()

        def ends():
            # The browser reads at 3 and writes at 4; both may be taken by the other one just now.
            kept = os.dup(read), os.dup(write)
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        flags = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--hide-scrollbars", "--disable-gpu",
                 "--disable-background-networking", "--disable-dev-shm-usage", f"--user-data-dir={self.profile.name}"]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([path, *flags, "about:blank"], preexec_fn=ends, close_fds=False, stderr=self.log, stdout=self.log)
        os.close(read)
        os.close(write)
        self.buffer, self.serial, self.events = b"", 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.read)
        os.close(self.write)
        self.profile.cleanup()

    def next_message(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self.read, 1 << 20) if ready else b""
            if not piece:
                self.log.seek(0)
                raise RuntimeError(f"the browser does not answer; its log ends:\n{self.log.read()[-2000:]}")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.serial += 1
        message = {"id": self.serial, "method": method, "params": params, **({"sessionId": session} if session else {})}
        os.write(self.write, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self.next_message(deadline)
            if answer.get("id") == self.serial:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def page(self, url, width=1280, height=860, dark=False):
        return Page(self, url, width, height, dark)


class Page:
    def __init__(self, browser, url, width, height, dark):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.look(width, height, dark)
        self.call("Page.navigate", url=url)

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def look(self, width, height, dark):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def run(self, script):
        """The value of an expression; promises are waited for."""
        outcome = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in outcome:
            raise RuntimeError(f"{script}: {outcome['exceptionDetails'].get('exception', {}).get('description')}")
        return outcome["result"].get("value")

    def until(self, script, what=None, seconds=PATIENCE):
        """Waits until an expression is true."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                value = self.run(f"!!({script})")
            except RuntimeError as error:
                value, failure = None, error
            else:
                failure = None
            if value:
                return
            if time.monotonic() > deadline:
                seen = self.run("document.body.innerText")
                raise AssertionError(f"waited in vain for {what or script} ({failure}); the page says:\n{seen[:3000]}")
            time.sleep(0.05)

    def key(self, key, text=None):
        text = text if text is not None else (key if len(key) == 1 else "")
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        code = codes.get(key, ord(key.upper()) if len(key) == 1 else 0)
        down = {"type": "keyDown" if text else "rawKeyDown", "key": key, "windowsVirtualKeyCode": code, "code": key, **({"text": text} if text else {})}
        self.call("Input.dispatchKeyEvent", **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code, code=key)

    def click(self, selector):
        box = self.run(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + Math.min(b.height / 2, 14)]; }})()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def shot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def complaints(self):
        """Errors that the page has logged, thrown or met."""
        found = []
        for event in self.browser.events:
            params = event.get("params", {})
            if event.get("sessionId") != self.session:
                continue
            if event["method"] == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"].get("exception", {}).get("description", "an exception"))
            elif event["method"] == "Runtime.consoleAPICalled" and params["type"] == "error":
                found.append(" ".join(str(one.get("value", one.get("description"))) for one in params["args"]))
            elif event["method"] == "Log.entryAdded" and params["entry"]["level"] == "error":
                found.append(params["entry"]["text"])
        return found

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)


if __name__ == "__main__":
    print(find() or "not here")
    sys.exit(0)
