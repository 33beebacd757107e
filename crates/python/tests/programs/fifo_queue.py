"""A queue of the program's own: a runner fills it in a thread, the loop empties it until it is closed."""

import numpy as np


def train(tf, steps=20):
    source = tf.Variable(0, trainable=False, name="source")
    following = tf.assign_add(source, 1)
    value = tf.cast(following, tf.float32)
    queue = tf.FIFOQueue(capacity=4, dtypes=[tf.float32, tf.int32], shapes=[[2], []], name="queue")
    limited = tf.train.limit_epochs(tf.constant(7.0), num_epochs=steps)
    with tf.control_dependencies([limited]):
        enqueue = queue.enqueue([tf.stack([value, value * value]), tf.cast(value, tf.int32)])
    runner = tf.train.QueueRunner(queue, [enqueue])
    tf.train.add_queue_runner(runner)
    x, number = queue.dequeue()
    w = tf.Variable(np.array([0.5, 0.01], np.float32), name="w")
    loss = tf.reduce_sum(tf.abs(x * w - 1.0))
    with tf.control_dependencies([loss]):
        step = tf.train.GradientDescentOptimizer(0.0001).minimize(loss)
    numbers = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coordinator)
        try:
            while not coordinator.should_stop():
                numbers += sess.run([loss, number, step])[:2]
        except tf.errors.OutOfRangeError:
            numbers.append(-1)
        finally:
            coordinator.request_stop()
        coordinator.join(threads)
        numbers.append(sess.run(queue.size()))
    return numbers
