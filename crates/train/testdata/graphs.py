"""Builds training graphs with TensorFlow and records their nodes, one line each, in graphs/*.txt:

    name <tab> op <tab> device or - <tab> inputs or - <tab> attributes

The tests of this crate build the same graphs and compare. usage: graphs.py [NAME ...]
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tests", "interop"))

from judge import tf  # noqa: E402
from tensorflow.python.framework import tensor_util  # noqa: E402

# Keras 3 has no tf.compat.v1.layers any more; TensorFlow still has what it was.
from tensorflow.python.keras.legacy_tf_layers import convolutional, core, pooling  # noqa: E402

v1 = tf.compat.v1
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "graphs")
PROGRAMS = {}


def program(build):
    PROGRAMS[build.__name__] = build
    return build


def attributes(node):
    shown = []
    for key in sorted(node.attr):
        value = node.attr[key]
        if key == "_class":
            shown.append("class=" + ",".join(s.decode()[5:] for s in value.list.s))
        elif key in ("shared_name", "container", "reduction_type"):
            if value.s:
                shown.append(f"{key}={value.s.decode()}")
        elif key in ("use_locking", "validate_shape", "use_nesterov", "update_slots", "cancel_pending_enqueues"):
            shown.append(f"{key}={str(value.b).lower()}")
        elif key == "capacity":
            shown.append(f"{key}={value.i}")
        elif key in ("dtype", "T", "SrcT", "DstT"):
            shown.append(f"{key}={tf.as_dtype(value.type).name}")
        elif key == "shape":
            shown.append("shape=[" + ",".join(str(dim.size) for dim in value.shape.dim) + "]")
        elif key == "value":
            array = tensor_util.MakeNdarray(value.tensor)
            content = b",".join(array.flatten()) if array.dtype == object else array.tobytes()
            shown.append("value=" + content[:16].hex())
    return " ".join(shown) or "-"


def is_kept(name):
    return "/assert_" not in name


def record(name):
    for kind, switch in (("ref", v1.disable_resource_variables), ("resource", v1.enable_resource_variables)):
        switch()
        with tf.Graph().as_default() as graph:
            PROGRAMS[name]()
            # Checks of shapes while the graph runs are left out: here they are made when it is built.
            lines = [
                "\t".join((n.name, n.op, n.device or "-", " ".join(filter(is_kept, n.input)) or "-", attributes(n)))
                for n in graph.as_graph_def().node
                if is_kept(n.name)
            ]
        with open(os.path.join(FOLDER, f"{name}_{kind}.txt"), "w") as file:
            file.write("\n".join(lines) + "\n")


@program
def variables():
    v1.Variable(tf.zeros([2]), name="a")
    with v1.variable_scope("s"):
        v1.get_variable("c", [2, 3])
        with tf.name_scope("n"):
            v1.get_variable("e", [2], initializer=v1.random_normal_initializer(stddev=0.5))
            v1.Variable(tf.ones([]), name="f")
    with v1.variable_scope("s", reuse=True):
        tf.identity(v1.get_variable("c", [2, 3]), name="again")
    v1.get_variable(
        "l", [], initializer=v1.ones_initializer(), collections=[v1.GraphKeys.LOCAL_VARIABLES], trainable=False
    )
    v1.train.get_or_create_global_step()
    v1.get_variable("k1", initializer=tf.constant([1.0, 2.0]))
    v1.get_variable("k2", [2], initializer=v1.constant_initializer([1.0, 2.0]))
    v1.get_variable("k3", [2, 2], initializer=v1.truncated_normal_initializer(stddev=0.5))
    v1.get_variable("k4", [2, 2], initializer=v1.random_uniform_initializer(-1, 2))
    v1.get_variable("k5", [5, 3, 2, 4], initializer=v1.glorot_normal_initializer())
    v1.get_variable("k6", [200, 200], initializer=v1.ones_initializer())
    v1.get_variable("k7", [200], dtype=tf.int64)
    with v1.variable_scope("p", partitioner=v1.fixed_size_partitioner(2)):
        tf.convert_to_tensor(v1.get_variable("w", [5, 3]))
    v1.global_variables_initializer()
    v1.local_variables_initializer()
    v1.report_uninitialized_variables().mark_used()


@program
def devices():
    setter = v1.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:3/device:CPU:0")
    with v1.device(setter):
        v1.get_variable("a", [2])
        v1.Variable(tf.zeros([2]), name="b")
        with v1.device("/device:GPU:1"):
            v1.get_variable("c", [2])
        with v1.device("/job:worker/task:1"):
            v1.get_variable("d", [2])
        with v1.device("/job:ps/task:7"):
            v1.get_variable("e", [2])
        v1.get_variable("f", [2])
        tf.constant(1.0, name="k")
        v1.global_variables_initializer()
        v1.report_uninitialized_variables().mark_used()


def model():
    """A dense and a sparse gradient: a matrix product, and rows taken from a table."""
    w = v1.get_variable("w", [2, 3], initializer=v1.ones_initializer())
    table = v1.get_variable("table", [5, 2], initializer=v1.ones_initializer())
    step = v1.train.get_or_create_global_step()
    with v1.name_scope("model"):
        rows = tf.gather(table, tf.constant([1, 3, 1]))
        loss = tf.reduce_sum(tf.matmul(rows, w))
    return loss, step


def optimizer(name, make):
    def build():
        setter = v1.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:0")
        with v1.device(setter):
            loss, step = model()
            make().minimize(loss, global_step=step)

    PROGRAMS[name] = build


OPTIMIZERS = {
    "gradient_descent": lambda: v1.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: v1.train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda: v1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adagrad": lambda: v1.train.AdagradOptimizer(0.1),
    "adam": lambda: v1.train.AdamOptimizer(0.1),
    "rms_prop": lambda: v1.train.RMSPropOptimizer(0.1, momentum=0.5),
    "centered_rms_prop": lambda: v1.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
    "adadelta": lambda: v1.train.AdadeltaOptimizer(0.1),
    "ftrl": lambda: v1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02),
}
for name, make in OPTIMIZERS.items():
    optimizer(name, make)


def sync(replicas, total, averages=False):
    setter = v1.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:0")
    with v1.device(setter):
        loss, step = model()
        average = tf.train.ExponentialMovingAverage(0.9) if averages else None
        optimizer = v1.train.SyncReplicasOptimizer(
            v1.train.AdamOptimizer(0.1), replicas_to_aggregate=replicas, total_num_replicas=total
        )
        optimizer.minimize(loss, global_step=step)
        optimizer.get_init_tokens_op()
        optimizer.get_chief_queue_runner()
    optimizer.ready_for_local_init_op.mark_used()


@program
def sync_adam():
    sync(2, 2)


@program
def sync_backup():
    """One worker more than is waited for."""
    sync(2, 3)


def placeholder(name, shape, dtype=tf.float32):
    return v1.placeholder(dtype, shape, name=name)


@program
def dense():
    y = core.dense(placeholder("x", [None, 4]), 3, activation=tf.nn.relu, name="hidden")
    y = core.dense(y, 2)
    core.dense(y, 2, use_bias=False)
    with v1.variable_scope("again", reuse=v1.AUTO_REUSE):
        core.dense(y, 2, name="shared")
        core.dense(y, 2, name="shared")


@program
def images():
    y = convolutional.conv2d(placeholder("x", [None, 8, 8, 1]), 3, 5, padding="same", activation=tf.nn.relu)
    y = convolutional.conv2d(y, 2, (3, 2), strides=(1, 2), use_bias=False)
    y = pooling.max_pooling2d(y, 2, 1, padding="same")
    y = pooling.average_pooling2d(y, 2, 2)
    y = core.flatten(y)
    y = core.dropout(y, 0.5, training=True)
    core.dropout(y, 0.5)


@program
def losses():
    labels, predictions = placeholder("l", [None, 3]), placeholder("p", [None, 3])
    for reduction in ("weighted_sum_by_nonzero_weights", "weighted_mean", "none", "weighted_sum"):
        v1.losses.mean_squared_error(labels, predictions, reduction=reduction, weights=2.0)
    v1.losses.mean_squared_error(labels, predictions, reduction="weighted_sum_over_batch_size")
    v1.losses.absolute_difference(labels, predictions, weights=placeholder("w", [None, 1]))
    v1.losses.huber_loss(labels, predictions)
    v1.losses.hinge_loss(labels, predictions)
    v1.losses.log_loss(labels, predictions)
    v1.losses.sigmoid_cross_entropy(labels, predictions)
    v1.losses.sigmoid_cross_entropy(labels, predictions, label_smoothing=0.1)


@program
def metrics():
    labels, predictions = placeholder("l", [None], tf.int64), placeholder("p", [None], tf.int64)
    v1.metrics.accuracy(labels, predictions)
    v1.metrics.precision(labels, predictions)
    v1.metrics.recall(labels, predictions)
    values = placeholder("v", [None])
    v1.metrics.mean(values)
    v1.metrics.mean(values, weights=placeholder("w", [None]))
    v1.metrics.mean_squared_error(placeholder("e", [None, 3]), placeholder("f", [None, 3]))


if __name__ == "__main__":
    for wanted in sys.argv[1:] or PROGRAMS:
        record(wanted)
    print(f"graphs: {len(sys.argv[1:] or PROGRAMS)} programs recorded")
