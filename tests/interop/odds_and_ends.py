"""Metrics, strings, images, sparse tensors and queues of special kinds, on our servers and on TensorFlow's.

Run by on_both.py.
"""

import io

import numpy as np

from both import connect, on
from server import tf

v1 = tf.compat.v1


def run(cluster, fetches, feeds=None):
    with connect(cluster) as session:
        return session.run(fetches, feeds)


def metrics(cluster):
    """Counts on the ps, updated by the worker, batch by batch."""
    with v1.device(v1.train.replica_device_setter(worker_device="/job:worker/task:0", cluster=tf.train.ClusterSpec(cluster))):
        labels, scores = v1.placeholder(tf.int64, [None]), v1.placeholder(tf.float32, [None, 4])
        predicted, positive = tf.argmax(scores, 1), tf.cast(labels > 1, tf.float32)
        probability = tf.nn.softmax(scores)[:, 2]
        m = v1.metrics
        pairs = [
            m.accuracy(labels, predicted),
            m.mean(scores),
            m.mean_squared_error(positive, probability),
            m.root_mean_squared_error(positive, probability, weights=positive + 0.5),
            m.mean_absolute_error(positive, probability),
            m.precision(labels > 1, predicted > 1),
            m.recall(labels > 1, predicted > 1),
            m.auc(positive, probability, num_thresholds=20),
            m.precision_at_k(labels, scores, 2),
            m.recall_at_k(labels, scores, 2),
            m.average_precision_at_k(tf.expand_dims(labels, 1), scores, 3),
            m.false_positives(labels > 1, predicted > 1),
            m.mean_iou(labels, predicted, 4),
            m.mean_per_class_accuracy(labels, predicted, 4),
            m.percentage_below(scores, 0.5),
            m.sensitivity_at_specificity(positive, probability, 0.6, num_thresholds=20),
            m.precision_at_thresholds(positive, probability, [0.2, 0.5]),
        ]
        confusion = tf.math.confusion_matrix(labels, predicted, 4)
    values, updates = zip(*pairs)
    with connect(cluster) as session:
        session.run(v1.local_variables_initializer())
        random = np.random.RandomState(1)
        results = []
        for _ in range(3):
            feed = {labels: random.randint(0, 4, size=10), scores: random.rand(10, 4) * 2}
            results.append(session.run([updates, confusion], feed))
        return results, session.run(list(values))


def strings(cluster):
    with on("worker"):
        x = v1.placeholder(tf.string, [None])
        split = v1.string_split(x, " ")
        numbers = tf.constant([1.5, -2.25, 1e10, float("nan")])
        ragged = tf.strings.split(x)
        fetches = [
            split,
            [ragged.values, ragged.row_splits],
            tf.strings.regex_replace(x, "([a-z]+)(\\d)", "<\\2\\1>"),
            tf.strings.regex_replace(x, "o", "0", replace_global=False),
            tf.strings.regex_full_match(x, ".*d.*"),
            [tf.as_string(numbers), tf.as_string(numbers, precision=2, width=9, fill="0"), tf.as_string(numbers, scientific=True)],
            [tf.as_string([7, -30]), tf.as_string([True, False]), tf.as_string(tf.constant([3], tf.int64), width=4)],
            [tf.strings.substr(x, 1, 3), tf.strings.substr(x, -4, 2), tf.strings.substr(x, [1, 2, 0], [1, 2, 4])],
            [tf.strings.join([x, "-", x]), tf.strings.join([x, x], separator="|")],
            [tf.strings.to_number(["1", "-2.5", "1e3"]), tf.strings.to_number(["7", "-8"], tf.int64)],
            [tf.strings.length(x), tf.strings.length(x, unit="UTF8_CHAR"), tf.strings.upper(x), tf.strings.lower(x), tf.strings.strip(x)],
            [tf.strings.reduce_join(x), tf.strings.reduce_join(tf.stack([x, x]), axis=0, separator="+")],
            [tf.strings.to_hash_bucket_fast(x, 1000), tf.strings.to_hash_bucket_strong(x, 1000, [1, 2]), v1.string_to_hash_bucket(x, 1000)],
            [tf.io.encode_base64(x), tf.io.decode_base64(tf.io.encode_base64(x, pad=True))],
            [tf.strings.format("{} and {}", (tf.range(3), x))],
            tf.strings.unsorted_segment_join(x, [1, 0, 1], 2, "/"),
        ]
        csv = tf.io.decode_csv(["1,a,2.5", "2,\"b,c\",", "3,,7"], [[0], ["-"], [9.0]])
    return run(cluster, [fetches, csv], {x: ["hello world1", "more Words 2 ", "Grüße d"]})


def images(cluster):
    from PIL import Image

    random = np.random.RandomState(2)
    pixels = np.kron(random.randint(0, 255, size=(4, 5, 3)), np.ones((4, 4, 1))).astype(np.uint8)
    encoded = {}
    for form in ("PNG", "JPEG", "BMP"):
        buffer = io.BytesIO()
        Image.fromarray(pixels).save(buffer, form, **({"quality": 100, "subsampling": 0} if form == "JPEG" else {}))
        encoded[form] = buffer.getvalue()
    with on("worker"):
        png = tf.io.decode_png(encoded["PNG"])
        gray = tf.io.decode_png(encoded["PNG"], channels=1)
        bmp = tf.io.decode_bmp(encoded["BMP"])
        # Decoders of JPEG may round differently.
        jpeg = tf.cast(tf.io.decode_jpeg(encoded["JPEG"]), tf.float32)
        batch = tf.cast(tf.expand_dims(png, 0), tf.float32) / 255.0
        resized = [v1.image.resize_bilinear(batch, [7, 9], align_corners=corners) for corners in (False, True)]
        resized += [v1.image.resize_bilinear(batch, [40, 33], half_pixel_centers=True), v1.image.resize_nearest_neighbor(batch, [9, 7])]
        resized += [tf.image.resize(batch, [5, 6], method="area"), tf.image.resize(batch, [24, 10], method="bicubic")]
        gradients = v1.gradients([tf.sin(image) for image in resized[:4]], batch)
        changed = [
            tf.image.crop_and_resize(batch, [[0.1, 0.2, 0.7, 0.9]], [0], [4, 4]),
            tf.image.adjust_contrast(batch, 1.5),
            tf.image.adjust_hue(batch, 0.1),
            tf.image.rgb_to_hsv(batch),
            tf.image.decode_png(tf.image.encode_png(png)),
            tf.image.flip_left_right(png),
            tf.image.resize_with_crop_or_pad(png, 10, 30),
            tf.image.random_flip_left_right(png, seed=3),
            tf.image.random_brightness(png, 0.3, seed=4),
            v1.random_crop(png, [5, 5, 3], seed=5),
            tf.image.per_image_standardization(png),
        ]
    with connect(cluster) as session:
        results = session.run([png, gray, bmp, resized, gradients, changed])
        error = np.abs(session.run(jpeg) - pixels).mean()
        assert error < 8, error
        return results


def sparse(cluster):
    with on("ps"):
        a = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [1.0, 2.0, 3.0], [2, 4])
        b = tf.SparseTensor([[0, 1], [0, 3], [1, 1]], [10.0, 20.0, 30.0], [2, 4])
    with on("worker"):
        x = v1.placeholder(tf.float32, [4, 3])
        s = tf.sparse
        product = s.sparse_dense_matmul(a, x)
        fetches = [
            product,
            v1.gradients(product ** 2, x),
            s.to_dense(a, default_value=-1.0),
            s.concat(1, [a, b]),
            s.concat(0, [a, b]),
            s.reorder(tf.SparseTensor([[1, 1], [0, 0]], [1, 2], [2, 2])),
            s.reshape(a, [4, 2]),
            s.slice(a, [0, 1], [2, 2]),
            s.transpose(a),
            s.retain(a, [True, False, True]),
            list(s.fill_empty_rows(tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [4, 3]), 9)),
            s.to_indicator(tf.SparseTensor([[0, 0], [1, 0]], tf.constant([1, 3], tf.int64), [2, 1]), 5),
            s.from_dense([[0, 3], [4, 0]]),
            s.segment_sum(x, [0, 2, 3], [0, 0, 1]),
            tf.scatter_nd([[0], [3]], [[1.0, 2.0], [3.0, 4.0]], [5, 2]),
            v1.gradients(tf.IndexedSlices(x, [0, 1, 2, 3]).values * 2.0, x),
            s.map_values(tf.abs, a),
            s.sparse_dense_matmul(a, x, adjoint_b=False, adjoint_a=False),
            v1.deserialize_many_sparse(v1.serialize_many_sparse(a), tf.float32),
            tf.sets.intersection(s.from_dense([[1, 2], [3, 4]]), s.from_dense([[2, 5], [4, 3]])),
            v1.sparse_to_dense([1, 3], [5], [7, 8]),
        ]
    return run(cluster, fetches, {x: np.arange(12).reshape(4, 3) / 5})


def queues(cluster):
    """Queues of each kind on the ps, filled and emptied by the worker."""
    with on("ps"):
        padding = tf.queue.PaddingFIFOQueue(10, [tf.int32], [[None]])
        shuffling = tf.queue.RandomShuffleQueue(20, 3, [tf.int64], [[]], seed=3)
    with on("worker"):
        x = v1.placeholder(tf.int32, [None])
        put, many = padding.enqueue([x]), padding.dequeue_many(3)
        fill, close = shuffling.enqueue_many([tf.range(10, dtype=tf.int64)]), shuffling.close()
        taken = shuffling.dequeue()
        rest = shuffling.dequeue_up_to(20)
        sizes = [padding.size(), shuffling.size()]
    with connect(cluster) as session:
        for row in ([1], [2, 3, 4], []):
            session.run(put, {x: row})
        session.run(fill)
        results = [session.run(sizes), session.run(many), [session.run(taken) for _ in range(4)]]
        session.run(close)
        return results + [np.sort(session.run(rest)), session.run(sizes)]


def priority_queue(cluster):
    with on("ps"):
        queue = v1.PriorityQueue(10, [tf.string], [[]])
    with on("worker"):
        put = queue.enqueue_many([tf.constant([5, 1, 3, 1], tf.int64), ["five", "one", "three", "also one"]])
        one, two, size = queue.dequeue(), queue.dequeue_many(2), queue.size()
    with connect(cluster) as session:
        session.run(put)
        return [session.run(size), session.run(two)[0], session.run(one), session.run(one), session.run(size)]


def barrier(cluster):
    from tensorflow.python.ops import data_flow_ops

    with on("ps"):
        b = data_flow_ops.Barrier((tf.float32, tf.int32), shapes=((), (2,)), shared_name="b", name="b")
    with on("worker"):
        first = b.insert_many(0, tf.constant(["a", "b", "c"]), tf.constant([1.0, 2.0, 3.0]))
        second = b.insert_many(1, tf.constant(["c", "a"]), tf.constant([[5, 6], [7, 8]]))
        third = b.insert_many(1, tf.constant(["b"]), tf.constant([[9, 9]]))
        sizes, take = [b.ready_size(), b.incomplete_size()], b.take_many(2)
        last = b.take_many(5, allow_small_batch=True)
        close = b.close()
    with connect(cluster) as session:
        results = []
        for op in (first, second):
            session.run(op)
            results.append(session.run(sizes))
        results.append(session.run(take))
        session.run(third)
        session.run(close)
        return results + [session.run(last), session.run(sizes)]


def denormals(cluster):
    """Numbers next to zero become zero on whatever thread a task computes, and only there; bit by bit."""
    with on("ps"):
        v = v1.get_variable("v", initializer=tf.constant([1.5e-38, 7.5e-39, 1.0]))
        grow = v1.assign_add(v, [0.0, 0.0, 1.0])
    with on("worker"):
        x, y = v1.placeholder(tf.float32, [3]), v1.placeholder(tf.float64, [3])
        singles = [x * 0.5, x * 1e38, x + 0.0, v * 0.5, tf.identity(x), v1.while_loop(lambda z: z[2] < 9, lambda z: z * 2.0, [x])]
        doubles = [y * 0.5, y * 1e308]
    with connect(cluster) as session:
        session.run(v.initializer)
        fetches = [tf.bitcast(z, tf.int32) for z in [*singles, v]] + [tf.bitcast(z, tf.int64) for z in doubles]
        feeds = {x: np.array([1.5e-38, 7.5e-39, 1], np.float32), y: [3e-308, 1e-310, 1]}
        return [session.run(fetches, feeds), session.run(tf.bitcast(grow, tf.int32)), session.run(fetches, feeds)]


def metadata(cluster):
    """What a step tells of its nodes: sizes of outputs, in the cost graph and in the statistics, and the graphs that ran."""
    with on("worker"):
        x = v1.placeholder(tf.float32, [None, 8], name="x")
        work = tf.matmul(x, tf.transpose(x), name="work")
    with on("ps"):
        total = tf.reduce_sum(work, 0, name="total")
    config = v1.ConfigProto()
    config.graph_options.build_cost_model = 1
    config.graph_options.optimizer_options.opt_level = -1
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE, output_partition_graphs=True)
    told = v1.RunMetadata()
    with v1.Session("grpc://" + cluster["worker"][0], config=config) as session:
        session.run(total, {x: np.ones([5, 8])}, options=options, run_metadata=told)
    costs = {node.name: node for node in told.cost_graph.node}
    sizes = [[info.size for info in costs[name].output_info] for name in ("work", "total")]
    shapes = [[dim.size for dim in costs[name].output_info[0].shape.dim] for name in ("work", "total")]
    assert all(costs[name].compute_cost >= 0 and costs[name].device for name in ("work", "total"))
    stats = {node.node_name: node for device in told.step_stats.dev_stats for node in device.node_stats}
    described = [stats[name].output[0].tensor_description for name in ("work", "total")]
    outputs = [[dim.size for dim in description.shape.dim] for description in described]
    bytes_needed = [description.allocation_description.requested_bytes for description in described]
    assert all(sum(memory.total_bytes for memory in stats[name].memory) > 0 for name in ("work", "total"))
    parts = sorted({node.name for graph in told.partition_graphs for node in graph.node if node.name in ("work", "total")})
    return sizes, shapes, outputs, bytes_needed, parts


PROGRAMS = [metrics, strings, images, sparse, queues, priority_queue, barrier, denormals, metadata]
