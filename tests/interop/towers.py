"""In-graph replication: one client, a tower on each worker, averaged gradients, with the losses of TensorFlow's servers.

usage: towers.py PATH_OF_TENSORFLEET_BINARY [CASE..]
"""

import sys

import numpy as np

from checks import run_cases
from mnist_data import batches, digits
from server import reference_cluster, serving_cluster, tf

v1 = tf.compat.v1
BINARY = sys.argv[1]
WORKERS = 3


def losses(cluster, resource):
    with tf.Graph().as_default():
        with v1.device("/job:ps/task:0"):
            hid_w = v1.Variable(v1.truncated_normal([784, 50], stddev=1.0 / 28, seed=1), name="hid_w", use_resource=resource)
            hid_b = v1.Variable(tf.zeros([50]), name="hid_b", use_resource=resource)
        with v1.device("/job:ps/task:1"):
            sm_w = v1.Variable(v1.truncated_normal([50, 10], stddev=0.1, seed=2), name="sm_w", use_resource=resource)
            step = v1.Variable(0, trainable=False, name="global_step", use_resource=resource)
        x, y_ = v1.placeholder(tf.float32, [None, 784]), v1.placeholder(tf.float32, [None, 10])
        optimizer = v1.train.MomentumOptimizer(0.05, 0.9)
        towers, tower_losses = [], []
        # The batch is cut on the client's task; each worker computes the gradients of its slice.
        slices = zip(tf.split(x, WORKERS), tf.split(y_, WORKERS))
        for task, (images, labels) in enumerate(slices):
            with v1.device(f"/job:worker/task:{task}"), v1.name_scope(f"tower_{task}"):
                logits = tf.matmul(tf.nn.relu(v1.nn.xw_plus_b(images, hid_w, hid_b)), sm_w)
                loss = tf.reduce_mean(v1.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
                towers.append(optimizer.compute_gradients(loss))
                tower_losses.append(loss)
        averaged = []
        with v1.device("/job:ps/task:0"):
            for pairs in zip(*towers):
                gradient = tf.reduce_mean(tf.stack([gradient for gradient, _ in pairs]), 0)
                averaged.append((gradient, pairs[0][1]))
        train = optimizer.apply_gradients(averaged, global_step=step)
        with v1.control_dependencies([train]):
            average = v1.train.ExponentialMovingAverage(0.9)
            follow = average.apply([hid_w, sm_w])
        total = tf.add_n(tower_losses) / WORKERS
        # The client talks to a task that holds no variables and has a tower.
        with v1.Session("grpc://" + cluster["worker"][1]) as session:
            session.run(v1.global_variables_initializer())
            data = batches(digits("train", 6000), 60)
            values = []
            for _ in range(25):
                images, labels = next(data)
                values.append(session.run([total, follow], {x: images, y_: labels})[0])
            means = session.run([tf.reduce_sum(average.average(hid_w) ** 2), tf.reduce_sum(average.average(sm_w) ** 2)])
            assert session.run(step) == 25
    return values, means


def same(resource):
    def check():
        with serving_cluster(BINARY, ps=2, worker=WORKERS) as cluster:
            ours, our_means = losses(cluster, resource)
        with reference_cluster(ps=2, worker=WORKERS) as cluster:
            theirs, their_means = losses(cluster, resource)
        np.testing.assert_allclose(ours, theirs, rtol=1e-3)
        np.testing.assert_allclose(our_means, their_means, rtol=1e-3)
        assert ours[-1] < 0.6 * ours[0], ours
        return f"last loss {ours[-1]:.5f}, TensorFlow's {theirs[-1]:.5f}"

    return check


CASES = [("ref variables", same(False)), ("resource variables", same(True))]

if __name__ == "__main__":
    run_cases("towers", CASES, seconds=90)
