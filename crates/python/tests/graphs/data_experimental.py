"""Datasets by `tf.data.experimental`, and datasets of files."""

import os

import numpy as np


def build(tf):
    made = []
    more = tf.data.experimental

    def fetch(dataset, take=6):
        made.append(dataset.take(take).make_one_shot_iterator().get_next())

    numbers = tf.data.Dataset.range(100)
    batches = numbers.apply(more.map_and_batch(lambda x: x + 1, 3))
    fetch(batches)
    fetch(numbers.apply(more.map_and_batch(lambda x: x + 1, 3, num_parallel_batches=2, drop_remainder=True)))
    fetch(numbers.apply(more.shuffle_and_repeat(6, seed=1)).batch(20))
    fetch(batches.apply(more.unbatch()).apply(more.take_while(lambda x: x < 50)).batch(8))
    fetch(numbers.apply(more.scan(np.int64(0), lambda total, x: (total + x, total))).batch(8))
    fetch(numbers.apply(more.enumerate_dataset(5)).map(lambda i, x: i * x).batch(3))
    fetch(numbers.apply(more.group_by_window(lambda x: x % 2, lambda key, group: group.batch(2), 2)))
    fetch(tf.data.Dataset.from_tensor_slices([3, 3, 1, 3, 1]).apply(more.unique()).batch(3))
    ragged = numbers.map(lambda x: tf.fill([x % 7 + 1], x))
    fetch(ragged.apply(more.bucket_by_sequence_length(lambda x: tf.size(x), [3, 5], [2, 2, 2], padded_shapes=[None])))
    choices = tf.data.Dataset.from_tensor_slices(np.array([0, 1, 1, 0, 0, 1]))
    fetch(more.choose_from_datasets([numbers, numbers.skip(50)], choices).batch(6))
    made.append(more.get_single_element(numbers.take(1)))
    here = __file__
    fetch(tf.data.TextLineDataset(here))
    fetch(tf.data.TextLineDataset([here, here]).skip(1))
    fetch(tf.data.FixedLengthRecordDataset(here, 1, 1, 1))
    fetch(tf.data.Dataset.list_files(here, shuffle=False).flat_map(tf.data.TextLineDataset))
    tf.data.Dataset.list_files(here, seed=1)
    tf.data.TFRecordDataset(["x", "y"], compression_type="GZIP", buffer_size=10)
    table = os.path.join(os.path.dirname(here), "table.csv")
    fetch(more.CsvDataset(table, [tf.string, tf.int32, [0.5]], header=True))
    fetch(more.CsvDataset([table], [[7], tf.float32], header=True, select_cols=[1, 2], na_value="none", buffer_size=16))
    fetch(more.CsvDataset(table, [tf.string], field_delim="\t", use_quote_delim=False))
    return made
