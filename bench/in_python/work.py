"""One piece of work in Python, the same text for TensorFlow and for tensorfleet, which `import tensorflow` finds under its alias.

usage: work.py import|empty|copy|feed_fetch|mlp
       work.py ps|worker CLUSTER_JSON TASK async|sync

Prints one number: seconds for import, MB/s for copy and feed_fetch, else steps a second.
"""

import time

BEGIN = time.perf_counter()

import json
import os
import sys

import tensorflow.compat.v1 as tf

IMPORTED = time.perf_counter() - BEGIN
WARM_UP, MEASURE = 1.5, 3.0
# Behind everything else: TensorFlow looks for modules with names that are there too.
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def rate(step):
    """Steps a second: a few to warm up, then as many as fit in about a second."""
    for _ in range(5):
        step()
    begin, steps = time.perf_counter(), 0
    while time.perf_counter() - begin < 1.0:
        step()
        steps += 1
    return steps / (time.perf_counter() - begin)


def empty():
    node = tf.no_op()
    server = tf.train.Server.create_local_server()
    with tf.Session(server.target) as session:
        return rate(lambda: session.run(node))


def copy():
    """What the memory allows: numpy copies the array twice, as feeding and fetching may."""
    import numpy as np

    array = np.ones(25_000_000, np.float32)
    return 200 * rate(lambda: array.copy().copy())


def feed_fetch():
    import numpy as np

    x = tf.placeholder(tf.float32, [None])
    y = tf.identity(x)
    array = np.ones(25_000_000, np.float32)
    with tf.Session() as session:
        # A hundred megabytes in, a hundred out.
        return 200 * rate(lambda: session.run(y, {x: array}))


def model():
    step = tf.Variable(0, name="global_step", trainable=False)
    hid_w = tf.Variable(tf.truncated_normal([784, 100], stddev=1.0 / 28), name="hid_w")
    hid_b = tf.Variable(tf.zeros([100]), name="hid_b")
    sm_w = tf.Variable(tf.truncated_normal([100, 10], stddev=0.1), name="sm_w")
    sm_b = tf.Variable(tf.zeros([10]), name="sm_b")
    x, y_ = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10])
    hid = tf.nn.relu(tf.nn.xw_plus_b(x, hid_w, hid_b))
    y = tf.nn.softmax(tf.nn.xw_plus_b(hid, sm_w, sm_b))
    loss = -tf.reduce_sum(y_ * tf.log(tf.clip_by_value(y, 1e-10, 1.0)))
    return step, x, y_, loss


def mlp():
    import mnist

    step, x, y_, loss = model()
    train = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=step)
    batches = mnist.batches(100)

    def one():
        images, labels = next(batches)
        session.run([train, step], {x: images, y_: labels})

    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return rate(one)


def task(job, cluster, index, mode):
    import mnist

    server = tf.train.Server(cluster, job_name=job, task_index=index)
    print("serving", flush=True)
    if job == "ps":
        server.join()
    workers, chief = len(cluster["worker"]), index == 0
    spec = tf.train.ClusterSpec(cluster)
    with tf.device(tf.train.replica_device_setter(worker_device=f"/job:worker/task:{index}", cluster=spec)):
        step, x, y_, loss = model()
        optimizer = tf.train.AdamOptimizer(0.01)
        if mode == "sync":
            optimizer = tf.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=workers, total_num_replicas=workers)
        train = optimizer.minimize(loss, global_step=step)
    if mode == "sync" and chief:
        runner, tokens = optimizer.get_chief_queue_runner(), optimizer.get_init_tokens_op()
    supervisor = tf.train.Supervisor(
        is_chief=chief, init_op=tf.global_variables_initializer(), recovery_wait_secs=1, global_step=step, summary_op=None,
        saver=None,
    )
    config = tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{index}"])
    session = supervisor.prepare_or_wait_for_session(server.target, config=config)
    if mode == "sync" and chief:
        supervisor.start_queue_runners(session, [runner])
        session.run(tokens)
    batches = mnist.batches(100)
    print("ready", flush=True)
    sys.stdin.readline()
    begin = first = None
    while True:
        images, labels = next(batches)
        _, now = session.run([train, step], {x: images, y_: labels})
        if not chief:
            continue
        time_now = time.perf_counter()
        begin = begin or time_now
        if first is None and time_now - begin > WARM_UP:
            first = (time_now, now)
        if first and time_now - first[0] > MEASURE:
            print((now - first[1]) / (time_now - first[0]), flush=True)
            os._exit(0)


if __name__ == "__main__":
    if hasattr(tf, "disable_v2_behavior"):
        tf.disable_v2_behavior()
    if sys.argv[1] in ("ps", "worker"):
        task(sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    elif sys.argv[1] == "import":
        print(IMPORTED)
    else:
        print({"empty": empty, "copy": copy, "feed_fetch": feed_fetch, "mlp": mlp}[sys.argv[1]]())
