"""Input pipelines on TensorFlow and on tensorfleet: records a second from a file of images like MNIST's.

usage: input.py PATH_OF_TENSORFLEET_BENCH [PIPELINE ...]
"""

import os
import statistics
import subprocess
import sys
import tempfile

import numpy as np

from common import rate, tf, v1

ROUNDS, RECORDS, BATCH = 5, 20_000, 128
FEATURES = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}
NUMBERS = {"pixels": tf.io.FixedLenFeature([784], tf.float32), "label": tf.io.FixedLenFeature([], tf.int64)}


def write_records(file, numbers):
    """Images as bytes, or as lists of numbers."""
    random = np.random.default_rng(1)

    def feature(**kind):
        return tf.train.Feature(**kind)

    with tf.io.TFRecordWriter(file) as writer:
        for number in range(RECORDS):
            pixels = random.integers(0, 256, 784, dtype=np.uint8)
            label = feature(int64_list=tf.train.Int64List(value=[number % 10]))
            if numbers:
                image = {"pixels": feature(float_list=tf.train.FloatList(value=pixels / 255.0))}
            else:
                image = {"image": feature(bytes_list=tf.train.BytesList(value=[pixels.tobytes()]))}
            example = tf.train.Example(features=tf.train.Features(feature={**image, "label": label}))
            writer.write(example.SerializeToString())


def decoded(parsed):
    if "pixels" in parsed:
        return parsed["pixels"], parsed["label"]
    image = tf.reshape(tf.io.decode_raw(parsed["image"], tf.uint8), [784])
    return tf.cast(image, tf.float32) / 255.0, parsed["label"]


def queue(file, threads):
    names = v1.train.string_input_producer([file], shuffle=False)
    _, text = v1.TFRecordReader().read(names)
    image, label = decoded(v1.parse_single_example(text, FEATURES))
    batch = v1.train.shuffle_batch([image, label], BATCH, 4_000, 1_000, num_threads=threads)
    return tf.no_op(), tf.group(*batch)


def queue_batched(file, threads):
    """Records are read many at a time and parsed in batches, as TensorFlow's guide for fast queues says."""
    names = v1.train.string_input_producer([file], shuffle=False)
    _, texts = v1.TFRecordReader().read_up_to(names, BATCH)
    texts = v1.train.shuffle_batch([texts], BATCH, 4_000, 1_000, num_threads=threads, enqueue_many=True)
    parsed = v1.parse_example(texts, FEATURES)
    images = tf.cast(tf.io.decode_raw(parsed["image"], tf.uint8), tf.float32) / 255.0
    return tf.no_op(), tf.group(images, parsed["label"])


def dataset(file, features=FEATURES, calls=None, parse_batches=False):
    records = v1.data.TFRecordDataset(file).repeat()
    if parse_batches:
        records = records.shuffle(4_000).batch(BATCH).map(lambda texts: v1.parse_example(texts, features), calls)
    else:
        records = records.map(lambda text: decoded(v1.parse_single_example(text, features)), calls)
        records = records.shuffle(4_000).batch(BATCH)
    iterator = v1.data.make_initializable_iterator(records.prefetch(4))
    parts = iterator.get_next()
    return iterator.initializer, tf.group(*(parts.values() if isinstance(parts, dict) else parts))


# Name, what builds it, whether images are lists of numbers.
PIPELINES = {
    "queue, 1 thread": (lambda file: queue(file, 1), False),
    "queue, 4 threads": (lambda file: queue(file, 4), False),
    "queue, batches parsed": (lambda file: queue_batched(file, 2), False),
    "dataset": (dataset, False),
    "dataset, 2 calls at once": (lambda file: dataset(file, calls=2), False),
    "dataset of numbers": (lambda file: dataset(file, NUMBERS), True),
    "dataset, batches parsed": (lambda file: dataset(file, NUMBERS, 2, True), True),
}


def theirs(init, step):
    with v1.Session() as session:
        session.run(init)
        coord = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coord)
        batches = rate(session.make_callable(step))
        coord.request_stop()
        session.run([runner.cancel_op for runner in v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)])
        coord.join(threads, ignore_live_threads=True)
    return batches


def main(binary, names):
    with tempfile.TemporaryDirectory() as folder:
        files = {numbers: os.path.join(folder, f"records_{numbers}") for numbers in (False, True)}
        for numbers, file in files.items():
            write_records(file, numbers)
        print(f"{'records/s':<28}{'TensorFlow':>12}{'tensorfleet':>13}{'ratio':>8}   medians of {ROUNDS}")
        for name in names or PIPELINES:
            build, numbers = PIPELINES[name]
            with tf.Graph().as_default():
                init, step = build(files[numbers])
                meta = os.path.join(folder, "pipeline.meta")
                v1.train.export_meta_graph(meta)
                command = [binary, "input", meta, init.name, step.name]
                their, our = [], []
                for _ in range(ROUNDS):
                    their.append(theirs(init, step) * BATCH)
                    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
                    our.append(float(run.stdout) * BATCH)
            their, our = statistics.median(their), statistics.median(our)
            print(f"{name:<28}{their:>12.0f}{our:>13.0f}{our / their:>8.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
