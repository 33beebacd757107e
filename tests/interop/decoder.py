"""Decoders of sequences: loops that write arrays, choose words, branch inside, and are trained, in both kinds of control
flow, on our servers and on TensorFlow's.

Run by on_both.py.
"""

import numpy as np

from both import connect, on
from server import tf

v1 = tf.compat.v1
WORDS, WIDTH, BATCH, LENGTH, STEPS = 20, 12, 3, 6, 10
START, END = 1, 2


def setter():
    return v1.device(v1.train.replica_device_setter(worker_device="/job:worker/task:0", ps_tasks=2))


def weights(name, shape):
    return v1.get_variable(name, shape, initializer=v1.random_uniform_initializer(-0.5, 0.5, seed=len(name)))


class Model:
    def __init__(self, outside=False):
        """The variables are read in the loops, or outside of them: TensorFlow cannot place what the gradient of a loop
        in the first version of control flow keeps of a resource variable on another task."""
        read = tf.identity if outside else lambda variable: variable
        self.table = read(weights("table", [WORDS, WIDTH]))
        self.kernel = read(weights("kernel", [3 * WIDTH, WIDTH]))
        self.softmax = read(weights("softmax", [WIDTH, WORDS]))

    def cell(self, x, state, context):
        return tf.tanh(tf.matmul(tf.concat([x, state, context], 1), self.kernel))

    def encode(self, words):
        """All states of the source, and the last one."""
        rows = tf.nn.embedding_lookup(self.table, words)
        inputs = tf.TensorArray(tf.float32, LENGTH).unstack(tf.transpose(rows, [1, 0, 2]))
        states = tf.TensorArray(tf.float32, LENGTH)

        def body(i, state, states):
            state = self.cell(inputs.read(i), state, tf.zeros_like(state))
            return i + 1, state, states.write(i, state)

        zero = tf.zeros([tf.shape(words)[0], WIDTH])
        _, last, states = tf.while_loop(lambda i, *_: i < LENGTH, body, [0, zero, states])
        return tf.transpose(states.stack(), [1, 0, 2]), last

    def attend(self, state, memory):
        scores = tf.reduce_sum(tf.expand_dims(state, 1) * memory, 2)
        return tf.reduce_sum(tf.expand_dims(tf.nn.softmax(scores), 2) * memory, 1)

    def teach(self, source, target):
        """Logits with the target's own words, or what was chosen itself, in every other step, as the inputs."""
        memory, state = self.encode(source)
        arrays = tf.TensorArray(tf.float32, LENGTH)
        first = tf.fill([tf.shape(source)[0]], START)

        def body(i, words, state, arrays):
            state = self.cell(tf.nn.embedding_lookup(self.table, words), state, self.attend(state, memory))
            logits = tf.matmul(state, self.softmax)
            chosen = tf.argmax(logits, 1, output_type=tf.int32)
            words = v1.cond(tf.equal(i % 2, 0), lambda: target[:, i], lambda: chosen)
            return i + 1, words, state, arrays.write(i, logits)

        *_, arrays = tf.while_loop(lambda i, *_: i < LENGTH, body, [0, first, state, arrays])
        return tf.transpose(arrays.stack(), [1, 0, 2])

    def greedy(self, source, limit):
        """The likeliest word each time, until all rows have ended; how many steps that took."""
        memory, state = self.encode(source)
        batch = tf.shape(source)[0]
        arrays = tf.TensorArray(tf.int32, 0, dynamic_size=True, infer_shape=False)

        def going(i, words, state, done, arrays):
            return tf.logical_and(i < limit, tf.logical_not(tf.reduce_all(done)))

        def body(i, words, state, done, arrays):
            state = self.cell(tf.nn.embedding_lookup(self.table, words), state, self.attend(state, memory))
            words = tf.argmax(tf.matmul(state, self.softmax), 1, output_type=tf.int32)
            words = tf.where(done, tf.zeros_like(words), words)
            return i + 1, words, state, tf.logical_or(done, tf.equal(words, END)), arrays.write(i, words)

        start = [0, tf.fill([batch], START), state, tf.fill([batch], False), arrays]
        steps, *_, arrays = tf.while_loop(going, body, start)
        return tf.transpose(arrays.stack()), steps


def data():
    random = np.random.RandomState(6)
    for _ in range(STEPS):
        source = random.randint(3, WORDS, size=(BATCH, LENGTH))
        yield source, np.concatenate([source[:, ::-1][:, :-2], np.full((BATCH, 2), END)], 1)


def decoder(cluster, resource, outside=False):
    with setter(), v1.variable_scope("model", use_resource=resource):
        source, target = v1.placeholder(tf.int32, [None, LENGTH]), v1.placeholder(tf.int32, [None, LENGTH])
        limit = v1.placeholder_with_default(15, [])
        model = Model(outside)
        logits = model.teach(source, target)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logits)
        lengths = tf.reduce_sum(tf.cast(tf.not_equal(target, END), tf.int32), 1) + 1
        mask = tf.sequence_mask(lengths, LENGTH, dtype=tf.float32)
        loss = tf.reduce_sum(losses * mask) / tf.reduce_sum(mask)
        gradients, variables = zip(*v1.train.AdamOptimizer(0.03).compute_gradients(loss))
        clipped, norm = tf.clip_by_global_norm(gradients, 1.0)
        train = v1.train.AdamOptimizer(0.03).apply_gradients(zip(clipped, variables))
        decoded, steps = model.greedy(source, limit)
    with connect(cluster) as session:
        session.run(v1.global_variables_initializer())
        results = []
        for one, other in data():
            results.append(session.run([loss, norm, train], {source: one, target: other})[:2])
        results.append(session.run([decoded, steps], {source: one}))
        results.append(session.run([decoded, steps], {source: one[:2], limit: 1}))
        return results


def taught_and_greedy_v1_ref(cluster):
    v1.disable_control_flow_v2()
    return decoder(cluster, False)


def taught_and_greedy_v1_resource(cluster):
    v1.disable_control_flow_v2()
    return decoder(cluster, True, outside=True)


def taught_and_greedy_v2(cluster):
    v1.enable_control_flow_v2()
    try:
        return decoder(cluster, True)
    finally:
        v1.disable_control_flow_v2()


def arrays(cluster):
    """Arrays apart from loops: scatter, gather, concat, split, sizes, reads that are not destructive, gradients."""
    with on("worker"):
        x = v1.placeholder(tf.float32, [4, 2])
        scattered = tf.TensorArray(tf.float32, 6, dynamic_size=True, clear_after_read=False).scatter([3, 0, 2, 5], x)
        scattered = scattered.write(1, x[0] * x[1]).write(4, tf.zeros([2])).write(7, x[3]).write(6, -x[2])
        gathered = scattered.gather([5, 5, 1])
        pieces = tf.TensorArray(tf.float32, 3, infer_shape=False).split(x, [1, 0, 3])
        joined = pieces.concat()
        with on("ps"):
            y = tf.concat([gathered * 2.0, scattered.stack(), joined ** 2], 0)
        gradients = v1.gradients(y, x, tf.cos(y))
        sizes = [scattered.size(), scattered.read(7)]
    with connect(cluster) as session:
        return session.run([y, gradients, sizes], {x: np.arange(8).reshape(4, 2) / 4})


def loops_over_batches(cluster):
    """What is written with loops inside: map, fold, scan, a loop with shapes that grow, with gradients."""
    with on("worker"):
        x = v1.placeholder(tf.float32, [None, 3])
        mapped = v1.map_fn(lambda row: tf.nn.softmax(row) * row[0], x, parallel_iterations=2)
        folded = v1.foldl(lambda total, row: total * 0.5 + row, x, initializer=tf.ones([3]))
        folded_right = v1.foldr(lambda total, row: total * 0.5 - row, x)
        scanned = v1.scan(lambda total, row: tf.tanh(total + row), x, initializer=tf.zeros([3]))
        _, grown = tf.while_loop(
            lambda i, y: i < tf.shape(x)[0],
            lambda i, y: (i + 1, tf.concat([y, x[i : i + 1] * tf.cast(i, tf.float32)], 0)),
            [0, x[:1]],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 3])],
        )
        pairs = v1.map_fn(lambda pair: (pair[0] * 2.0, tf.argmax(pair[1])), (x, x), dtype=(tf.float32, tf.int64))
        results = [mapped, folded, folded_right, scanned, grown]
        gradients = v1.gradients([tf.sin(y) for y in results], x)
    with connect(cluster) as session:
        return [session.run([results, list(pairs), gradients], {x: np.random.RandomState(n).randn(n, 3)}) for n in (1, 4)]


PROGRAMS = [taught_and_greedy_v1_ref, taught_and_greedy_v1_resource, taught_and_greedy_v2, arrays, loops_over_batches]
