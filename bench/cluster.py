"""Work on clusters of real processes: TensorFlow's servers and ours, interleaved; medians of five.

usage: cluster.py PATH_OF_TENSORFLEET PATH_OF_TENSORFLEET_BENCH [WORK ...]
"""

import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from common import ROUNDS, interleaved, number, processor, rate, tf, v1

MEGABYTES = 100
# TensorFlow's client waits for ever when it closes a session whose server is gone, so none is dropped.
KEPT = []
THEIR_SERVER = """
import json, sys, tensorflow as tf
server = tf.distribute.Server(json.loads(sys.argv[1]), job_name=sys.argv[2], task_index=int(sys.argv[3]))
print("serving", flush=True)
server.join()
"""


def free_addresses(jobs):
    with contextlib.ExitStack() as held:

        def address():
            listener = held.enter_context(socket.socket())
            listener.bind(("127.0.0.1", 0))
            return f"127.0.0.1:{listener.getsockname()[1]}"

        return {job: [address() for _ in range(count)] for job, count in jobs.items()}


class Log:
    """What a process writes to its standard error: kept out of the figures, and shown when something fails."""

    def __init__(self, name):
        self.name, self.file = name, tempfile.TemporaryFile("w+", errors="replace")

    def failed(self, what):
        self.file.seek(0)
        last = "".join("\n  " + line.rstrip() for line in self.file.readlines()[-10:])
        return RuntimeError(f"{self.name} {what}" + (f"; the end of its log:{last}" if last else ""))


class Cluster:
    """Servers in processes of their own, and how long the slowest took from its command to serving."""

    def __init__(self, command, spec=None, jobs=None, **counts):
        self.spec = spec or free_addresses(counts)
        begin = time.perf_counter()
        self.processes, logs = {}, {}
        for job, addresses in (jobs or self.spec).items():
            for task in range(len(addresses)):
                arguments, log = command(json.dumps(self.spec), job, str(task)), Log(f"the server of {job} {task}")
                process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=log.file, text=True)
                self.processes[job, task], logs[job, task] = process, log
        for task, process in self.processes.items():
            if not process.stdout.readline():
                raise logs[task].failed("did not start")
        self.start_up = time.perf_counter() - begin

    def target(self):
        return "grpc://" + self.spec.get("worker", self.spec["ps"])[0]

    def resident_megabytes(self, job, task):
        with open(f"/proc/{self.processes[job, task].pid}/status") as status:
            line = next(line for line in status if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            process.kill()
            process.wait()


def theirs(**jobs):
    return Cluster(lambda spec, job, task: [sys.executable, "-c", THEIR_SERVER, spec, job, task], **jobs)


def ours(binary, *flags, **jobs):
    def command(spec, job, task):
        return [binary, "serve", "--cluster", spec, "--job_name", job, "--task_index", task, *flags]

    return Cluster(command, **jobs)


def empty_step():
    node = tf.no_op()
    return None, node


def pull():
    with tf.device("/job:ps/task:0"):
        v = v1.Variable(1.0, name="pulled")
    with tf.device("/job:worker/task:0"):
        return v.initializer, tf.identity(v)


def numbers(count):
    """Numbers that differ: one that is repeated would travel as one."""
    return v1.random_uniform([count], seed=1)


def push(pieces):
    def build():
        elements = MEGABYTES * 1_000_000 // 4 // pieces
        init, add = [], []
        for piece in range(pieces):
            # Variables are shared by name with all other sessions.
            name = f"of_{pieces}_{piece}"
            with tf.device("/job:worker/task:0"):
                source = v1.Variable(numbers(elements), name="source_" + name, use_resource=False)
            with tf.device("/job:ps/task:0"):
                sink = v1.Variable(numbers(elements), name="sink_" + name, use_resource=False)
                init += [source.initializer, sink.initializer]
                add.append(v1.assign_add(sink, source).op)
        return tf.group(*init), tf.group(*add)

    return build


def read():
    with tf.device("/job:ps/task:0"):
        v = v1.Variable(numbers(MEGABYTES * 1_000_000 // 4), name="read", use_resource=False)
    with tf.device("/job:worker/task:0"):
        return v.initializer, tf.identity(v).op


def embedding():
    """Lookups of 4,096 rows in a table of 1 GB, half of it on each ps, with sparse Adagrad."""
    rows, width, batch = 2_000_000, 128, 4096
    parts = []
    for part in range(2):
        with tf.device(f"/job:ps/task:{part}"):
            # With a shape that is not written into the graph, the slots are filled where they are, by both.
            zeros = tf.zeros([rows // 2, width])
            parts.append(v1.Variable(zeros, name=f"embedding_{part}", validate_shape=False, use_resource=False))
    with tf.device("/job:worker/task:0"):
        # Anew in each step, as words of a text are: few of them often.
        skewed = tf.square(v1.random_uniform([batch], seed=1)) * rows
        ids = tf.minimum(tf.cast(skewed, tf.int64), rows - 1)
        found = v1.nn.embedding_lookup(parts, ids)
        loss = tf.reduce_mean(tf.square(found - 1.0))
        train = v1.train.AdagradOptimizer(0.1).minimize(loss)
    return v1.global_variables_initializer(), train


def mlp():
    """784-100-10 with Adam, batch 100, of numbers that are made anew in each step."""
    weights = []
    with tf.device("/job:ps/task:0"):
        for number, shape in enumerate(([784, 100], [100], [100, 10], [10])):
            weights.append(v1.Variable(tf.random.stateless_normal(shape, [number, 1]) * 0.05, name=f"mlp_{number}", use_resource=False))
    with tf.device("/job:worker/task:0"):
        x, y = v1.random_uniform([100, 784], seed=1), v1.random_uniform([100], maxval=10, dtype=tf.int32, seed=2)
        hidden = tf.nn.relu(tf.matmul(x, weights[0]) + weights[1])
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=tf.matmul(hidden, weights[2]) + weights[3]))
        train = v1.train.AdamOptimizer(0.001).minimize(loss)
    return v1.global_variables_initializer(), train


# Name: what builds the graph, unit, from steps a second to the unit, whether more is better.
WORK = {
    "empty_step": (empty_step, "empty steps/s", lambda rate: rate, True),
    "pull": (pull, "ms to pull 4 bytes", lambda rate: 1000 / rate, False),
    "read_1": (read, "MB/s read, 1 tensor", lambda rate: rate * MEGABYTES, True),
    "push_1": (push(1), "MB/s pushed, 1 tensor", lambda rate: rate * MEGABYTES, True),
    "push_32": (push(32), "MB/s pushed, 32 tensors", lambda rate: rate * MEGABYTES, True),
}


def client(build, target):
    """TensorFlow's client on some servers; gives steps a second whenever asked."""
    graph = tf.Graph()
    with graph.as_default():
        config = v1.ConfigProto()
        # Constants that are moved or folded would not be sent.
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        init, node = build()
        session = v1.Session(target, config=config)
        KEPT.append(session)
        if init is not None:
            session.run(init)
        run = session.make_callable(node)
    return lambda: rate(run)


def on_two_ps(binary, bench):
    """The table of an embedding is shared by two ps."""
    with theirs(ps=2, worker=1) as their, ours(binary, ps=2, worker=1) as our, tempfile.TemporaryDirectory() as folder:
        with tf.Graph().as_default():
            init, step = embedding()
            file = os.path.join(folder, "embedding.meta")
            v1.train.export_meta_graph(file)
        on_theirs, on_ours = client(embedding, their.target()), client(embedding, our.target())
        with_our_client = lambda: number([bench, "program", file, init.name, step.name, our.target()])
        line("embedding steps/s, 2 ps", *interleaved(on_theirs, on_ours, with_our_client), True)


def line(unit, their, with_their_client, with_our_client, more_is_better):
    ratio = (lambda our: our / their) if more_is_better else (lambda our: their / our)
    shown = [f"{their:>12.1f}"]
    for our in (with_their_client, with_our_client):
        shown.append(f"{our:>12.1f}{ratio(our):>7.2f}" if our is not None else f"{'':>19}")
    print(f"{unit:<26}{''.join(shown)}", flush=True)


HERE = os.path.dirname(os.path.abspath(__file__))


def all_reduce(binary, bench):
    """The same MLP on two workers without a ps, beside TensorFlow's synchronous replicas and PyTorch."""
    spec_of = lambda: free_addresses({"ps": 1, "worker": 2})

    def their_sync():
        command = lambda cluster, task: [sys.executable, os.path.join(HERE, "replica.py"), json.dumps(cluster.spec), str(task), "sync"]
        return steps(theirs, spec_of(), command, 2)

    def ours_without_ps():
        spec = spec_of()
        command = lambda _, task: [bench, "replica", "", ",".join(spec["worker"]), str(task), "all_reduce"]
        return steps(lambda **more: ours(binary, **more), spec, command, 2)

    pytorch = os.environ.get("TENSORFLEET_PYTORCH")

    def ddp():
        spec = spec_of()
        port = spec["worker"][0].rpartition(":")[2]
        command = lambda _, task: [pytorch, os.path.join(HERE, "ddp.py"), str(task), "2", port]
        return steps(lambda **more: ours(binary, **more), spec, command, 2)

    measures = [their_sync, ours_without_ps] + ([ddp] if pytorch else [])
    their, our, *torch = interleaved(*measures)
    shown = f"; PyTorch {torch[0]:.1f}, {our / torch[0]:.2f}" if torch else "; PyTorch not measured"
    print(f"{'MLP steps/s, 2 all-reduce':<26}{their:>12.1f}{'':>19}{our:>12.1f}{our / their:>7.2f}{shown}", flush=True)


def replicas(binary, bench):
    """The documents' MNIST MLP with Adam, batch 100, one ps: global steps a second, in steady state."""

    def python(cluster, task, mode, *target):
        return [sys.executable, os.path.join(HERE, "replica.py"), json.dumps(cluster.spec), str(task), mode, *target]

    def with_their_servers(workers, mode):
        # The workers' servers are in the workers, as in the documents.
        spec = free_addresses({"ps": 1, "worker": workers})
        return steps(theirs, spec, lambda cluster, task: python(cluster, task, mode), workers)

    def with_our_servers(workers, mode):
        spec = free_addresses({"ps": 1, "worker": workers})
        start = lambda *jobs, **more: ours(binary, *jobs, **more)
        return steps(start, spec, lambda cluster, task: python(cluster, task, mode, "grpc://" + spec["worker"][task]), workers, True)

    def with_our_client(workers, mode):
        spec = free_addresses({"ps": 1, "worker": workers})
        hosts = [",".join(spec["ps"]), ",".join(spec["worker"])]
        start = lambda *jobs, **more: ours(binary, *jobs, **more)
        return steps(start, spec, lambda cluster, task: [bench, "replica", *hosts, str(task), mode], workers)

    for workers, mode in ((1, "async"), (2, "async"), (2, "sync")):
        measures = [lambda measure=measure: measure(workers, mode) for measure in (with_their_servers, with_our_servers, with_our_client)]
        line(f"MLP steps/s, {workers} {mode}", *interleaved(*measures), True)


def tls(binary, bench):
    """What encryption costs: our tasks over the network, with certificates and without."""
    spec = free_addresses({"ps": 1, "worker": 1})
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([binary, "certs", "new", "--cluster", json.dumps(spec), "--out", folder], check=True, stdout=subprocess.DEVNULL)
        key = lambda kind, name: os.path.join(folder, name + kind)

        def command(spec, job, task):
            own = f"{job}-{task}"
            keys = ["--tls_cert", key(".pem", own), "--tls_key", key(".key", own), "--tls_ca", key(".pem", "ca")]
            return [binary, "serve", "--transport=tcp", "--cluster", spec, "--job_name", job, "--task_index", task, *keys]

        mine = {**os.environ, "TENSORFLEET_TLS_CERT": key(".pem", "client"), "TENSORFLEET_TLS_KEY": key(".key", "client")}
        mine["TENSORFLEET_TLS_CA"] = key(".pem", "ca")
        with Cluster(command, spec=spec) as secure, ours(binary, "--transport=tcp", ps=1, worker=1) as plain:
            with tf.Graph().as_default():
                init, step = mlp()
                file = os.path.join(folder, "mlp.meta")
                v1.train.export_meta_graph(file)
            works = [(WORK[name][1], WORK[name][2], lambda target, name=name: [bench, "remote_" + name, target]) for name in ("push_1", "read_1")]
            works.append(("MLP steps/s", lambda rate: rate, lambda target: [bench, "program", file, init.name, step.name, target]))
            for unit, convert, command in works:
                without = lambda: convert(number(command(plain.target())))
                with_tls = lambda: convert(number(command(secure.target()), mine))
                plainly, securely = interleaved(without, with_tls)
                print(f"{unit + ', TLS':<26}{plainly:>12.1f}{securely:>12.1f}{securely / plainly:>7.2f} of what it is without", flush=True)


# What a page that is open asks for, and what Prometheus does, of a server that serves both.
LOOKER = """
import sys, time, urllib.request
page, metrics = sys.argv[1:]
for turn in range(10**9):
    for url in [page + "/api/cluster", page + "/api/why"] + [metrics] * (turn % 3 == 0):
        urllib.request.urlopen(url).read()
    time.sleep(2)
"""


@contextlib.contextmanager
def watched(binary, **more):
    """Servers with metrics and a page that is open, and a terminal in which `status --watch` runs."""
    with ours(binary, "--metrics_port=0", "--dashboard_port=0", **more) as cluster:
        lines = cluster.processes["ps", 0].stdout
        metrics, page = (lines.readline().split(": ")[1].split("/#")[0].strip() for _ in range(2))
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        watchers = [
            subprocess.Popen([binary, "status", "--watch", "--cluster", json.dumps(cluster.spec)], **quiet),
            subprocess.Popen([sys.executable, "-c", LOOKER, page, metrics], **quiet),
        ]
        try:
            yield cluster
            if any(watcher.poll() is not None for watcher in watchers):
                raise RuntimeError("somebody stopped watching before the end")
        finally:
            for watcher in watchers:
                watcher.kill()
                watcher.wait()


def watching(binary, bench):
    """What it costs to be watched: the documents' MNIST MLP as in `replicas`, with and without."""

    def rate(start):
        spec = free_addresses({"ps": 1, "worker": 2})
        hosts = [",".join(spec["ps"]), ",".join(spec["worker"])]
        return steps(start, spec, lambda _, task: [bench, "replica", *hosts, str(task), "async"], 2)

    alone, seen = interleaved(lambda: rate(lambda **more: ours(binary, **more)), lambda: rate(lambda **more: watched(binary, **more)))
    print(f"{'MLP steps/s, watched':<26}{seen:>12.1f}, without {alone:.1f}: {seen / alone:.3f} of it", flush=True)


def steps(start, spec, command, workers, servers_of_workers=False):
    """Starts servers and workers, and asks the chief for its rate."""
    jobs = spec if servers_of_workers else {"ps": spec["ps"]}
    with start(spec=spec, jobs=jobs) as cluster:
        processes, logs = [], []
        try:
            for task in range(workers):
                pipe = subprocess.PIPE
                arguments = command(cluster, task)
                logs.append(Log(f"worker {task}"))
                processes.append(subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=logs[-1].file, text=True))
            for process, log in zip(processes, logs):
                if process.stdout.readline() != "ready\n":
                    raise log.failed("did not get ready")
            for process in processes:
                process.stdin.write("go\n")
                process.stdin.flush()
            figure = processes[0].stdout.readline()
            if not figure:
                raise logs[0].failed("ended without a figure")
            return float(figure)
        finally:
            for process in processes:
                process.kill()
                process.wait()


def main(binary, bench, names):
    print(processor())
    print(f"{'':<26}{'TensorFlow':>12}{'ours, TF client':>19}{'ours, our client':>19}   medians of {ROUNDS}; ratio > 1: we are faster")
    with theirs(ps=1, worker=1) as their, ours(binary, ps=1, worker=1) as our:
        for name in (name for name in names or WORK if name in WORK):
            build, unit, convert, more_is_better = WORK[name]
            on_theirs, on_ours = client(build, their.target()), client(build, our.target())
            with_our_client = lambda: number([bench, "remote_" + name, our.target()])
            line(unit, *map(convert, interleaved(on_theirs, on_ours, with_our_client)), more_is_better)
    if not names or "embedding" in names:
        on_two_ps(binary, bench)
    if not names or "replica" in names:
        replicas(binary, bench)
    if not names or "all_reduce" in names:
        all_reduce(binary, bench)
    if not names or "tls" in names:
        tls(binary, bench)
    if not names or "watching" in names:
        watching(binary, bench)
    memory, start_up = [[], []], [[], []]
    for _ in range(ROUNDS):
        for index, start in enumerate((lambda: theirs(ps=1), lambda: ours(binary, ps=1))):
            with start() as cluster:
                start_up[index].append(cluster.start_up)
                memory[index].append(cluster.resident_megabytes("ps", 0))
    medians = [[statistics.median(values) for values in pair] for pair in (start_up, memory)]
    print(f"{'s from command to serving':<26}{medians[0][0]:>12.2f}{medians[0][1]:>12.2f}{medians[0][0] / medians[0][1]:>7.1f}")
    print(f"{'MB of an idle ps':<26}{medians[1][0]:>12.1f}{medians[1][1]:>12.1f}{medians[1][0] / medians[1][1]:>7.1f}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
    os._exit(0)
