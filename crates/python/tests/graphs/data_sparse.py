"""Datasets whose elements hold sparse tensors."""


def build(tf):
    sparse = tf.SparseTensor([[0, 1], [1, 0], [2, 2]], [5, 6, 7], [3, 4])

    def double(element):
        part = element["s"]
        return {"s": tf.SparseTensor(part.indices, part.values * 2, part.dense_shape), "x": element["x"] + 1}

    examples = [
        tf.train.Example(features=tf.train.Features(feature={
            "k": tf.train.Feature(int64_list=tf.train.Int64List(value=values))})).SerializeToString()
        for values in ([1, 2], [], [3])
    ]
    slices = tf.data.Dataset.from_tensor_slices({"s": sparse, "x": tf.constant([1, 2, 3])})
    parsed = tf.data.Dataset.from_tensor_slices(examples)
    parsed = parsed.map(lambda example: tf.parse_single_example(example, {"k": tf.VarLenFeature(tf.int64)}))
    pairs = tf.data.Dataset.zip((tf.data.Dataset.from_tensors(sparse).repeat(2), tf.data.Dataset.range(2)))
    fetched = []
    for dataset in (
        tf.data.Dataset.from_tensors(sparse),
        slices.map(double).filter(lambda element: element["x"] > 1).batch(2),
        parsed.batch(3),
        pairs.shuffle(1).prefetch(1).skip(1),
    ):
        element = tf.data.make_one_shot_iterator(dataset).get_next()
        parts = list(element.values()) if isinstance(element, dict) else element if isinstance(element, tuple) else [element]
        for part in parts:
            fetched += [part.indices, part.values, part.dense_shape] if isinstance(part, tf.SparseTensor) else [part]
    return fetched
