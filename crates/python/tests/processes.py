"""Programs as processes of their own in which `import tensorflow` finds the package; whoever starts them stops them."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path


def addresses(count: int) -> list[str]:
    """Addresses on this machine that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]
    finally:
        for one in sockets:
            one.close()


class Program:
    """A running program, whose output goes to a file."""

    def __init__(self, name: str, process: subprocess.Popen, log: Path) -> None:
        self.name, self.process, self.log = name, process, log

    def output(self) -> str:
        """What it has printed so far."""
        return self.log.read_text(errors="replace")

    def finish(self, seconds: float) -> str:
        """Waits for its good end and returns what it printed."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} did not end within {seconds} s:\n{self.output()[-4000:]}") from None
        if code != 0:
            raise AssertionError(f"{self.name} ended with {code}:\n{self.output()[-4000:]}")
        return self.output()


class Folder:
    """A temporary folder with programs in it; at the end of a `with` block all are stopped and the folder is removed."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="tensorfleet-"))
        self.programs: list[Program] = []

    def __enter__(self) -> "Folder":
        return self

    def start(self, name: str, program: str, *arguments: str, alias: bool = True) -> Program:
        """Starts a program with arguments."""
        script, log = self.path / f"{name}.py", self.path / f"{name}.log"
        script.write_text(program, encoding="utf-8")
        command = [sys.executable, *(["-m", "tensorfleet"] if alias else []), str(script), *arguments]
        environment = dict(os.environ, PYTHONUNBUFFERED="1", PYTHONDONTWRITEBYTECODE="1")
        with log.open("wb") as output:
            process = subprocess.Popen(command, cwd=self.path, env=environment, stdout=output, stderr=subprocess.STDOUT)
        started = Program(name, process, log)
        self.programs.append(started)
        return started

    def __exit__(self, *_: object) -> None:
        for program in self.programs:
            if program.process.poll() is None:
                program.process.kill()
            program.process.wait()
        shutil.rmtree(self.path, ignore_errors=True)
