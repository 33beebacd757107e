"""What the tests of Slurm, MPI and ssh share: programs of Debian's, the commands of a page, and processes that end with the test."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Nothing here takes so long, even on a busy machine.
LIMIT = 120
failures = []


def check(what, got, expected):
    if got != expected:
        failures.append(f"{what}:\n  got      {str(got)[-1500:]}\n  expected {str(expected)[:500]}")


def finish(what):
    if failures:
        print("\n".join(failures))
        sys.exit(1)
    print(what)


def needs(programs, packages):
    """Sees to it that programs are there, installed if they are not and that is possible here; else ends the test with the reason."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = lambda: [program for program in programs if shutil.which(program) is None]  # noqa: E731
    why = ""
    if missing() and (not shutil.which("apt-get") or os.geteuid() != 0):
        why = "and only root can install packages, with apt-get"
    elif missing():
        # No service of theirs is started: the tests start their own.
        quiet = {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
        for command in (["install", "-y", "--no-install-recommends", *packages], ["update"], ["install", "-y", "--no-install-recommends", *packages]):
            if not missing():
                break
            try:
                done = subprocess.run(["apt-get", "-q", *command], env=os.environ | quiet, capture_output=True, text=True, timeout=150)
                why = f"and apt-get {command[0]} said: {(done.stderr or done.stdout).strip()[-300:]}"
            except subprocess.TimeoutExpired:
                why = f"and apt-get {command[0]} took too long"
    if missing():
        print(f"SKIPPED: {', '.join(missing())} not found, {why}")
        sys.exit(0)


def free_ports(count, together=False):
    """Ports that nobody listens on: any, or a row of them below those that the system gives to clients."""
    if not together:
        listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
        ports = [listener.getsockname()[1] for listener in listeners]
        for listener in listeners:
            listener.close()
        return ports
    for base in range(20_000 + os.getpid() % 1000 * 10, 32_000, 10):
        try:
            for port in range(base, base + count):
                for host in ("127.0.0.1", "127.0.0.2", "127.0.0.3"):
                    socket.create_server((host, port)).close()
            return list(range(base, base + count))
        except OSError:
            continue
    raise SystemExit("there are no free ports")


def wait_for(what, is_so, log=lambda: ""):
    deadline = time.monotonic() + LIMIT
    while not is_so():
        if time.monotonic() > deadline:
            raise RuntimeError(f"{what} does not come: {log()[-2000:]}")
        time.sleep(0.05)


def processes(word):
    """The processes whose command line has this word."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and int(entry.name) != os.getpid() and word in (entry / "cmdline").read_bytes().decode(errors="replace"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


class Process:
    """A process in the background, with what it says; it ends with the block."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True, **options)
        self.text = ""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.text += line

    def stop(self):
        """Tells it to stop, and all that it has started if it does not; its exit code."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            code = self.process.wait()
        self.reader.join(5)
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def page(name, section):
    """The blocks of a section of a page, or of what stands before the first, that a shell shall run."""
    text = (ROOT / "docs" / name).read_text()
    text = (text.split(f"\n## {section}\n")[1] if section else text).split("\n## ")[0]
    return [block.split("```")[0] for block in text.split("```sh\n")[1:]]


def run_block(block, folder, environment, patience=LIMIT):
    """Runs a block in a folder. A script is written to the file that its second line names. A line that ends in `&` is left in the
    background; returns those processes."""
    lines = block.replace("\\\n", " ").splitlines()
    if lines[0].startswith("#!"):
        (folder / lines[1].strip("# ")).write_text(block)
        return []
    left = []
    for line in lines:
        if line.endswith("&"):
            left.append(Process(["bash", "-c", "exec " + line.rstrip("& ")], cwd=folder, env=environment))
            continue
        done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=patience)
        check(f"exit code of {line}\n{done.stdout[-1500:]}{done.stderr[-1500:]}", done.returncode, 0)
    return left
