"""Functions, the second version of control flow, and tables, in sessions of our servers and of TensorFlow's: bodies with
gradients, bodies on other tasks, and variables and tables of a parameter server.

Run by on_both.py.
"""

import os
import tempfile

import numpy as np

from both import connect, on
from server import tf
from tensorflow.python.framework.function import Defun

v1 = tf.compat.v1
FOLDER = tempfile.TemporaryDirectory(prefix="functions-")


def run(cluster, fetches, feeds=None, times=1, **options):
    with connect(cluster, **options) as session:
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        return [session.run(fetches, feeds) for _ in range(times)]


# Control flow


def conditions(cluster):
    """Conditions with gradients, nested and in loops, for both answers."""
    n, x = v1.placeholder(tf.int32, []), v1.placeholder(tf.float32, [2])

    def inner(y):
        return tf.cond(n > 2, lambda: tf.sin(y) * x, lambda: y / x)

    with on("worker"):
        y = tf.cond(n > 0, lambda: inner(x * 2.0), lambda: tf.exp(x))
        several = tf.cond(n > 1, lambda: (x, {"sum": tf.reduce_sum(x)}), lambda: (-x, {"sum": tf.constant(1.0)}))
        gradient = v1.gradients(y, x)[0]
        hessian = v1.gradients(gradient, x)[0]
    with connect(cluster) as session:
        return [session.run([y, several[0], several[1]["sum"], gradient, hessian], {n: value, x: [0.5, -1.5]}) for value in (-1, 1, 3)]


def loops(cluster):
    """Loops with gradients of both orders, nested, and with what is captured."""
    n, x = v1.placeholder(tf.int32, []), v1.placeholder(tf.float32, [2])

    def outer(i, y):
        _, z = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, tf.sin(z) + x), [0, y])
        return i + 1, z * tf.cond(i > 1, lambda: 0.5, lambda: 2.0)

    with on("worker"):
        y = tf.while_loop(lambda i, y: i < n, outer, [0, x])[1]
        bounded = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * y), [0, x], maximum_iterations=2)[1]
        gradients = v1.gradients([y, bounded], x)
        power = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, tf.ones([2])])[1]
        second = v1.gradients(v1.gradients(power, x)[0], x)
    with connect(cluster) as session:
        return [session.run([y, bounded, gradients, power, second], {n: value, x: [0.5, -0.75]}) for value in (0, 1, 4)]


def cases(cluster):
    """A choice among five branches, and one by predicates."""
    n, x = v1.placeholder(tf.int32, []), v1.placeholder(tf.float32, [])
    with on("worker"):
        branches = [lambda: x, lambda: x * x, lambda: tf.sin(x), lambda: tf.constant(4.0), lambda: -x]
        y = tf.switch_case(n, branches)
        by_default = tf.switch_case(n, {1: branches[1], 0: branches[2]}, default=branches[4])
        by_predicate = tf.case([(n < 1, branches[0]), (n < 3, branches[1])], default=branches[2])
        gradients = v1.gradients([y, by_default, by_predicate], x)
    with connect(cluster) as session:
        return [session.run([y, by_default, by_predicate, gradients], {n: value, x: 1.25}) for value in (-3, 0, 1, 2, 3, 4, 9)]


def in_order(cluster):
    """Side effects in a function keep their order, and happen though nothing of them is fetched."""
    with on("ps"):
        v = v1.get_variable("v", [], initializer=v1.constant_initializer(1.0), use_resource=True)

    @tf.function
    def body(x):
        v.assign_add(x)
        first = v.read_value()
        v.assign(v * 2.0)
        return first, v.read_value()

    with on("ps"):
        results = body(tf.constant(3.0))
    return run(cluster, results, times=3)


# Functions


@tf.function
def layer(x, w):
    return tf.nn.relu(tf.matmul(x, w)) + tf.reduce_mean(x)


def called_functions(cluster):
    """Functions that call functions, with gradients, and a gradient of their own."""

    @tf.function
    def twice(x, w):
        return layer(layer(x, w), w)

    @tf.custom_gradient
    def clipped(x):
        return tf.identity(x), lambda dy: tf.clip_by_value(dy, -0.1, 0.1)

    with on("worker"):
        x, w = v1.placeholder(tf.float32, [2, 3]), v1.get_variable("w", [3, 3], initializer=v1.random_normal_initializer(seed=1))
        y = twice(x, w)
        gradients = v1.gradients(y, [x, w])
        with on("worker", 1):
            own = v1.gradients(clipped(x) * 3.0, x)
    return run(cluster, [y, gradients, own], {x: [[1.0, 2.0, 3.0], [-1.0, 0.5, 0.25]]}, times=2)


def gradients_of_functions(cluster):
    """Functions of TensorFlow 1.x, whose gradients the client leaves to the server (`SymbolicGradient`)."""
    x, y = v1.placeholder(tf.float32, [2]), v1.placeholder(tf.float32, [])

    @Defun(tf.float32)
    def inner(a):
        return tf.sin(a) * a

    @Defun(tf.float32, tf.float32, tf.int32)
    def several(a, b, n):
        return inner(a) * b + tf.cast(n, tf.float32), tf.reduce_sum(a) / b, n + 1

    @Defun(tf.float32, tf.float32)
    def own_gradient(a, da):
        return da * 100.0 + a

    @Defun(tf.float32, grad_func=own_gradient)
    def with_own_gradient(a):
        return a * a

    with on("worker"):
        results = several(x, y, 3)
        other = with_own_gradient(y)
        wanted = v1.gradients([results[0], results[1] * 2.0, other], [x, y])
    with connect(cluster) as session:
        return session.run([*results, other, *wanted], {x: [0.5, -1.5], y: 2.0})


def on_other_tasks(cluster):
    """A function is called where the device around the call says; its body may name tasks itself."""

    @tf.function
    def spread(x):
        with on("ps"):
            y = x * 2.0
        with on("worker", 1):
            z = y + 1.0
        return y, tf.reduce_sum(z)

    with on("worker"):
        x = v1.placeholder(tf.float32, [2, 2])
    with on("ps"):
        there = layer(x, x)
    with on("worker", 1):
        other = layer(there, x)
        apart = spread(other)
    with on("worker"):
        back = tf.cond(apart[1] > 0.0, lambda: other * 2.0, lambda: other)
        gradients = v1.gradients([back, apart[0]], x)
    return run(cluster, [there, other, apart, back, gradients], {x: [[1.0, -2.0], [0.5, 3.0]]}, times=2)


def variables_of_the_ps(cluster):
    """Trained through functions of the worker that read resource variables of the ps, in loops and conditions too."""
    with on("ps"):
        w = v1.get_variable("w", [3, 3], initializer=v1.random_uniform_initializer(-0.5, 0.5, seed=2), use_resource=True)
        table = v1.get_variable("table", [5, 3], initializer=v1.random_uniform_initializer(seed=3), use_resource=True)

    @tf.function
    def model(ids):
        x = tf.nn.embedding_lookup(table, ids)
        _, x = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.tanh(tf.matmul(x, w))), [0, x])
        return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.matmul(x, w), lambda: x * 2.0)

    with on("worker"):
        ids = v1.placeholder(tf.int32, [None])
        loss = tf.reduce_mean((model(ids) - 1.0) ** 2)
        gradients = v1.gradients(loss, [w, table])
        train = v1.train.AdagradOptimizer(0.1).apply_gradients(zip(gradients, [w, table]))
    # TensorFlow's servers need to be told that functions may use devices of other tasks.
    sharing = v1.ConfigProto.Experimental(share_cluster_devices_in_session=True)
    with connect(cluster, experimental=sharing) as session:
        session.run(v1.global_variables_initializer())
        losses = [session.run([loss, train], {ids: [step % 5, 2, 2]})[0] for step in range(10)]
        return losses, session.run([w, table])


def many_shapes(cluster):
    """A function with shapes that are known in the step only, and strings and integers through a condition."""

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32), tf.TensorSpec([], tf.string)])
    def body(x, word):
        rows = tf.shape(x)[0]
        text = tf.cond(rows > 2, lambda: tf.strings.join([word, tf.as_string(rows)]), lambda: word)
        return tf.reshape(tf.transpose(x), [-1]), text, tf.range(rows)

    with on("worker"):
        x = v1.placeholder(tf.float32, [None, 2])
        results = body(x, tf.constant("rows"))
    with connect(cluster) as session:
        return [session.run(results, {x: np.ones([rows, 2])}) for rows in (0, 2, 3)]


# Tables


def text_file(name, lines):
    path = os.path.join(FOLDER.name, name)
    with open(path, "w") as file:
        file.write("".join(line + "\n" for line in lines))
    return path


def static_tables(cluster):
    """Tables on the ps, from files and from tensors, asked by the worker, also in functions."""
    words = text_file("words.txt", ["the", "a", "of", "fleet", "tensor"])
    pairs = text_file("pairs.txt", ["one\t1", "two\t2", "three\t3"])
    with on("ps"):
        lookup = tf.lookup
        line = lookup.TextFileIndex.LINE_NUMBER
        index = lookup.StaticHashTable(lookup.TextFileInitializer(words, tf.string, lookup.TextFileIndex.WHOLE_LINE, tf.int64, line), -1)
        back = lookup.StaticHashTable(lookup.TextFileInitializer(words, tf.int64, line, tf.string, lookup.TextFileIndex.WHOLE_LINE), "?")
        columns = lookup.StaticHashTable(lookup.TextFileInitializer(pairs, tf.string, 0, tf.int64, 1), 0)
        given = lookup.StaticHashTable(lookup.KeyValueTensorInitializer([1, 2, 3], [0.5, 1.5, 2.5], tf.int64, tf.float32), -1.0)
        vocabulary = lookup.StaticVocabularyTable(lookup.TextFileInitializer(words, tf.string, lookup.TextFileIndex.WHOLE_LINE, tf.int64, line), 4)
        from tensorflow.python.ops import lookup_ops

        from_file = lookup_ops.index_table_from_file(words, num_oov_buckets=2)
        to_words = lookup_ops.index_to_string_table_from_file(words, default_value="?")
        from_tensor = lookup_ops.index_table_from_tensor(tf.constant(["x", "y"]), default_value=7)
    with on("worker"):
        asked = v1.placeholder(tf.string, [None])
        numbers = v1.placeholder(tf.int64, [None])

        @tf.function
        def in_a_function(words):
            return index.lookup(words) * 2

        fetches = [
            [table.lookup(asked) for table in (index, columns, vocabulary, from_file, from_tensor)],
            [table.lookup(numbers) for table in (back, given, to_words)],
            [index.size(), vocabulary.size()],
            in_a_function(asked),
        ]
    return run(cluster, fetches, {asked: ["tensor", "two", "the", "none", "x"], numbers: [0, 3, 9]}, times=2)


def mutable_tables(cluster):
    from tensorflow.python.ops import lookup_ops

    results = []
    with on("ps"):
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        rows = lookup_ops.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
        dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, -1, -2)
        rows_put = rows.insert(tf.constant([4, 5], tf.int64), [[1.0, 2.0], [3.0, 4.0]])
        dense_put = dense.insert(tf.constant([10, 20], tf.int64), tf.constant([1, 2], tf.int64))
    with on("worker"):
        keys, numbers = v1.placeholder(tf.string, [None]), v1.placeholder(tf.int64, [None])
        put, remove = table.insert(keys, numbers), table.remove(keys)
        found, size = table.lookup(keys), table.size()
        of_rows = [rows.lookup(numbers), rows.size(), dense.lookup(numbers), dense.size()]
        export = table.export()
    with connect(cluster) as session:
        session.run([rows_put, dense_put])
        session.run(put, {keys: ["a", "b", "a"], numbers: [1, 2, 3]})
        results.append(session.run([found, size], {keys: ["a", "b", "c"]}))
        session.run(remove, {keys: ["b", "z"]})
        results.append(session.run([found, size], {keys: ["a", "b", "c"]}))
        results.append(session.run(export))
        results.append(session.run(of_rows, {numbers: [4, 6, 20]}))
    with connect(cluster, "worker", 1) as session:
        results.append(session.run([found, size], {keys: ["a"]}))
    return results


PROGRAMS = [
    conditions,
    loops,
    cases,
    in_order,
    called_functions,
    gradients_of_functions,
    on_other_tasks,
    variables_of_the_ps,
    many_shapes,
    static_tables,
    mutable_tables,
]
# Its conditions and loops are functions.
CONTROL_FLOW_V2 = True
