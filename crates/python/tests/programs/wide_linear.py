"""A wide model: crossed columns by one large linear table, and embeddings of the same columns beside it, trained by FTRL and SGD."""

import numpy as np


def train(tf, steps=20):
    rng = np.random.RandomState(9)
    city = tf.placeholder(tf.int64, [None], name="city")
    job = tf.placeholder(tf.int64, [None], name="job")
    age = tf.placeholder(tf.float32, [None, 1], name="age")
    label = tf.placeholder(tf.float32, [None], name="label")
    with tf.variable_scope("wide"):
        crossed = tf.mod(city * 7 + job, 40)
        table = tf.get_variable("table", [40], initializer=tf.zeros_initializer())
        wide = tf.gather(table, crossed)
    with tf.variable_scope("deep"):
        cities = tf.get_variable("cities", [10, 3], initializer=tf.random_normal_initializer(stddev=0.1, seed=1))
        jobs = tf.get_variable("jobs", [5, 3], initializer=tf.random_normal_initializer(stddev=0.1, seed=2))
        joined = tf.concat([tf.nn.embedding_lookup(cities, city), tf.nn.embedding_lookup(jobs, job), age], axis=1)
        w = tf.get_variable("w", [7, 1], initializer=tf.random_normal_initializer(stddev=0.5, seed=3))
        deep = tf.squeeze(tf.matmul(joined, w), axis=1)
    bias = tf.get_variable("bias", [], initializer=tf.zeros_initializer())
    logits = wide + deep + bias
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=label, logits=logits))
    wide_step = tf.train.FtrlOptimizer(0.3, l1_regularization_strength=0.001).minimize(loss, var_list=[table, bias])
    deep_step = tf.train.GradientDescentOptimizer(0.3).minimize(loss, var_list=[cities, jobs, w])
    step = tf.group(wide_step, deep_step, name="step")
    feed = {city: rng.randint(0, 10, 64), job: rng.randint(0, 5, 64), age: rng.rand(64, 1)}
    feed[label] = (feed[city] + feed[job]) % 2
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            losses.append(sess.run([loss, step], feed)[0])
        losses += sess.run(table)[:5].tolist()
    return losses
