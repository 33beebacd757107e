"""One worker of the documents' MNIST MLP, TensorFlow's side: trains until it is stopped; the chief prints global steps/s.

usage: replica.py CLUSTER_JSON TASK async|sync [TARGET_OF_AN_EXISTING_SERVER]
"""

import json
import os
import sys
import time

import mnist
from common import tf, v1

WARM_UP, MEASURE = 1.5, 3.0


def main(cluster, task, mode, target):
    workers = len(cluster["worker"])
    server = None if target else tf.distribute.Server(cluster, job_name="worker", task_index=task)
    setter = v1.train.replica_device_setter(worker_device=f"/job:worker/task:{task}", cluster=tf.train.ClusterSpec(cluster))
    with v1.device(setter):
        step = v1.Variable(0, name="global_step", trainable=False, use_resource=False)
        hid_w = v1.Variable(v1.truncated_normal([784, 100], stddev=1.0 / 28), name="hid_w", use_resource=False)
        hid_b = v1.Variable(tf.zeros([100]), name="hid_b", use_resource=False)
        sm_w = v1.Variable(v1.truncated_normal([100, 10], stddev=0.1), name="sm_w", use_resource=False)
        sm_b = v1.Variable(tf.zeros([10]), name="sm_b", use_resource=False)
        x, y_ = v1.placeholder(tf.float32, [None, 784]), v1.placeholder(tf.float32, [None, 10])
        hid = tf.nn.relu(v1.nn.xw_plus_b(x, hid_w, hid_b))
        y = tf.nn.softmax(v1.nn.xw_plus_b(hid, sm_w, sm_b))
        loss = -tf.reduce_sum(y_ * v1.log(tf.clip_by_value(y, 1e-10, 1.0)))
        optimizer = v1.train.AdamOptimizer(0.01)
        if mode == "sync":
            optimizer = v1.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=workers, total_num_replicas=workers)
        train = optimizer.minimize(loss, global_step=step)
    chief = task == 0
    if mode == "sync" and chief:
        runner, tokens = optimizer.get_chief_queue_runner(), optimizer.get_init_tokens_op()
    supervisor = v1.train.Supervisor(
        is_chief=chief, init_op=v1.global_variables_initializer(), recovery_wait_secs=1, global_step=step, summary_op=None, saver=None
    )
    config = v1.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{task}"])
    session = supervisor.prepare_or_wait_for_session(target or server.target, config=config)
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
    main(json.loads(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else None)
