"""Damaged graphs sent to a server process, call by call: whatever they say, it answers, and lives.

  mutations.py BINARY
Environment: SECONDS (how long, 20), SEED (of the first graph, 1), GRAPHS (stop after, no limit). A server that died is
reported with the seeds of the last graphs: GRAPHS=1 SEED=n makes one again.
"""

import os
import re
import subprocess
import sys
import tempfile
import time

import grpc
import numpy as np

from server import start, tf
from tensorflow.core.framework import attr_value_pb2, graph_pb2
from tensorflow.core.protobuf import config_pb2

import random_graphs

v1 = tf.compat.v1
ABSURD = [0, 1, -1, 2, 3, 1 << 31, 1 << 40, (1 << 63) - 1, -(1 << 63), -2]
# They write files, or say something at every step.
LEFT_OUT = re.compile("Save|WriteFile|MergeV2|Print|Summary|Delete|Copy|Dump|Rename|Move")
MS = 150


def loops():
    """Loops, conditions, arrays and stacks in both forms."""
    x = v1.placeholder(tf.float32, [2])
    y = v1.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * 2), [0, x])[1]
    v1.gradients(y, x)
    v1.cond(tf.reduce_sum(x) > 0, lambda: x, lambda: -x)
    v1.TensorArray(tf.float32, 2).unstack(x).stack()
    call = tf.function(lambda a: tf.while_loop(lambda i, b: i < 3, lambda i, b: (i + 1, b + a), [0, a])[1], autograph=False)
    call(tf.cond(tf.reduce_sum(call(x)) > 1, lambda: x, lambda: call(x)))


def state():
    """Variables of both kinds, queues, accumulators, tables, barriers."""
    for resource in [True, False]:
        w = v1.get_variable(f"w{resource}", [2, 2], use_resource=resource)
        v1.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(w * w))
    queue = tf.queue.RandomShuffleQueue(5, 1, [tf.int32, tf.string], [[], []])
    queue.enqueue([1, "a"])
    queue.dequeue_many(2)
    acc = v1.ConditionalAccumulator(tf.float32, [2])
    acc.apply_grad([1.0, 2.0])
    acc.take_grad(1)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], np.int64([1, 2])), -1)
    table.lookup(tf.constant(["a", "z"]))
    barrier = tf.raw_ops.Barrier(component_types=[tf.int32], shapes=[[]])
    tf.raw_ops.BarrierInsertMany(handle=barrier, keys=["a"], values=[1], component_index=0)
    tf.raw_ops.BarrierTakeMany(handle=barrier, num_elements=1, component_types=[tf.int32])
    v1.global_variables_initializer()


def data():
    """Datasets with functions, threads and iterators."""
    d = v1.data.Dataset.range(20)
    d = d.map(lambda a: tf.while_loop(lambda i: i < a, lambda i: i + 1, [np.int64(0)]), num_parallel_calls=2)
    d = d.interleave(lambda a: v1.data.Dataset.range(3).map(lambda b: b + tf.reduce_sum(a)), cycle_length=2, num_parallel_calls=2)
    d = d.window(3).flat_map(lambda w: w.batch(3)).map(lambda a: tf.fill([a[0] % 4], a[0])).padded_batch(2).prefetch(2)
    iterator = v1.data.make_initializable_iterator(d)
    iterator.get_next()
    v1.data.make_one_shot_iterator(v1.data.Dataset.range(4).shuffle(2).batch(2).repeat(2)).get_next()


def layers():
    """Convolution, normalization, sparse tensors, images, strings."""
    x = v1.placeholder(tf.float32, [1, 4, 4, 2])
    y = tf.nn.conv2d(x, tf.ones([2, 2, 2, 3]), 1, "SAME")
    y = v1.nn.fused_batch_norm(y, tf.ones([3]), tf.zeros([3]))[0]
    y = tf.nn.max_pool2d(y, 2, 2, "SAME")
    v1.gradients(tf.reduce_sum(y), x)
    tf.image.resize(x, [3, 3])
    tf.sparse.to_dense(tf.sparse.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 4]))
    tf.strings.split(tf.constant(["a b", "c"]))
    tf.strings.regex_replace(tf.constant(["abc"]), "b+", "x")
    tf.io.decode_csv(tf.constant(["1,2"]), [[0], [0]])
    tf.io.parse_example(tf.constant([b""]), {"a": tf.io.VarLenFeature(tf.int64)})


def seeds():
    made = []
    for build in [loops, state, data, layers, *[lambda n=n: random_graphs.grown(n) for n in range(8)]]:
        with tf.Graph().as_default() as graph:
            build()
            made.append(graph.as_graph_def())
    return made


class Mutation:
    def __init__(self, seed, starts, ops):
        self.random, self.ops = np.random.RandomState(seed), ops
        self.graph = graph_pb2.GraphDef()
        self.graph.CopyFrom(self.pick(starts))
        for _ in range(self.random.randint(1, 4)):
            self.change()

    def pick(self, items):
        return items[self.random.randint(len(items))]

    def nodes(self):
        """The nodes of the graph, or of a function's body."""
        functions = [f for f in self.graph.library.function if f.node_def]
        if functions and self.random.rand() < 0.4:
            return self.pick(functions).node_def
        return self.graph.node

    def change(self):
        nodes = self.nodes()
        node, other = self.pick(nodes), self.pick(nodes)
        kind = self.random.randint(12)
        if kind == 0:
            node.op = self.pick(self.ops)
        elif kind == 1:
            node.op = self.pick([f.signature.name for f in self.graph.library.function] or ["Nonsense"])
        elif kind == 2 and node.input:
            node.input[self.random.randint(len(node.input))] = self.pick(
                [other.name, f"{other.name}:{self.pick([0, 1, 7, 99999999999])}", "nowhere", "^" + other.name, "", ":", node.name])
        elif kind == 3 and node.input:
            del node.input[self.random.randint(len(node.input))]
        elif kind == 4:
            node.input.append(self.pick([other.name, "^" + other.name, node.name]))
        elif kind in (5, 6) and node.attr:
            self.attribute(node.attr[self.pick(sorted(node.attr))])
        elif kind == 7:
            node.attr[self.pick(["T", "dtype", "N", "shape", "f", "body", "frame_name", "_class", "num"])].CopyFrom(self.value())
        elif kind == 8 and node.attr:
            del node.attr[self.pick(sorted(node.attr))]
        elif kind == 9 and self.graph.library.function:
            self.function(self.pick(self.graph.library.function))
        elif kind == 10:
            node.device = self.pick(["/job:nobody/task:7", "/device:GPU:0", "garbage", "/job:local/task:99999999999", "/task:-1"])
        elif kind == 11:
            copy = self.graph.node.add()
            copy.CopyFrom(node)
            copy.name = self.pick([node.name, node.name + "_again", "", "a b", "_x"])

    def function(self, function):
        kind = self.random.randint(4)
        if kind == 0:
            function.signature.name = self.pick(["", "other", self.pick(self.graph.library.function).signature.name])
        elif kind == 1 and function.ret:
            function.ret[self.pick(sorted(function.ret))] = self.pick(["nowhere:y:0", "", ":::", function.node_def[0].name + ":output:9" if function.node_def else "x"])
        elif kind == 2 and function.signature.input_arg:
            self.pick(function.signature.input_arg).type = int(self.pick([0, 1, 3, 9, 20, 21, 99]))
        elif function.node_def:
            # It calls itself.
            self.pick(function.node_def).op = function.signature.name

    def attribute(self, value):
        kind = value.WhichOneof("value")
        if kind == "tensor" and self.random.rand() < 0.8:
            for dim in value.tensor.tensor_shape.dim:
                dim.size = int(self.pick(ABSURD))
            if self.random.rand() < 0.3:
                value.tensor.dtype = int(self.pick([0, 1, 3, 7, 9, 20, 21]))
            if self.random.rand() < 0.3:
                value.tensor.tensor_content = bytes(self.random.randint(0, 256, self.random.randint(0, 40)).astype(np.uint8))
        elif kind == "func" and self.random.rand() < 0.8:
            value.func.name = self.pick([f.signature.name for f in self.graph.library.function] + ["nowhere", ""])
        elif kind == "list" and self.random.rand() < 0.7:
            value.list.i.extend(int(self.pick(ABSURD)) for _ in range(self.random.randint(3)))
            del value.list.type[1:]
            value.list.shape.add().dim.add().size = int(self.pick(ABSURD))
        else:
            value.CopyFrom(self.value())

    def value(self):
        made, kind = attr_value_pb2.AttrValue(), self.random.randint(7)
        if kind == 0:
            made.i = int(self.pick(ABSURD))
        elif kind == 1:
            made.type = int(self.pick([0, 1, 2, 3, 7, 9, 10, 20, 21, 23, 101, 12345]))
        elif kind == 2:
            for _ in range(self.random.randint(4)):
                made.shape.dim.add().size = int(self.pick(ABSURD))
        elif kind == 3:
            made.s = self.pick([b"", b"SAME", b"\xff\xfe", b"x" * 300])
        elif kind == 4:
            made.b = bool(self.random.randint(2))
        elif kind == 5:
            made.func.name = self.pick([f.signature.name for f in self.graph.library.function] + ["nowhere"])
        else:
            made.tensor.dtype = int(self.pick([1, 3, 7, 9]))
            for _ in range(self.random.randint(3)):
                made.tensor.tensor_shape.dim.add().size = int(self.pick(ABSURD))
        return made

    def bytes(self):
        """The graph as it is sent: sometimes damaged once more."""
        raw = bytearray(self.graph.SerializeToString())
        if self.random.rand() < 0.15 and raw:
            for _ in range(self.random.randint(1, 5)):
                raw[self.random.randint(len(raw))] = self.random.randint(256)
        return bytes(raw)


class Master:
    """A server's master service, by its messages."""

    def __init__(self, address):
        self.channel = grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)])

    def call(self, method, request):
        stub = self.channel.unary_unary(f"/tensorflow.MasterService/{method}", request_serializer=bytes, response_deserializer=bytes)
        return stub(request, timeout=20)

    def try_graph(self, mutation):
        """Opens a session with it, runs some of its nodes, closes; gives how many steps came to an end well."""
        session = first_field(self.call("CreateSession", field(1, mutation.bytes())))
        names, well = [node.name for node in mutation.graph.node], 0
        options = config_pb2.RunOptions(timeout_in_ms=MS).SerializeToString()
        try:
            for number in range(6):
                chosen = mutation.pick(names)
                wanted = field(4, chosen.encode()) if number % 2 else field(3, f"{chosen}:0".encode())
                try:
                    self.call("RunStep", field(1, session) + wanted + field(5, options))
                    well += 1
                except grpc.RpcError as error:
                    check(error)
        finally:
            self.call("CloseSession", field(1, session))
        return well


def field(number, content):
    """A field of a message that has a length: the messages of this service are not among those that Python has."""
    length, made = len(content), bytearray([number << 3 | 2])
    while length > 127:
        made.append(length & 127 | 128)
        length >>= 7
    made.append(length)
    return bytes(made) + content


def first_field(message):
    """The text in field 1, which is short."""
    assert message[0] == 10 and message[1] < 128, message
    return message[2:2 + message[1]]


class Hangs(Exception):
    pass


def check(error):
    """Any answer is fine, but it must be one, and no confusion of our own."""
    if error.code() == grpc.StatusCode.DEADLINE_EXCEEDED and "Deadline Exceeded" == error.details():
        raise Hangs(error.details())
    if "panicked" in (error.details() or ""):
        raise Hangs(error.details())


def main(binary):
    binary = os.path.abspath(binary)
    first, limit = int(os.environ.get("SEED", "1")), int(os.environ.get("GRAPHS", "1000000"))
    end = time.monotonic() + float(os.environ.get("SECONDS", "20"))
    starts = seeds()
    names = subprocess.run([binary, "ops"], capture_output=True, text=True, check=True).stdout.split("\n")
    ops = [name.split("(")[0] for name in names if name and not name.startswith("_")] + ["MyOwnOp", "", "Save"]
    ops = [op for op in ops if not LEFT_OUT.search(op)]
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "log"), "w+") as log:
        command = [binary, "serve", "--cluster", '{"local": ["localhost:0"]}', "--job_name", "local", "--task_index", "0"]
        process = start(command, cwd=folder, stderr=log, env={**os.environ, "TENSORFLEET_LOG": "error"})
        master = Master(process.stdout.readline().strip().rsplit("grpc://", 1)[1])
        seed, taken, well, problem = first, 0, 0, None
        while time.monotonic() < end and seed < first + limit and problem is None:
            try:
                well += master.try_graph(Mutation(seed, starts, ops))
                taken += 1
            except grpc.RpcError as error:
                if error.code() == grpc.StatusCode.UNAVAILABLE:
                    problem = f"the server does not answer: {error.details()}"
            except Hangs as hang:
                problem = str(hang)
            if process.poll() is not None:
                problem = f"the server ended with code {process.returncode}"
            seed += 1
        if problem is None:
            # It still computes.
            with tf.Graph().as_default(), v1.Session("grpc://" + master.channel._channel.target().decode().split("/")[-1]) as session:
                assert session.run(tf.constant(2.0) * 3.0) == 6.0
        process.terminate()
        process.wait(10)
        if problem is not None:
            log.seek(0)
            print(f"seed {seed - 1}: {problem}\n{log.read()[-3000:]}")
    print(f"mutations: {seed - first} graphs sent, {taken} of them taken, {well} steps ran")
    return 1 if problem is not None or not well else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
