"""Datasets of tensors: orders, batches, functions of elements."""

import numpy as np


def build(tf):
    made = []

    def fetch(dataset, take=6):
        element = dataset.take(take).batch(take).make_one_shot_iterator().get_next()
        made.extend([element[key] for key in sorted(element)] if isinstance(element, dict)
                    else element if isinstance(element, tuple) else [element])

    numbers = tf.data.Dataset.range(1, 30)
    slices = {"b": np.arange(12), "a": np.arange(24.0).reshape(12, 2)}
    fetch(tf.data.Dataset.from_tensor_slices(slices).shuffle(10, seed=5).repeat().prefetch(1))
    fetch(tf.data.Dataset.from_tensor_slices(["x", "y", "z"]).repeat(2).concatenate(tf.data.Dataset.from_tensors("w")))
    fetch(tf.data.Dataset.range(6).shuffle(6, seed=1, reshuffle_each_iteration=False).repeat(5), take=18)
    factor = tf.constant([3, 4])
    fetch(tf.data.Dataset.from_tensors(tf.constant([1, 2])).map(lambda x: x * 2 + factor, num_parallel_calls=4).repeat())
    fetch(numbers.filter(lambda x: tf.equal(x % 2, 0)).skip(1).cache().shard(2, 0))
    fetch(numbers.flat_map(lambda x: tf.data.Dataset.from_tensors(x).repeat(x)), take=9)
    fetch(numbers.interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(x), cycle_length=2, block_length=2))
    fetch(numbers.interleave(lambda x: tf.data.Dataset.range(x), cycle_length=2, num_parallel_calls=2))
    hundred = tf.constant(100, tf.int64)
    fetch(numbers.flat_map(lambda x: tf.data.Dataset.range(x).map(lambda y: x * hundred + y)), take=9)
    both = tf.data.Dataset.zip((numbers, tf.data.Dataset.from_tensors((1.0, "x")).repeat()))
    fetch(both.map(lambda x, pair: {"k": x, "j": pair[0], "z": pair[1]}))
    ragged = numbers.map(lambda x: tf.fill([x % 5], x))
    fetch(ragged.padded_batch(3, [5]), take=2)
    fetch(ragged.padded_batch(2, [7], padding_values=tf.constant(3, tf.int64), drop_remainder=True).unbatch(), take=4)
    fetch(numbers.window(2).flat_map(lambda window: window.batch(2)))
    fetch(tf.data.Dataset.from_generator(lambda: iter([(1, "a"), (2, "b")]), (tf.int64, tf.string), ([], [])).repeat())
    fetch(numbers.map(lambda x: tf.py_func(lambda value: value * 2, [x], tf.int64)))
    made.append(numbers.reduce(np.int64(0), lambda total, x: total + x))
    numbers.make_initializable_iterator(shared_name="shared").get_next("following")
    either = tf.data.Iterator.from_structure((tf.float32, tf.int64), (tf.TensorShape([None]), tf.TensorShape([])))
    either.make_initializer(tf.data.Dataset.from_tensors(([1.0], np.int64(3))))
    either.get_next()
    handle = tf.placeholder(tf.string, [])
    tf.data.Iterator.from_string_handle(handle, tf.int64, tf.TensorShape([])).get_next()
    return made
