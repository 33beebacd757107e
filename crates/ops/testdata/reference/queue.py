"""Queues, as one client sees them step after step. Waiting and waking is tested where threads are."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    fifo(f)
    many(f)
    closing(f)
    padding(f)
    shuffling(f)
    waiting(f)
    mistakes(f)
    python(f)


def fifo(f):
    with f.scenario("FIFOQueueV2") as s:
        q = tf.raw_ops.FIFOQueueV2(component_types=[tf.int32, tf.string], shapes=[[], [2]], capacity=4, name="q")
        x, y = v1.placeholder(tf.int32, name="x"), v1.placeholder(tf.string, name="y")
        put = tf.raw_ops.QueueEnqueueV2(handle=q, components=[x, y])
        get = tf.raw_ops.QueueDequeueV2(handle=q, component_types=[tf.int32, tf.string])
        size = tf.raw_ops.QueueSizeV2(handle=q)
        closed = tf.raw_ops.QueueIsClosedV2(handle=q)
        s.run([size, closed])
        for k in range(3):
            s.run([], {x: scalar(k), y: np.array([b"a%d" % k, b""], object)}, targets=[put])
        s.run([size])
        s.run(list(get))
        s.run(list(get))
        s.run([size])
        s.run([], {x: scalar(9), y: np.array([b"a"], object)}, targets=[put])
        s.run([], {x: i32(9), y: np.array([b"a", b"b"], object)}, targets=[put])
        s.run([size])
    with f.scenario("FIFOQueueV2/no_shapes") as s:
        q = tf.raw_ops.FIFOQueueV2(component_types=[tf.float32], capacity=4, name="q")
        x = v1.placeholder(tf.float32, name="x")
        put = tf.raw_ops.QueueEnqueueV2(handle=q, components=[x])
        get = tf.raw_ops.QueueDequeueV2(handle=q, component_types=[tf.float32])
        get2 = tf.raw_ops.QueueDequeueManyV2(handle=q, n=2, component_types=[tf.float32])
        for shape in [(), (2,), (0, 3)]:
            s.run([], {x: values(shape)}, targets=[put])
        s.run(list(get))
        s.run(list(get))
        s.run(list(get))
        s.run(list(get2))
    with f.scenario("FIFOQueueV2/shared_name") as s:
        make = lambda name, capacity: tf.raw_ops.FIFOQueueV2(component_types=[tf.int32], shapes=[[]], capacity=capacity,
                                                             shared_name="one", name=name)
        a, b, other = make("a", 3), make("b", 3), make("c", 5)
        s.run([], targets=[tf.raw_ops.QueueEnqueueV2(handle=a, components=[tf.constant(5)])])
        s.run([tf.raw_ops.QueueSizeV2(handle=b)])
        s.run(list(tf.raw_ops.QueueDequeueV2(handle=b, component_types=[tf.int32])))
        s.run([tf.raw_ops.QueueSizeV2(handle=other)])
    with f.scenario("FIFOQueue/reference") as s:
        q = tf.raw_ops.FIFOQueue(component_types=[tf.int32], shapes=[[]], capacity=3, name="q")
        s.run([], targets=[tf.raw_ops.QueueEnqueue(handle=q, components=[tf.constant(5)])])
        s.run([tf.raw_ops.QueueSize(handle=q)])
        s.run(list(tf.raw_ops.QueueDequeue(handle=q, component_types=[tf.int32])))


def many(f):
    with f.scenario("QueueEnqueueManyV2") as s:
        q = tf.raw_ops.FIFOQueueV2(component_types=[tf.float32, tf.int64], shapes=[[2], []], capacity=20, name="q")
        x, y = v1.placeholder(tf.float32, name="x"), v1.placeholder(tf.int64, name="y")
        n = v1.placeholder(tf.int32, name="n")
        put = tf.raw_ops.QueueEnqueueManyV2(handle=q, components=[x, y])
        get = tf.raw_ops.QueueDequeueManyV2(handle=q, n=n, component_types=[tf.float32, tf.int64])
        upto = tf.raw_ops.QueueDequeueUpToV2(handle=q, n=n, component_types=[tf.float32, tf.int64])
        size = tf.raw_ops.QueueSizeV2(handle=q)
        s.run([], {x: values((5, 2)), y: np.arange(5)}, targets=[put])
        s.run([size])
        s.run(list(get), {n: scalar(2)})
        s.run(list(get), {n: scalar(0)})
        s.run(list(upto), {n: scalar(1)})
        s.run([], {x: values((0, 2)), y: np.arange(0)}, targets=[put])
        s.run([size])
        s.run(list(get), {n: scalar(-1)})
        s.run(list(upto), {n: scalar(-1)})
        s.run([], {x: values((3, 2)), y: np.arange(2)}, targets=[put])
        s.run([], {x: values((3, 1)), y: np.arange(3)}, targets=[put])
        s.run([size])
        s.run([], targets=[tf.raw_ops.QueueCloseV2(handle=q)])
        s.run(list(get), {n: scalar(5)})
        s.run(list(upto), {n: scalar(5)})
        s.run(list(upto), {n: scalar(5)})
        s.run(list(get), {n: scalar(0)})


def closing(f):
    with f.scenario("QueueCloseV2") as s:
        q = tf.raw_ops.FIFOQueueV2(component_types=[tf.int32], shapes=[[]], capacity=4, name="q")
        put = tf.raw_ops.QueueEnqueueV2(handle=q, components=[tf.constant(1)])
        puts = tf.raw_ops.QueueEnqueueManyV2(handle=q, components=[tf.constant([1, 2])])
        get = tf.raw_ops.QueueDequeueV2(handle=q, component_types=[tf.int32])
        close = tf.raw_ops.QueueCloseV2(handle=q)
        cancel = tf.raw_ops.QueueCloseV2(handle=q, cancel_pending_enqueues=True)
        closed = tf.raw_ops.QueueIsClosedV2(handle=q)
        s.run([], targets=[put])
        s.run([], targets=[close])
        s.run([closed])
        s.run([], targets=[put])
        s.run([], targets=[puts])
        s.run(list(get))
        s.run(list(get))
        s.run([], targets=[close])
        s.run([], targets=[cancel])
        s.run([closed])


def padding(f):
    with f.scenario("PaddingFIFOQueueV2") as s:
        q = tf.raw_ops.PaddingFIFOQueueV2(component_types=[tf.int32, tf.string], shapes=[tf.TensorShape([None]), tf.TensorShape([])],
                                          capacity=10, name="q")
        x, y = v1.placeholder(tf.int32, name="x"), v1.placeholder(tf.string, name="y")
        put = tf.raw_ops.QueueEnqueueV2(handle=q, components=[x, y])
        for k in [1, 3, 0, 2]:
            s.run([], {x: np.arange(1, k + 1, dtype=np.int32), y: np.array(b"k%d" % k, object)}, targets=[put])
        s.run(list(tf.raw_ops.QueueDequeueManyV2(handle=q, n=3, component_types=[tf.int32, tf.string])))
        s.run(list(tf.raw_ops.QueueDequeueV2(handle=q, component_types=[tf.int32, tf.string])))
        s.run([], {x: np.zeros((1, 1), np.int32), y: np.array(b"", object)}, targets=[put])
        s.run([tf.raw_ops.QueueSizeV2(handle=q)])


def shuffling(f):
    for seeds in [(7, 8), (0, 3)]:
        with f.scenario("RandomShuffleQueueV2") as s:
            q = tf.raw_ops.RandomShuffleQueueV2(component_types=[tf.int32], shapes=[[]], capacity=50, min_after_dequeue=2,
                                                seed=seeds[0], seed2=seeds[1], name="q")
            put = tf.raw_ops.QueueEnqueueManyV2(handle=q, components=[tf.range(12)])
            get = tf.raw_ops.QueueDequeueV2(handle=q, component_types=[tf.int32])
            get4 = tf.raw_ops.QueueDequeueManyV2(handle=q, n=4, component_types=[tf.int32])
            upto = tf.raw_ops.QueueDequeueUpToV2(handle=q, n=4, component_types=[tf.int32])
            s.run([], targets=[put])
            s.run(list(get))
            s.run(list(get))
            s.run(list(get4))
            s.run([tf.raw_ops.QueueSizeV2(handle=q)])
            s.run([], targets=[put])
            s.run(list(get4))
            s.run([], targets=[tf.raw_ops.QueueCloseV2(handle=q)])
            for _ in range(4):
                s.run(list(upto))
            s.run(list(get4))
            s.run(list(get))
    with f.scenario("RandomShuffleQueueV2/min_after_dequeue") as s:
        q = tf.raw_ops.RandomShuffleQueueV2(component_types=[tf.int32], shapes=[[]], capacity=2, min_after_dequeue=5, seed=1, name="q")
        s.run([tf.raw_ops.QueueSizeV2(handle=q)])


def waiting(f):
    with f.scenario("QueueDequeueV2/deadline") as s:
        q = tf.raw_ops.FIFOQueueV2(component_types=[tf.int32], shapes=[[]], capacity=1, name="q")
        put = tf.raw_ops.QueueEnqueueV2(handle=q, components=[tf.constant(1)])
        get = tf.raw_ops.QueueDequeueV2(handle=q, component_types=[tf.int32])
        s.run(list(get), timeout_ms=60, phrase="")
        s.run([], targets=[put])
        s.run([], targets=[put], timeout_ms=60, phrase="")
        s.run([tf.raw_ops.QueueSizeV2(handle=q)])
        s.run(list(get))
        # Both in one step: the dequeue waits for the enqueue.
        s.run(list(get), targets=[put])


def mistakes(f):
    with f.scenario("QueueDequeueV2/types") as s:
        q = tf.raw_ops.FIFOQueueV2(component_types=[tf.int32], shapes=[[]], capacity=4, name="q")
        s.run(list(tf.raw_ops.QueueDequeueV2(handle=q, component_types=[tf.float32])))
        s.run([], targets=[tf.raw_ops.QueueEnqueueV2(handle=q, components=[tf.constant(1.0)])])
        s.run([], targets=[tf.raw_ops.QueueEnqueueV2(handle=q, components=[tf.constant(1), tf.constant(2)])])


def python(f):
    with f.scenario("tf.queue") as s:
        q = tf.queue.FIFOQueue(10, [tf.float32, tf.int32], [[2], []])
        put = q.enqueue_many([values((4, 2)), np.arange(4, dtype=np.int32)])
        a, b = q.dequeue()
        total = tf.reduce_sum(a) + tf.cast(b, tf.float32)
        s.run([], targets=[put])
        for _ in range(4):
            s.run([total, a])
        s.run([], targets=[q.close()])
        s.run([total])
