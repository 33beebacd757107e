"""Barriers, priority queues and staging areas, as one client sees them step after step."""

import numpy as np
from judge import tf

from .scenario import *

R = tf.raw_ops


def record(f):
    barrier(f)
    barrier_mistakes(f)
    priority(f)
    stage(f)
    for prefix in ["Map", "OrderedMap"]:
        stage_map(f, prefix)


def words(*items):
    return np.array([item.encode() for item in items], object)


def barrier(f):
    with f.scenario("Barrier") as s:
        b = R.Barrier(component_types=[tf.float32, tf.string], shapes=[[], [2]], name="b")
        keys, x, y = v1.placeholder(tf.string), v1.placeholder(tf.float32), v1.placeholder(tf.string)
        n = v1.placeholder(tf.int32)
        first = R.BarrierInsertMany(handle=b, keys=keys, values=x, component_index=0)
        second = R.BarrierInsertMany(handle=b, keys=keys, values=y, component_index=1)
        take = R.BarrierTakeMany(handle=b, num_elements=n, component_types=[tf.float32, tf.string])
        small = R.BarrierTakeMany(handle=b, num_elements=n, component_types=[tf.float32, tf.string], allow_small_batch=True)
        sizes = [R.BarrierReadySize(handle=b), R.BarrierIncompleteSize(handle=b)]
        close, cancel = R.BarrierClose(handle=b), R.BarrierClose(handle=b, cancel_pending_enqueues=True)
        everything = lambda t: [t.indices, t.keys, *t.values]
        pairs = lambda k: np.array([[b"l%d" % i, b"r%d" % i] for i in range(k)], object)
        s.run(sizes)
        s.run([], {keys: words("a", "b", "c"), x: np.float32([1, 2, 3])}, targets=[first])
        s.run(sizes)
        s.run([], {keys: words("c", "a"), y: pairs(2)}, targets=[second])
        s.run(sizes)
        s.run(everything(take), {n: scalar(2)})
        s.run(sizes)
        s.run([], {keys: words("b"), x: np.float32([9])}, targets=[first])
        s.run([], {keys: words("d", "e", "f", "g"), y: pairs(4)}, targets=[second])
        s.run([], {keys: words("g", "", "f", "b2"), x: np.float32([4, 5, 6, 7])}, targets=[first])
        s.run(sizes)
        s.run(everything(take), {n: scalar(0)})
        s.run([], targets=[close])
        s.run([], {keys: words("new"), x: np.float32([9])}, targets=[first])
        s.run([], targets=[close])
        s.run(everything(small), {n: scalar(5)})
        s.run(everything(small), {n: scalar(5)})
        s.run(everything(take), {n: scalar(9)})
        s.run([], {keys: words("b2", "b"), y: pairs(2)}, targets=[second])
        s.run(everything(take), {n: scalar(2)})
        s.run(sizes)
        s.run([], {keys: words("d", "e"), x: np.float32([9, 8])}, targets=[first])
        s.run([], {keys: words(""), y: pairs(1)}, targets=[second])
        s.run(sizes)
        s.run([], {keys: words("zz"), y: pairs(1)}, targets=[second])
        s.run(everything(take), {n: scalar(2)})
        s.run(everything(take), {n: scalar(1)})
        s.run(everything(take), {n: scalar(1)})
        s.run(everything(small), {n: scalar(1)})
        s.run([], targets=[cancel])
        s.run([], targets=[cancel])
    with f.scenario("Barrier/cancel") as s:
        b = R.Barrier(component_types=[tf.int32, tf.int32], shapes=[[], []], shared_name="one", name="b")
        same = R.Barrier(component_types=[tf.int32, tf.int32], shapes=[[], []], shared_name="one", name="same")
        put = [R.BarrierInsertMany(handle=h, keys=["a", "b"], values=[k, 2], component_index=k) for k, h in enumerate([b, same])]
        one = R.BarrierInsertMany(handle=b, keys=["c"], values=[1], component_index=0)
        sizes = [R.BarrierReadySize(handle=b), R.BarrierIncompleteSize(handle=same)]
        for step in [*put, one, R.BarrierClose(handle=b, cancel_pending_enqueues=True), one]:
            s.run([], targets=[step])
            s.run(sizes)
        take = R.BarrierTakeMany(handle=b, num_elements=2, component_types=[tf.int32, tf.int32])
        s.run([take.keys, *take.values])


def barrier_mistakes(f):
    with f.scenario("Barrier/mistakes") as s:
        b = R.Barrier(component_types=[tf.float32], shapes=[[2]], name="b")
        keys, x = v1.placeholder(tf.string), v1.placeholder(tf.float32)
        s.run([], {keys: words("a"), x: np.zeros([1, 2], np.float32)},
              targets=[R.BarrierInsertMany(handle=b, keys=keys, values=x, component_index=1)])
        s.run([], {keys: words("a")}, targets=[R.BarrierInsertMany(handle=b, keys=keys, values=[[1, 2]], component_index=0)])
        s.run([], {keys: words("a"), x: np.zeros([1, 3], np.float32)},
              targets=[R.BarrierInsertMany(handle=b, keys=keys, values=x, component_index=0)])
        s.run([R.BarrierTakeMany(handle=b, num_elements=1, component_types=[tf.int32]).keys])
        n = v1.placeholder(tf.int32)
        s.run([R.BarrierTakeMany(handle=b, num_elements=n, component_types=[tf.float32]).keys], {n: i32(1)})
        s.run([R.BarrierTakeMany(handle=b, num_elements=1, component_types=[tf.float32]).keys], timeout_ms=60, phrase="")
    for name, options in [("capacity", dict(shapes=[[]], capacity=3)), ("shapes", dict()),
                          ("unknown", dict(shapes=[tf.TensorShape([None])]))]:
        with f.scenario(f"Barrier/{name}") as s:
            b = R.Barrier(component_types=[tf.float32], name="b", **options)
            s.run([R.BarrierReadySize(handle=b)])


def priority(f):
    with f.scenario("PriorityQueueV2") as s:
        q = R.PriorityQueueV2(component_types=[tf.string], shapes=[[]], capacity=60, name="q")
        p, x, n = v1.placeholder(tf.int64), v1.placeholder(tf.string), v1.placeholder(tf.int32)
        put = R.QueueEnqueueV2(handle=q, components=[p, x])
        puts = R.QueueEnqueueManyV2(handle=q, components=[p, x])
        get = R.QueueDequeueV2(handle=q, component_types=[tf.int64, tf.string])
        gets = R.QueueDequeueManyV2(handle=q, n=n, component_types=[tf.int64, tf.string])
        upto = R.QueueDequeueUpToV2(handle=q, n=n, component_types=[tf.int64, tf.string])
        random = np.random.RandomState(5)
        for count in [9, 20]:
            s.run([], {p: random.randint(0, 6, count), x: words(*[f"{count}.{i}" for i in range(count)])}, targets=[puts])
            s.run(list(gets), {n: scalar(5)})
        s.run([], {p: np.int64(-7), x: np.array(b"first", object)}, targets=[put])
        s.run(list(get))
        s.run([R.QueueSizeV2(handle=q)])
        s.run([], {p: np.zeros(1, np.int64), x: np.array(b"", object)}, targets=[put])
        s.run([], {p: np.zeros([1, 1], np.int64), x: words("")}, targets=[puts])
        s.run([], targets=[R.QueueEnqueueV2(handle=q, components=[np.int32(3), "a"])])
        s.run([], targets=[R.QueueCloseV2(handle=q)])
        s.run(list(upto), {n: scalar(19)})
        s.run(list(get))
    with f.scenario("PriorityQueueV2/no_shapes") as s:
        q = R.PriorityQueueV2(component_types=[], shapes=[], name="q")
        s.run([R.QueueSizeV2(handle=q)])
    with f.scenario("PriorityQueue/reference") as s:
        q = R.PriorityQueue(component_types=[tf.int32], shapes=[[]], capacity=3, name="q")
        s.run([], targets=[R.QueueEnqueueMany(handle=q, components=[np.int64([3, 1]), [5, 6]])])
        s.run(list(R.QueueDequeue(handle=q, component_types=[tf.int64, tf.int32])))


def stage(f):
    with f.scenario("Stage") as s:
        same = dict(shared_name="area", capacity=3, memory_limit=200)
        typed = dict(dtypes=[tf.int32, tf.float32], **same)
        x = v1.placeholder(tf.int32)
        put, size = R.Stage(values=[x, 3.0], **same), R.StageSize(**typed)
        get = R.Unstage(**typed)
        peek = [R.StagePeek(index=k, **typed) for k in range(3)]
        for k in range(1, 4):
            s.run([], {x: i32(*range(k))}, targets=[put])
        s.run([size])
        for k in range(3):
            s.run(list(peek[k]))
        s.run(list(get))
        s.run(list(get))
        s.run([], {x: np.zeros(60, np.int32)}, targets=[put])
        s.run([size])
        s.run([], targets=[R.StageClear(**typed)])
        s.run([size])
        s.run([], targets=[R.Stage(values=[5], **same)])
        s.run(list(get))


def stage_map(f, prefix):
    op = lambda name: getattr(R, prefix + name)
    with f.scenario(prefix + "Stage") as s:
        typed = dict(dtypes=[tf.int32, tf.float32], shared_name="area")
        second = dict(dtypes=[tf.float32], shared_name="area")
        put = lambda key, indices, values: s.run([], targets=[op("Stage")(key=np.int64(key), indices=indices, values=values, **typed)])
        sizes = lambda: s.run([op("Size")(**typed), op("IncompleteSize")(**typed)])
        put(7, [0, 1], [1, 2.0])
        sizes()
        put(7, [0, 1], [8, 9.0])
        sizes()
        put(8, [0], [5])
        sizes()
        put(8, [0], [5])
        put(8, [3], [5])
        put(8, [1, 0], [5.0, 1])
        put(8, [1], [6.0])
        sizes()
        s.run(list(op("Peek")(key=np.int64(8), indices=[0, 1], **typed)))
        s.run(list(op("Peek")(key=np.int64(8), indices=[1], **second)))
        s.run(list(op("Unstage")(key=np.int64(8), indices=[1], **second)))
        s.run(list(op("Unstage")(key=np.int64(8), indices=[1], **second)))
        s.run(list(op("Unstage")(key=np.int64(8), indices=[5], **second)))
        sizes()
        s.run(list(op("Unstage")(key=np.int64(8), indices=[0], dtypes=[tf.int32], shared_name="area")))
        sizes()
        s.run(list(op("Unstage")(key=np.int64(7), indices=[0, 1], **typed)))
        if prefix == "OrderedMap":
            for key in [5, 3, 4]:
                put(key, [0, 1], [key, 0.5])
        else:
            put(3, [0, 1], [3, 0.5])
        key = op("UnstageNoKey")(indices=[0, 1], **typed)
        s.run([key.key, *key.values])
        sizes()
        s.run([], targets=[op("Clear")(**typed)])
        sizes()
