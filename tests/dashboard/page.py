"""The dashboard in a real browser: every view, live, on a cluster that trains; by keyboard, in the dark, and on a phone.

usage: page.py PATH_OF_TENSORFLEET [--shots FOLDER]

Where there is no Chromium, and none can be installed, it says so and checks nothing.
"""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import chromium
import events

VIEWS = ("cluster", "scalars", "histograms", "graph", "gradients", "waits", "checkpoints", "timeline")
HOSTILE = "<img src=x onerror=window.hacked=1>"
NAMELESS = """[...document.querySelectorAll("button, a, input, select, [role=button], [role=img], [tabindex='0']")].filter((e) =>
  e.checkVisibility() && !(e.getAttribute("aria-label") || e.textContent.trim() || e.title || e.labels?.length || e.closest("label"))).map((e) => e.outerHTML.slice(0, 200))"""


class Served:
    """A command that prints the address of a page."""

    def __init__(self, *command, **environment):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "TERM": "dumb", **environment})
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            found = re.search(r"Dashboard: (http://\S+)", line)
            if found:
                self.url = found.group(1)
                self.base = self.url.split("/#")[0]
                return
        raise AssertionError(f"{command} served no page: {''.join(lines)}")

    def ask(self, path):
        with urllib.request.urlopen(f"{self.base}/api/{path}", timeout=30) as answer:
            return json.load(answer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()


def write_run(folder):
    """A run beside the training: curves of another colour, histograms, a graph of 50,000 nodes, and a hostile name."""
    os.makedirs(folder)
    chance = random.Random(7)
    with open(os.path.join(folder, "events.out.tfevents.0000000001.test"), "wb") as file:
        file.write(events.version())
        layers, nodes, before = 50, [], None
        for layer in range(layers):
            for block in range(20):
                for op in range(50):
                    name = f"layer_{layer}/block_{block}/op_{op}"
                    nodes.append(events.node(name, "MatMul" if op % 5 == 0 else "Add", [before] if before else [], f"/job:ps/task:{layer % 3}"))
                    before = name
        file.write(events.graph(nodes))
        for step in range(0, 6000, 100):
            file.write(events.scalar(step, "loss", 2.3 * 0.9992**step + chance.uniform(0, 0.2)))
            file.write(events.scalar(step, HOSTILE, 1.0))
        for step in range(0, 3000, 300):
            limits = [i / 10 for i in range(-20, 21)]
            spread = 0.3 + step / 3000
            file.write(events.histogram(step, "hidden/weights", limits, [1000 * 2.718 ** (-((x / spread) ** 2)) for x in limits]))


class Check:
    def __init__(self, browser, served, shots):
        self.browser, self.served, self.shots = browser, served, shots

    def shot(self, page, name):
        if self.shots:
            time.sleep(0.4)
            page.shot(os.path.join(self.shots, f"{name}.png"))

    def go(self, page, view):
        page.run(f"location.hash = '#/{view}'")
        page.until(f"document.querySelector('nav a[aria-current]').dataset.view === '{view}'")

    def views(self, page):
        """Every view has what it is for."""
        page.until("document.querySelectorAll('.picture .task.up').length === 3", "three tasks that are up")
        page.until("document.querySelectorAll('.picture .flow:not(.hidden)').length >= 2", "traffic that moves")
        page.until("document.querySelectorAll('section[aria-label], .panel tbody tr').length >= 3")
        page.until("parseFloat(document.querySelectorAll('.stat .value')[1].textContent) > 0", "steps a second")
        self.shot(page, "cluster")
        page.click(".picture .task")
        page.until("document.querySelector('.drawer dd') && document.querySelectorAll('.drawer tbody tr').length > 0", "a task's variables")
        page.until("document.querySelector('.drawer').innerText.includes('Drain')", "steering for whoever has the key")
        self.shot(page, "task")
        page.key("Escape")
        page.until("!document.querySelector('.drawer')")

        self.go(page, "scalars")
        path = "[...document.querySelectorAll('.card')].find((c) => c.tag === 'loss')?.querySelectorAll('.line')"
        page.until(f"{path}?.length === 2", "the loss of two runs", 60)
        before = page.run(f"{path}[0].getAttribute('d')")
        page.run("(() => { const e = document.querySelector('input[type=range]'); e.value = 0; e.dispatchEvent(new Event('input')); })()")
        page.until(f"{path}[0].getAttribute('d') !== {json.dumps(before)}", "a curve without smoothing")
        page.run("document.querySelector('input[type=checkbox]').click()")
        page.until("document.querySelector('.card .tick')")
        page.run("(() => { const e = document.querySelector('input[type=range]'); e.value = 0.6; e.dispatchEvent(new Event('input')); })(); document.querySelector('input[type=checkbox]').click()")
        page.run("[...document.querySelectorAll('.card')].find((c) => c.tag === 'loss').querySelector('svg').focus()")
        page.key("ArrowLeft")
        page.until("document.querySelector('.tip:not(.hidden)')?.innerText.includes('Step')", "what the curve is under the cross")
        self.shot(page, "scalars")
        assert page.run(f"[...document.querySelectorAll('.card')].some((c) => c.innerText.includes({json.dumps(HOSTILE)}))"), "a name is shown as it is"
        assert page.run("window.hacked === undefined && !document.querySelector('main img')"), "a name was read as markup"

        self.go(page, "histograms")
        page.until("document.querySelectorAll('.ridge').length >= 5", "histograms")
        self.shot(page, "histograms")
        self.graph(page)
        self.go(page, "gradients")
        page.until("document.querySelectorAll('.bars .worker').length === 2 && document.querySelector('.bars').innerText.includes('added')", "gradients of two workers")
        self.shot(page, "gradients")
        self.go(page, "checkpoints")
        page.until("document.querySelectorAll('.split section:last-child tbody tr').length > 3", "variables of a checkpoint")
        self.shot(page, "checkpoints")
        self.go(page, "timeline")
        page.key("r")
        page.until("document.querySelector('.lanes canvas') && document.querySelectorAll('tbody tr').length > 3", "a timeline")
        self.shot(page, "timeline")
        self.waits(page)

    def graph(self, page):
        self.go(page, "graph")
        page.until("document.querySelectorAll('.graph .item').length > 3", "a graph")
        self.shot(page, "graph")
        begin = time.monotonic()
        page.run("(() => { const e = document.querySelector('select'); e.value = 'run:large'; e.dispatchEvent(new Event('change')); })()")
        page.until("document.querySelector('main').innerText.includes('50,000 nodes')", "the graph of 50,000 nodes")
        page.until("document.querySelectorAll('.graph .item').length === 50")
        print(f"  a graph of 50,000 nodes was read, folded and drawn in {time.monotonic() - begin:.2f} s")
        begin = time.monotonic()
        page.run("document.querySelector('.graph .item').dispatchEvent(new MouseEvent('click'))")
        page.until("document.querySelectorAll('.graph .item').length === 70", "what lies in a scope")
        print(f"  a scope of it opened in {time.monotonic() - begin:.2f} s")
        page.run("(() => { const e = document.querySelector('.search input'); e.value = 'layer_7/block_3/op_9'; e.dispatchEvent(new Event('input')); })()")
        page.until("document.querySelector('.search li button')?.textContent.includes('layer_7')")
        page.run("document.querySelector('.search li button').click()")
        page.until("document.querySelector('.info:not(.hidden)')?.innerText.includes('layer_7/block_3/op_8')", "a node and what it takes")
        self.shot(page, "graph-large")

    def waits(self, page):
        """A worker that stands still is named."""
        self.go(page, "waits")
        page.until("document.querySelector('main').innerText.includes('Nothing waits') || document.querySelector('.chain')", "steps that wait, or none")
        pid = self.served.ask("task?name=worker:1")["pid"]
        os.kill(pid, signal.SIGSTOP)
        try:
            page.until("document.querySelector('.chain .culprit') && document.querySelector('.note.bad')?.innerText.includes('/job:worker/task:1')", "who is waited for")
            self.shot(page, "waits")
        finally:
            os.kill(pid, signal.SIGCONT)

    def keyboard(self, page):
        page.run("document.activeElement.blur()")
        page.key("?")
        page.until("document.querySelector('[role=dialog]')?.innerText.includes('Keyboard')", "the help")
        self.shot(page, "help")
        page.key("Escape")
        page.until("!document.querySelector('[role=dialog]')")
        for number, view in enumerate(VIEWS, 1):
            page.key(str(number))
            page.until(f"document.querySelector('nav a[aria-current]').dataset.view === '{view}'")
        theme = page.run("document.documentElement.dataset.theme")
        page.key("t")
        page.until(f"document.documentElement.dataset.theme !== '{theme}'", "the other colours")
        page.key("t")
        page.run("localStorage.clear()")

    def everywhere(self, page, width, suffix):
        """Nothing is wider than the page, and everything that can be used has a name."""
        for view in VIEWS:
            self.go(page, view)
            page.until("document.querySelector('main').children.length > 0 && !document.querySelector('main .ghost') || location.hash.includes('timeline')")
            wide = page.run("document.documentElement.scrollWidth")
            assert wide <= width, f"{view} is {wide} px wide on a page of {width}"
            nameless = page.run(NAMELESS)
            assert not nameless, f"{view}: no name on {nameless}"
            self.shot(page, f"{view}-{suffix}")


def refused(url, status, **more):
    request = urllib.request.Request(url, **more)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            raise AssertionError(f"{url} answered {answer.status}")
    except urllib.error.HTTPError as error:
        assert error.code == status, f"{url} answered {error.code}, not {status}"
        return json.load(error)["error"]


def main(binary, shots):
    path = chromium.find()
    if path is None:
        print("skipped: there is no Chromium here, and it cannot be installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        logdir = os.path.join(folder, "logs")
        write_run(os.path.join(logdir, "large"))
        train = [binary, "train", "--open", "--sync", "--steps=1000000", f"--logdir={logdir}"]
        # No desktop shall open anything.
        with Served(*train, PATH="/nowhere") as served, chromium.Browser(path) as browser:
            check = Check(browser, served, shots)
            page = browser.page(served.url)
            check.views(page)
            check.keyboard(page)
            assert page.complaints() == [], page.complaints()
            assert "key=" not in page.run("location.href"), "the key stays in the address"
            page.close()
            for dark, width in ((True, 1280), (False, 390), (True, 390)):
                page = browser.page(served.url, width, 860 if width > 500 else 844, dark)
                page.until("document.querySelector('.picture .task')")
                assert page.run("document.documentElement.dataset.theme") == ("dark" if dark else "light")
                check.everywhere(page, width, f"{'dark' if dark else 'light'}-{width}")
                assert page.complaints() == [], page.complaints()
                page.close()
            print("every view is there, light and dark, on a wide page and on a phone")
            assert "key" in refused(f"{served.base}/api/drain", 401, method="POST", data=b"{}")
            assert "evil" in refused(f"{served.base}/api/cluster", 403, headers={"Host": "evil.example"})
    many(binary, path, shots)
    foreign(binary)


def foreign(binary):
    """A server of TensorFlow in the cluster is shown as such."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{listener.getsockname()[1]}"
    cluster = json.dumps({"worker": [address]})
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../interop/reference_servers.py")
    server = subprocess.Popen([sys.executable, script, cluster], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if not server.stdout.readline().startswith("serving"):
        print("skipped: this Python has no TensorFlow to be a foreign server")
        return
    try:
        with Served(binary, "dashboard", "--port=0", "--cluster", cluster) as served:
            task = served.ask("cluster")["tasks"][0]
            assert task["state"] == "foreign" and task["answers_as"] == "/job:worker/task:0", task
            assert served.ask("task?name=worker:0")["state"] == "foreign"
            assert served.ask("why") == {"stuck": [], "silent": [], "longer_than": 1.0}
    finally:
        server.stdin.close()
        server.wait()
    print("a server of TensorFlow is shown as one")


def many(binary, path, shots):
    """A cluster of 100 tasks, none of which answers, and no folder."""
    cluster = {"ps": [f"127.0.0.1:{port}" for port in range(1, 21)], "worker": [f"127.0.0.1:{port}" for port in range(21, 101)]}
    with Served(binary, "dashboard", "--port=0", "--cluster", json.dumps(cluster)) as served, chromium.Browser(path) as browser:
        page = browser.page(served.url)
        page.until("document.querySelectorAll('.picture .task.down').length === 100", "100 tasks that are down")
        script = """(async () => {
          const { Picture } = await import("/cluster_picture.js");
          const tasks = Array.from({ length: 100 }, (_, i) => ({ task: `/job:${i < 20 ? "ps" : "worker"}/task:${i < 20 ? i : i - 20}`, job: i < 20 ? "ps" : "worker", index: i < 20 ? i : i - 20, state: "up", steps_per_second: 10, variables: 0 }));
          const edges = tasks.slice(0, 20).flatMap((ps) => tasks.slice(20).map((worker) => ({ from: ps.task, to: worker.task, bytes: 1e6, tensors: 10, bytes_per_second: 1e6 * Math.random(), tensors_per_second: 5 }))).slice(0, 600);
          const place = document.querySelector(".picture");
          const picture = new Picture(() => {});
          place.replaceChildren(picture.svg);
          const begin = performance.now();
          picture.draw({ tasks, edges }, place.clientWidth - 40);
          const first = performance.now() - begin;
          for (let turn = 0; turn < 10; turn++) picture.draw({ tasks, edges }, place.clientWidth - 40);
          return [first, (performance.now() - begin - first) / 10, picture.svg.querySelectorAll(".task").length];
        })()"""
        first, again, count = page.run(script)
        assert count == 100
        print(f"  100 tasks and 600 pairs are drawn in {first:.0f} ms, and brought up to date in {again:.1f} ms")
        if shots:
            page.shot(os.path.join(shots, "cluster-100.png"))
        for view in ("scalars", "histograms", "checkpoints"):
            page.run(f"location.hash = '#/{view}'")
            page.until("document.querySelector('.empty code')?.textContent.includes('dashboard LOGDIR')", "what to do without a folder")
        assert page.complaints() == [], page.complaints()
        page.close()
    with tempfile.TemporaryDirectory() as folder:
        with Served(binary, "dashboard", "--port=0", folder) as served, chromium.Browser(path) as browser:
            page = browser.page(served.url)
            page.until("document.querySelector('main').innerText.includes('No event files yet')", "what to do with an empty folder")
            with open(os.path.join(folder, "events.out.tfevents.1.test"), "wb") as file:
                file.write(events.version() + events.scalar(3, "late", 1.0) + b"damaged in here, for certain")
            page.until("document.querySelector('main').innerText.includes('damaged')", "a damaged file, by name")
            page.until("document.querySelector('.card h3')?.innerText.includes('late')", "what was read before the damage")
            page.close()
    print("100 tasks, an empty folder and a damaged file are shown as what they are")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[3] if sys.argv[2:3] == ["--shots"] else None)
