"""Our Python beside TensorFlow's Python: the same programs, interleaved; medians of three.

usage: compare.py PYTHON_WITH_OUR_PACKAGE PATH_OF_THE_WHEEL
"""

import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import processor  # noqa: E402

ROUNDS = 3
WORK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "work.py")


def command(python, *arguments):
    """The command of a program under TensorFlow, or under ours if a Python is given."""
    return [*([python, "-m", "tensorfleet"] if python else [sys.executable]), WORK, *arguments]


def number(python, *arguments):
    return float(subprocess.run(command(python, *arguments), check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1])


def distributed(python, workers, mode):
    """Global steps a second of one ps and some workers, each a process that serves and trains."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(workers + 1)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        ports = [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]
    spec = json.dumps({"ps": ports[:1], "worker": ports[1:]})
    processes = []
    try:
        for job, task in [("ps", 0)] + [("worker", task) for task in range(workers)]:
            pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            processes.append(subprocess.Popen(command(python, job, spec, str(task), mode), **pipes))
        for process in processes:
            assert process.stdout.readline().strip() == "serving"
        for process in processes[1:]:
            assert process.stdout.readline().strip() == "ready"
        for process in processes[1:]:
            process.stdin.write("\n")
            process.stdin.flush()
        return float(processes[1].stdout.readline())
    finally:
        for process in processes:
            process.kill()
            process.wait()


def size(folder_of):
    """Megabytes of an installed package and what it needs."""
    total = 0
    for folder, _, files in os.walk(folder_of):
        total += sum(os.path.getsize(os.path.join(folder, file)) for file in files if not os.path.islink(os.path.join(folder, file)))
    return total / 1e6


def main(ours, wheel):
    works = [
        ("import: s", lambda python: number(python, "import"), True),
        ("empty steps/s on a server in the process", lambda python: number(python, "empty"), False),
        ("numpy copies 100 MB twice: MB/s", lambda python: number(python, "copy"), False),
        ("feed and fetch 100 MB: MB/s", lambda python: number(python, "feed_fetch"), False),
        ("MLP local: steps/s", lambda python: number(python, "mlp"), False),
        ("MLP, 1 ps + 1 worker: global steps/s", lambda python: distributed(python, 1, "async"), False),
        ("MLP, 1 ps + 2 workers, async", lambda python: distributed(python, 2, "async"), False),
        ("MLP, 1 ps + 2 workers, sync", lambda python: distributed(python, 2, "sync"), False),
    ]
    print(f"{processor()}; our Python beside TensorFlow's, medians of {ROUNDS}")
    print(f"{'work':45}{'TensorFlow':>12}{'tensorfleet':>13}{'ratio':>8}")
    for name, measure, less_is_better in works:
        results = [[], []]
        for _ in range(ROUNDS):
            for result, python in zip(results, (None, ours)):
                result.append(measure(python))
        theirs, own = (statistics.median(result) for result in results)
        ratio = theirs / own if less_is_better else own / theirs
        print(f"{name:45}{theirs:>12,.2f}{own:>13,.2f}{ratio:>8.1f}", flush=True)
    installed = os.path.dirname(os.path.dirname(subprocess.check_output(
        [sys.executable, "-c", "import importlib.util as u; print(u.find_spec('tensorflow').origin)"], text=True).strip()))
    print(f"{'on disk with what it needs (ours: the wheel): MB':45}{size(installed):>12,.0f}{os.path.getsize(wheel) / 1e6:>13,.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
