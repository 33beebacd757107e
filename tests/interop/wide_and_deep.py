"""Models of sparse features: partitioned embeddings, examples that are parsed in the graph, sparse updates, and sampled
losses, on our servers and on TensorFlow's.

Run by on_both.py.
"""

import numpy as np

from both import connect, on
from server import tf

v1 = tf.compat.v1
BATCH, STEPS = 16, 12


def setter(cluster):
    return v1.device(v1.train.replica_device_setter(worker_device="/job:worker/task:0", cluster=tf.train.ClusterSpec(cluster)))


def random_rows(name):
    return v1.random_uniform_initializer(-0.5, 0.5, seed=len(name))


# Wide and deep


def examples(random):
    """Serialized examples: words of any number, some weighted ids, a number, a label that follows from them."""
    rows = []
    for _ in range(BATCH):
        words, ids = random.randint(0, 40, size=random.randint(0, 5)), random.randint(0, 30, size=random.randint(1, 4))
        age = float(random.rand())
        example = tf.train.Example()
        feature = example.features.feature
        if len(words):
            feature["words"].bytes_list.value.extend(b"w%d" % word for word in words)
        feature["ids"].int64_list.value.extend(ids)
        feature["weights"].float_list.value.extend(random.rand(len(ids)) + 0.1)
        feature["age"].float_list.value.append(age)
        feature["label"].int64_list.value.append(int(int(sum(words) + sum(ids) + 20 * age) % 5 < 2))
        rows.append(example.SerializeToString())
    return rows


def wide_and_deep(cluster, resource, combiner):
    with setter(cluster), v1.variable_scope("model", use_resource=resource):
        serialized = v1.placeholder(tf.string, [None])
        features = v1.parse_example(
            serialized,
            {
                "words": tf.io.VarLenFeature(tf.string),
                "ids": tf.io.VarLenFeature(tf.int64),
                "weights": tf.io.VarLenFeature(tf.float32),
                "age": tf.io.FixedLenFeature([1], tf.float32),
                "absent": tf.io.FixedLenFeature([2], tf.float32, default_value=[0.5, -0.5]),
                "label": tf.io.FixedLenFeature([], tf.int64),
            },
        )
        words = features["words"]
        buckets = tf.SparseTensor(
            words.indices, tf.strings.to_hash_bucket_fast(words.values, 100), words.dense_shape
        )
        two = v1.fixed_size_partitioner(2)
        with v1.variable_scope("deep", partitioner=two):
            by_word = v1.get_variable("by_word", [100, 8], initializer=random_rows("by_word"))
            by_id = v1.get_variable("by_id", [31, 6], initializer=random_rows("by_id"))
        with v1.variable_scope("wide", partitioner=v1.variable_axis_size_partitioner(200, max_shards=2)):
            wide = v1.get_variable("weight", [100, 1], initializer=v1.zeros_initializer())
        deep = tf.concat(
            [
                v1.nn.safe_embedding_lookup_sparse(by_word, buckets, combiner=combiner),
                v1.nn.embedding_lookup_sparse(by_id, features["ids"], features["weights"], combiner=combiner),
                features["age"],
                features["absent"],
            ],
            axis=1,
        )
        with v1.variable_scope("deep"):
            for width in (12, 1):
                kernel = v1.get_variable(f"kernel_{width}", [deep.shape[1], width], initializer=random_rows("k" * width))
                bias = v1.get_variable(f"bias_{width}", [width], initializer=v1.zeros_initializer())
                deep = tf.matmul(deep, kernel) + bias
                deep = tf.nn.relu(deep) if width > 1 else deep
        bias = v1.get_variable("wide/bias", [1], initializer=v1.zeros_initializer())
        logits = deep + v1.nn.safe_embedding_lookup_sparse(wide, buckets, combiner="sum") + bias
        labels = tf.cast(tf.expand_dims(features["label"], 1), tf.float32)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
        step = v1.train.get_or_create_global_step()
        wide_part = v1.get_collection(v1.GraphKeys.TRAINABLE_VARIABLES, "model/wide")
        deep_part = v1.get_collection(v1.GraphKeys.TRAINABLE_VARIABLES, "model/deep")
        assert len(wide_part) == 3 and len(deep_part) == 8, (wide_part, deep_part)
        ftrl = v1.train.FtrlOptimizer(0.2, l1_regularization_strength=0.01, l2_regularization_strength=0.02)
        train = tf.group(
            ftrl.minimize(loss, var_list=wide_part),
            v1.train.AdagradOptimizer(0.1).minimize(loss, var_list=deep_part, global_step=step),
        )
    with connect(cluster) as session:
        session.run(v1.global_variables_initializer())
        random = np.random.RandomState(5)
        losses = [session.run([loss, train], {serialized: examples(random)})[0] for _ in range(STEPS)]
        parsed = session.run(features, {serialized: examples(random)})
        assert session.run(step) == STEPS
        return losses, parsed, session.run([v1.convert_to_tensor(wide), v1.convert_to_tensor(by_word)])


def wide_and_deep_ref(cluster):
    return wide_and_deep(cluster, False, "mean")


def wide_and_deep_resource(cluster):
    return wide_and_deep(cluster, True, "sqrtn")


def sparse_optimizers(cluster):
    """Each optimizer on rows that come more than once in a step, for both kinds of variables."""
    optimizers = {
        "gradient_descent": lambda: v1.train.GradientDescentOptimizer(0.1),
        "momentum": lambda: v1.train.MomentumOptimizer(0.1, 0.9),
        "nesterov": lambda: v1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        "adagrad": lambda: v1.train.AdagradOptimizer(0.1),
        "adagrad_da": lambda: v1.train.AdagradDAOptimizer(0.1, v1.train.get_or_create_global_step(), l1_regularization_strength=0.01),
        "adadelta": lambda: v1.train.AdadeltaOptimizer(0.5),
        "adam": lambda: v1.train.AdamOptimizer(0.05),
        "ftrl": lambda: v1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
        "rms_prop": lambda: v1.train.RMSPropOptimizer(0.05, momentum=0.5),
        "centered": lambda: v1.train.RMSPropOptimizer(0.05, centered=True),
        "proximal_adagrad": lambda: v1.train.ProximalAdagradOptimizer(0.1, l2_regularization_strength=0.1),
        "proximal_descent": lambda: v1.train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.01),
    }
    tables, steps = [], []
    ids = v1.placeholder(tf.int64, [None])
    with setter(cluster):
        for resource in (False, True):
            for name, optimizer in optimizers.items():
                with v1.variable_scope(f"{name}_{resource}", use_resource=resource):
                    table = v1.get_variable("table", [6, 3], initializer=random_rows(name))
                    loss = tf.reduce_sum((tf.nn.embedding_lookup(table, ids) - [1.0, -2.0, 0.5]) ** 2)
                    steps.append(optimizer().minimize(loss))
                    tables.append(table)
    with connect(cluster) as session:
        session.run(v1.global_variables_initializer())
        for rows in ([0, 1, 1], [5, 5, 5, 2], [], [3], [1, 0]):
            session.run(steps, {ids: rows})
        return session.run(tables)


# Words


def skip_grams(cluster, loss_of, resource):
    words, width = 200, 16
    with setter(cluster), v1.variable_scope("words", use_resource=resource, partitioner=v1.fixed_size_partitioner(2)):
        x, y = v1.placeholder(tf.int64, [None]), v1.placeholder(tf.int64, [None, 1])
        table = v1.get_variable("table", [words, width], initializer=random_rows("table"))
        kernel = v1.get_variable("kernel", [words, width], initializer=random_rows("kernel"))
        bias = v1.get_variable("bias", [words], initializer=v1.zeros_initializer())
        rows = tf.nn.embedding_lookup(table, x)
        loss = tf.reduce_mean(loss_of(weights=kernel, biases=bias, labels=y, inputs=rows, num_sampled=10, num_classes=words))
        train = v1.train.AdagradOptimizer(0.5).minimize(loss)
        # Nearest words, as the tutorial prints them.
        table = v1.convert_to_tensor(table)
        unit = table / tf.sqrt(tf.reduce_sum(tf.square(table), 1, keepdims=True))
        nearest = tf.math.top_k(tf.matmul(tf.nn.embedding_lookup(unit, [3, 50]), unit, transpose_b=True), 5)
    with connect(cluster) as session:
        session.run(v1.global_variables_initializer())
        random, losses = np.random.RandomState(2), []
        for _ in range(STEPS):
            centers = random.zipf(1.6, size=32) % words
            losses.append(session.run([loss, train], {x: centers, y: (centers[:, None] * 3 + 1) % words})[0])
        return losses, list(session.run(nearest))


def word2vec_nce(cluster):
    return skip_grams(cluster, v1.nn.nce_loss, False)


def word2vec_sampled_softmax(cluster):
    return skip_grams(cluster, lambda **arguments: v1.nn.sampled_softmax_loss(seed=11, **arguments), True)


def word2vec_chosen_samplers(cluster):
    """Samplers given to the loss, and accidental hits removed."""
    def loss(labels, **arguments):
        sampled = tf.random.uniform_candidate_sampler(labels, 1, 10, True, 200, seed=4)
        return v1.nn.nce_loss(labels=labels, sampled_values=sampled, remove_accidental_hits=True, **arguments)

    labels = tf.constant([[1, 5], [7, 199], [3, 3]], tf.int64)
    with on("worker"):
        samples = [
            tf.random.log_uniform_candidate_sampler(labels, 2, 12, True, 200, seed=3),
            tf.random.log_uniform_candidate_sampler(labels, 2, 12, False, 200, seed=3),
            tf.random.uniform_candidate_sampler(labels, 2, 12, False, 200, seed=3),
            tf.nn.compute_accidental_hits(labels, tf.range(10, dtype=tf.int64), 2),
        ]
    with connect(cluster) as session:
        drawn = [session.run([list(sample) for sample in samples]) for _ in range(3)]
    return drawn, skip_grams(cluster, loss, True)


PROGRAMS = [
    wide_and_deep_ref,
    wide_and_deep_resource,
    sparse_optimizers,
    word2vec_nce,
    word2vec_sampled_softmax,
    word2vec_chosen_samplers,
]
