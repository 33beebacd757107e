"""What all benchmarks share: how TensorFlow is set up, how a rate is taken, and graphs that both sides run."""

import os
import platform
import statistics
import subprocess
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ["no_proxy"] = "*"

import tensorflow as tf  # noqa: E402

v1 = tf.compat.v1
v1.disable_v2_behavior()
v1.disable_control_flow_v2()
ROUNDS = int(os.environ.get("ROUNDS", "5"))


def rate(step):
    """Steps a second: a few to warm up, then as many as fit in about a second."""
    for _ in range(3):
        step()
    begin, steps = time.perf_counter(), 0
    while time.perf_counter() - begin < 1.0 or steps < 10:
        step()
        steps += 1
    return steps / (time.perf_counter() - begin)


def number(command, environment=None):
    """The number that a program prints."""
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout)


def plain():
    """No rewriting by TensorFlow, where it would remove the work that is to be measured."""
    config = v1.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    return config


class Program:
    """A graph that both sides run, `init` once and then `step`; `unit` makes the number to show of steps a second."""

    def __init__(self, init, step, unit=lambda rate: rate, config=None):
        self.init, self.step, self.unit = init.name, step.name, unit
        # What TensorFlow runs as it is written, ours does too.
        self.mode = ["plain"] if config is not None else []
        self.session = v1.Session(config=config)
        self.session.run(init)
        self.run = self.session.make_callable(step)
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "program.meta")
        v1.train.export_meta_graph(self.file)

    def __call__(self):
        return self.unit(rate(self.run))

    def ours(self, binary):
        return self.unit(number([binary, "program", self.file, self.init, self.step, *self.mode]))


def interleaved(*measures):
    """The medians of several measurements that take turns."""
    results = [[] for _ in measures]
    for _ in range(ROUNDS):
        for result, measure in zip(results, measures):
            result.append(measure())
    return [statistics.median(result) for result in results]


def processor():
    """The processor, its cores, and the widest instructions that both sides may use."""
    name, flags = platform.machine(), ""
    with open("/proc/cpuinfo") as lines:
        for line in lines:
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                name = value.strip()
            elif key.strip() == "flags":
                flags = value.split()
    widest = next((isa for isa in ("avx512f", "avx2", "avx") if isa in flags), "no AVX")
    cap = os.environ.get("TENSORFLEET_MAX_ISA")
    return f"{name}, {os.cpu_count()} cores, {widest}" + (f", capped at {cap}" if cap else "")
