"""Random small graphs, run by TensorFlow itself and by our server: values, shapes and error codes must agree.

  random_graphs.py BINARY
Environment: GRAPHS (how many, 3000), SEED (of the first, 1), SECONDS (stop after, 90). Many share a session. A graph that
differs is built again alone and printed whole, with the seed that makes it: GRAPHS=1 SEED=n. Differences that are TensorFlow's
own fault, in the mode that it is in, are named and not counted (known_faults.py).
"""

import os
import subprocess
import sys
import time

import numpy as np

import known_faults
from judge import ONEDNN
from server import tf, serving
from tensorflow.python.client import session as session_module
from tensorflow.python.framework import op_def_registry

# Messages as the kernels write them.
session_module.error_interpolation.interpolate_graph = lambda message, graph: message

v1 = tf.compat.v1
FLOATS = [tf.float32, tf.float64]
INTS = [tf.int32, tf.int64]
NUMBERS = FLOATS + INTS
MOVED = NUMBERS + [tf.bool, tf.string, tf.uint8, tf.int8, tf.float16, tf.bfloat16]
UNARY = ["Neg", "Square", "Abs", "Sign", "Relu", "ZerosLike", "OnesLike", "Identity", "Relu6"]
STEPPED = ["Floor", "Ceil", "Round", "Rint"]
SMOOTH = ["Exp", "Tanh", "Sigmoid", "Log1p", "Sqrt", "Rsqrt", "Reciprocal", "Log", "Sin", "Cos", "Elu", "Softplus", "Expm1"]
BINARY = ["AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference"]
# After so many that differ, no more are looked at.
MOST_FAILURES = int(os.environ.get("FAILURES", "5"))
# How many graphs share a session.
TOGETHER = 40
# How often each known fault of TensorFlow was met.
EXCUSED = {}
COMPARE = ["Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"]


def config():
    """As the graph stands: nothing folded, nothing rewritten."""
    options = v1.ConfigProto()
    options.graph_options.optimizer_options.opt_level = -1
    options.graph_options.rewrite_options.disable_meta_optimizer = True
    return options


class Builder:
    """Grows a graph. `rough` tensors carry rounding that may differ; ops with steps in them do not take those."""

    def __init__(self, seed):
        self.random = np.random.RandomState(seed)
        self.tensors, self.rough, self.feeds = [], set(), {}

    def pick(self, items):
        return items[self.random.randint(len(items))]

    def chance(self, share):
        return self.random.rand() < share

    def shape(self):
        return [int(self.pick([0, 1, 1, 2, 2, 3, 3, 4, 5, 7])) for _ in range(self.pick([0, 1, 1, 2, 2, 2, 3, 4]))]

    def value(self, dtype, shape, low=-6, high=7):
        if dtype == tf.string:
            return np.array([b"s%d" % n for n in self.random.randint(0, 9, int(np.prod(shape)))], object).reshape(shape)
        if dtype == tf.bool:
            return self.random.rand(*shape) > 0.5 if shape else np.bool_(self.chance(0.5))
        if dtype.is_integer:
            made = self.random.randint(max(low, 0) if dtype.is_unsigned else low, high, size=shape)
            if self.chance(0.05) and made.size:
                made = np.where(self.random.rand(*shape) < 0.3, np.iinfo(dtype.as_numpy_dtype).max, made)
            return np.asarray(made).astype(dtype.as_numpy_dtype)
        made = np.asarray(self.random.randint(low * 8, high * 8, size=shape) / 8)
        if self.chance(0.05) and made.size:
            made = np.where(self.random.rand(*shape) < 0.3, self.pick([np.nan, np.inf, -np.inf, -0.0]), made)
        return made.astype(dtype.as_numpy_dtype)

    def source(self, dtype=None, shape=None, low=-6, known=False):
        dtype, shape = dtype or self.pick(MOVED), self.shape() if shape is None else shape
        value = self.value(dtype, shape, low)
        if self.chance(0.4):
            made = v1.placeholder(dtype, shape if known else self.pick([None, shape, shape]))
            self.feeds[made] = value
        else:
            made = tf.constant(value, dtype)
        return self.add(made)

    def add(self, tensor, *inputs, rough=False):
        if rough and tensor.dtype in (tf.float32, tf.float64, tf.float16, tf.bfloat16):
            self.rough.add(tensor.ref())
        if any(x.ref() in self.rough for x in inputs) and tensor.dtype.is_floating:
            self.rough.add(tensor.ref())
        self.tensors.append(tensor)
        return tensor

    def any(self, dtypes, exact=False, rank=None):
        """A tensor of one of these types with a known shape; a new one if there is none."""
        fits = [t for t in self.tensors if t.dtype in dtypes and t.shape.rank is not None
                and (rank is None or t.shape.rank in rank) and not (exact and t.ref() in self.rough)]
        if fits and self.chance(0.9):
            return self.pick(fits[-8:])
        shape = [int(self.pick([1, 2, 3])) for _ in range(self.pick(rank))] if rank else None
        return self.source(self.pick(dtypes), shape, known=True)

    def like(self, x):
        """A tensor that mostly broadcasts with x."""
        shape = [1 if d is None else d for d in x.shape.as_list()]
        if self.chance(0.03):
            return self.source(x.dtype)
        shape = [1 if self.chance(0.25) else d for d in shape][self.random.randint(0, len(shape) + 1) if self.chance(0.3) else 0:]
        return self.source(x.dtype, shape)

    def axis(self, x):
        rank = max(x.shape.rank, 1)
        return int(self.random.randint(-rank, rank)) if not self.chance(0.03) else rank + 1

    def grow(self):
        kind = self.pick([k for k in dir(self) if k.startswith("op_")])
        before = len(self.tensors)
        try:
            getattr(self, kind)()
        except (ValueError, TypeError):
            # Python already refuses it; the nodes made on the way are harmless.
            del self.tensors[before:]

    def op_unary(self):
        x = self.any(NUMBERS)
        self.add(unary(self.pick(UNARY), x), x)

    def op_stepped(self):
        x = self.any(FLOATS, exact=True)
        self.add(unary(self.pick(STEPPED), x), x)

    def op_smooth(self):
        x = self.any(FLOATS)
        self.add(unary(self.pick(SMOOTH), x), x, rough=True)

    def op_binary(self):
        x = self.any(NUMBERS)
        y = self.like(x)
        x, y = (x, y) if self.chance(0.5) else (y, x)
        self.add(getattr(tf.raw_ops, self.pick(BINARY))(x=x, y=y), x, y)

    def op_divide(self):
        x = self.any(NUMBERS, exact=True)
        op = self.pick(["FloorDiv", "FloorMod", "RealDiv" if x.dtype.is_floating else "TruncateDiv"])
        # TruncateDiv by zero is an internal error in TensorFlow, and an invalid argument here.
        y = self.source(x.dtype, [], 1) if op == "TruncateDiv" or not self.chance(0.05) else self.like(x)
        self.add(getattr(tf.raw_ops, op)(x=x, y=y), x, y)

    def op_compare(self):
        x = self.any(NUMBERS, exact=True)
        y = self.like(x)
        self.add(getattr(tf.raw_ops, self.pick(COMPARE))(x=x, y=y))

    def op_logic(self):
        x = self.any([tf.bool])
        self.add(tf.raw_ops.LogicalNot(x=x) if self.chance(0.4) else
                 self.pick([tf.raw_ops.LogicalAnd, tf.raw_ops.LogicalOr])(x=x, y=self.like(x)))

    def op_select(self):
        x = self.any(MOVED)
        c = self.source(tf.bool, [1 if self.chance(0.3) or d is None else d for d in x.shape.as_list()])
        y = self.like(x)
        self.add(tf.raw_ops.SelectV2(condition=c, t=x, e=y), x, y)

    def op_reduce(self):
        x = self.any(NUMBERS)
        axes = sorted({self.axis(x) for _ in range(self.random.randint(0, 3))}) if x.shape.rank else []
        op = self.pick(["Sum", "Mean", "Prod", "Max", "Min"])
        made = getattr(tf.raw_ops, op)(input=x, axis=np.array(axes, np.int32), keep_dims=self.chance(0.3))
        self.add(made, x, rough=op in ("Sum", "Mean", "Prod"))

    def op_logic_reduce(self):
        x = self.any([tf.bool])
        axes = [self.axis(x)] if x.shape.rank else []
        self.add(self.pick([tf.raw_ops.Any, tf.raw_ops.All])(input=x, axis=np.array(axes, np.int32)))

    def op_arg(self):
        x = self.any(NUMBERS, exact=True)
        self.add(self.pick([tf.raw_ops.ArgMax, tf.raw_ops.ArgMin])(input=x, dimension=np.int32(self.axis(x))))

    def op_cast(self):
        x = self.any([tf.int32, tf.int64, tf.bool, tf.uint8, tf.int8])
        self.add(tf.cast(x, self.pick(NUMBERS + [tf.float16, tf.bfloat16, tf.uint8])))

    def op_float_cast(self):
        # What was rounded as float32 does not agree as float64.
        x = self.any(FLOATS, exact=True)
        self.add(tf.cast(x, self.pick(FLOATS + [tf.bool])), x)

    def op_matmul(self):
        a = self.any(NUMBERS, rank=[2])
        m, k = (d or 1 for d in a.shape.as_list())
        ta, tb = self.chance(0.3), self.chance(0.3)
        inner = m if ta else k
        if self.chance(0.03):
            inner += 1
        b = self.source(a.dtype, [3, inner] if tb else [inner, 3])
        self.add(tf.raw_ops.MatMul(a=a, b=b, transpose_a=ta, transpose_b=tb), a, b, rough=True)

    def op_softmax(self):
        x = self.any(FLOATS, rank=[1, 2, 3])
        self.add(self.pick([tf.raw_ops.Softmax, tf.raw_ops.LogSoftmax])(logits=x), x, rough=True)

    def op_bias(self):
        x = self.any(NUMBERS, rank=[2, 3, 4])
        b = self.source(x.dtype, [x.shape.as_list()[-1] or 1])
        self.add(tf.raw_ops.BiasAdd(value=x, bias=b), x, b)

    def op_reshape(self):
        x = self.any(MOVED)
        size = x.shape.num_elements()
        target = self.pick([[-1], [1, -1], [-1, 1], [size or 0], [1, size or 0, 1]] + ([[2, -1]] if size and size % 2 == 0 else []))
        self.add(tf.raw_ops.Reshape(tensor=x, shape=np.array(target, self.pick([np.int32, np.int64]))), x)

    def op_shape(self):
        x = self.any(MOVED)
        self.add(self.pick([tf.raw_ops.Shape, tf.raw_ops.Size, tf.raw_ops.Rank])(input=x))

    def op_expand(self):
        x = self.any(MOVED)
        self.add(tf.raw_ops.ExpandDims(input=x, axis=np.int32(self.axis(x))), x)

    def op_squeeze(self):
        x = self.any(MOVED)
        ones = [i for i, d in enumerate(x.shape.as_list()) if d == 1]
        self.add(tf.raw_ops.Squeeze(input=x, axis=ones if self.chance(0.5) else []), x)

    def op_transpose(self):
        x = self.any(MOVED)
        self.add(tf.raw_ops.Transpose(x=x, perm=self.random.permutation(x.shape.rank).astype(np.int32)), x)

    def op_concat(self):
        x = self.any(MOVED, rank=[1, 2, 3])
        shape = [1 if d is None else d for d in x.shape.as_list()]
        axis = self.axis(x)
        if -len(shape) <= axis < len(shape):
            shape[axis] = int(self.pick([0, 1, 3]))
        y = self.source(x.dtype, shape)
        self.add(tf.raw_ops.ConcatV2(values=[x, y, x], axis=np.int32(axis)), x, y)

    def op_pack(self):
        x = self.any(MOVED)
        self.add(tf.raw_ops.Pack(values=[x, x], axis=int(self.random.randint(0, x.shape.rank + 1))), x)

    def op_unpack(self):
        x = self.any(MOVED, rank=[1, 2, 3])
        axis = int(self.random.randint(x.shape.rank))
        for part in tf.raw_ops.Unpack(value=x, num=x.shape.as_list()[axis] or 0, axis=axis):
            self.add(part, x)

    def op_slice(self):
        x = self.any(MOVED, rank=[1, 2, 3])
        shape = [d or 0 for d in x.shape.as_list()]
        begin = [int(self.random.randint(0, d + 1)) for d in shape]
        size = [-1 if self.chance(0.3) else int(self.random.randint(0, d - b + 1)) for d, b in zip(shape, begin)]
        self.add(tf.raw_ops.Slice(input=x, begin=np.array(begin, np.int32), size=np.array(size, np.int32)), x)

    def op_strided(self):
        x = self.any(MOVED, rank=[1, 2, 3, 4])
        n = self.random.randint(1, x.shape.rank + 1)
        begin, end = self.random.randint(-4, 5, n).astype(np.int32), self.random.randint(-4, 5, n).astype(np.int32)
        strides = np.array([self.pick([1, 1, 1, 2, -1, -2]) for _ in range(n)], np.int32)
        masks = {name: int(self.random.randint(0, 1 << n)) for name in ("begin_mask", "end_mask") if self.chance(0.5)}
        if self.chance(0.3):
            masks["new_axis_mask"] = 1 << int(self.random.randint(n))
        if self.chance(0.3):
            masks["ellipsis_mask"] = 1 << int(self.random.randint(n))
        if self.chance(0.2):
            masks["shrink_axis_mask"] = 1 << int(self.random.randint(n))
        self.add(tf.raw_ops.StridedSlice(input=x, begin=begin, end=end, strides=strides, **masks), x)

    def op_gather(self):
        x = self.any(MOVED, rank=[1, 2, 3])
        axis = int(self.random.randint(x.shape.rank))
        limit = (x.shape.as_list()[axis] or 1) + (1 if self.chance(0.05) else 0)
        indices = self.random.randint(0, limit, self.shape()[:2]).astype(self.pick([np.int32, np.int64]))
        self.add(tf.raw_ops.GatherV2(params=x, indices=indices, axis=np.int32(axis)), x)

    def op_tile(self):
        x = self.any(MOVED, rank=[0, 1, 2])
        self.add(tf.raw_ops.Tile(input=x, multiples=self.random.randint(0, 4, x.shape.rank).astype(np.int32)), x)

    def op_pad(self):
        x = self.any(NUMBERS, rank=[0, 1, 2])
        paddings = self.random.randint(0, 3, (x.shape.rank, 2)).astype(np.int32)
        self.add(tf.raw_ops.Pad(input=x, paddings=paddings), x)

    def op_reverse(self):
        x = self.any(NUMBERS, rank=[1, 2, 3])
        self.add(tf.raw_ops.ReverseV2(tensor=x, axis=np.array([self.axis(x)], np.int32)), x)

    def op_split(self):
        x = self.any(MOVED, rank=[1, 2])
        for part in tf.raw_ops.Split(axis=np.int32(0), value=x, num_split=self.pick([1, 1, 2, x.shape.as_list()[0] or 1])):
            self.add(part, x)

    def op_broadcast(self):
        x = self.any(NUMBERS, rank=[0, 1, 2])
        shape = [2] * self.random.randint(0, 2) + [3 if d == 1 else d or 0 for d in x.shape.as_list()]
        self.add(tf.raw_ops.BroadcastTo(input=x, shape=np.array(shape, np.int32)), x)

    def op_fill(self):
        self.add(tf.raw_ops.Fill(dims=np.array(self.shape(), np.int32), value=self.source(shape=[])))

    def op_range(self):
        start, delta = self.random.randint(-4, 5), self.pick([1, 2, 3, -1, -2])
        self.add(tf.raw_ops.Range(start=np.int32(start), limit=np.int32(start + delta * self.random.randint(0, 6)), delta=np.int32(delta)))

    def op_one_hot(self):
        x = self.any(INTS)
        self.add(tf.raw_ops.OneHot(indices=x, depth=np.int32(self.pick([0, 1, 4])), on_value=np.float32(1.5), off_value=np.float32(-1),
                                   axis=int(self.random.randint(-1, x.shape.rank + 1))))

    def op_where(self):
        self.add(tf.raw_ops.Where(condition=self.any([tf.bool])))

    def op_add_n(self):
        x = self.any(NUMBERS)
        shape = [1 if d is None else d for d in x.shape.as_list()]
        y = self.source(x.dtype, shape)
        self.add(tf.raw_ops.AddN(inputs=[x, y, x]), x, y)

    def op_segment(self):
        x = self.any(NUMBERS, rank=[1, 2])
        ids = self.random.randint(-1, 4, x.shape.as_list()[0] or 0).astype(np.int32)
        self.add(tf.raw_ops.UnsortedSegmentSum(data=x, segment_ids=ids, num_segments=np.int32(4)), x, rough=True)

    def op_conv(self):
        x = self.source(tf.float32, [1, int(self.random.randint(2, 6)), int(self.random.randint(2, 6)), 2])
        k = self.source(tf.float32, [int(self.pick([1, 2, 3])), int(self.pick([1, 2, 3])), 2, 3])
        s = int(self.pick([1, 1, 2]))
        self.add(tf.raw_ops.Conv2D(input=x, filter=k, strides=[1, s, s, 1], padding=self.pick(["SAME", "VALID"])), x, k, rough=True)

    def op_pool(self):
        x = self.source(tf.float32, [1, int(self.random.randint(2, 6)), int(self.random.randint(2, 6)), 2])
        k, s = int(self.pick([1, 2, 3])), int(self.pick([1, 2]))
        op, name = self.pick([(tf.raw_ops.MaxPool, "input"), (tf.raw_ops.AvgPool, "value")])
        self.add(op(**{name: x}, ksize=[1, k, k, 1], strides=[1, s, s, 1], padding=self.pick(["SAME", "VALID"])), x, rough=True)

    def op_join(self):
        x = self.any([tf.string])
        self.add(tf.raw_ops.StringJoin(inputs=[x, tf.constant("!"), x], separator=self.pick(["", "-"])))


    def op_sorted_segment(self):
        op = self.pick(["SegmentSum", "SegmentMean", "SegmentMax", "SegmentMin", "SegmentProd"])
        # Which of two values is the smaller when one is not a number depends on the order in which TensorFlow looks.
        x = self.any(INTS if op in ("SegmentMax", "SegmentMin") else NUMBERS, rank=[1, 2])
        rows = x.shape.as_list()[0] or 0
        ids = np.sort(self.random.randint(0, 4, rows)).astype(self.pick([np.int32, np.int64]))
        if self.chance(0.05):
            ids = ids[::-1].copy()
        self.add(getattr(tf.raw_ops, op)(data=x, segment_ids=ids), x, rough=True)

    def op_unsorted_segment(self):
        x = self.any(INTS, rank=[1, 2])
        ids = self.random.randint(-1, 4, x.shape.as_list()[0] or 0).astype(np.int32)
        op = self.pick(["UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd"])
        self.add(getattr(tf.raw_ops, op)(data=x, segment_ids=ids, num_segments=np.int32(4)), x, rough=True)

    def op_sparse_segment(self):
        x = self.any(FLOATS, rank=[2])
        rows = x.shape.as_list()[0] or 0
        n = self.random.randint(0, 5)
        indices = self.random.randint(0, max(rows, 1) + (1 if self.chance(0.05) else 0), n).astype(np.int32)
        op = self.pick(["SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"])
        self.add(getattr(tf.raw_ops, op)(data=x, indices=indices, segment_ids=np.sort(self.random.randint(0, 3, n)).astype(np.int32)), x, rough=True)

    def sparse(self, dtype=tf.float32, shape=(3, 4), wrong=0.05):
        """Indices in order, values and shape of a sparse matrix."""
        places = np.sort(self.random.permutation(shape[0] * shape[1])[:self.random.randint(0, 6)])
        indices = np.stack([places // shape[1], places % shape[1]], 1).astype(np.int64)
        if self.chance(wrong) and len(places):
            indices[0, 0] = 9
        return indices, self.value(dtype, [len(places)]), np.array(shape, np.int64)

    def op_sparse_dense(self):
        indices, values, shape = self.sparse(self.pick(FLOATS))
        b = self.source(tf.as_dtype(values.dtype), [4, 2])
        self.add(tf.raw_ops.SparseTensorDenseMatMul(a_indices=indices, a_values=values, a_shape=shape, b=b), b, rough=True)

    def op_sparse_to_dense(self):
        indices, values, shape = self.sparse(self.pick([tf.float32, tf.int32, tf.string]))
        default = self.value(tf.as_dtype(values.dtype) if values.dtype != object else tf.string, [])
        self.add(tf.raw_ops.SparseToDense(sparse_indices=indices, output_shape=shape, sparse_values=values, default_value=default,
                                          validate_indices=self.chance(0.8)))

    def op_sparse_parts(self):
        # TensorFlow does not look at all indices here.
        indices, values, shape = self.sparse(self.pick(NUMBERS), wrong=0)
        for part in self.pick([
                lambda: tf.raw_ops.SparseReorder(input_indices=indices[::-1].copy(), input_values=values, input_shape=shape),
                lambda: tf.raw_ops.SparseReshape(input_indices=indices, input_shape=shape, new_shape=np.array([2, -1], np.int64)),
                lambda: tf.raw_ops.SparseSlice(indices=indices, values=values, shape=shape, start=np.array([1, 0], np.int64), size=np.array([2, 3], np.int64)),
                lambda: tf.raw_ops.SparseConcat(indices=[indices, indices], values=[values, values], shapes=[shape, shape], concat_dim=1),
                lambda: tf.raw_ops.SparseFillEmptyRows(indices=indices, values=values, dense_shape=shape, default_value=values.dtype.type(7))])():
            self.add(part)

    def op_top(self):
        x = self.any(NUMBERS, exact=True, rank=[1, 2])
        last = x.shape.as_list()[-1] or 0
        for part in tf.raw_ops.TopKV2(input=x, k=np.int32(self.random.randint(0, last + (2 if self.chance(0.05) else 1)))):
            self.add(part, x)

    def op_cumulate(self):
        x = self.any(NUMBERS, rank=[1, 2])
        op = self.pick([tf.raw_ops.Cumsum, tf.raw_ops.Cumprod])
        self.add(op(x=x, axis=np.int32(self.axis(x)), exclusive=self.chance(0.5), reverse=self.chance(0.5)), x, rough=True)

    def op_unique(self):
        x = self.any([tf.int32, tf.int64, tf.string], rank=[1, 2])
        for part in self.pick([tf.raw_ops.Unique, tf.raw_ops.UniqueWithCounts])(x=x):
            self.add(part)

    def op_gather_nd(self):
        x = self.any(MOVED, rank=[1, 2, 3])
        depth = self.random.randint(1, x.shape.rank + 1)
        limits = [max(d or 1, 1) + (1 if self.chance(0.03) else 0) for d in x.shape.as_list()[:depth]]
        indices = np.stack([self.random.randint(0, limit, 3) for limit in limits], 1).astype(np.int32)
        self.add(tf.raw_ops.GatherNd(params=x, indices=indices), x)

    def op_scatter_nd(self):
        indices = self.random.randint(0, 5 if self.chance(0.95) else 6, [3, 1]).astype(np.int32)
        updates = self.source(self.pick(NUMBERS), [3, 2])
        self.add(tf.raw_ops.ScatterNd(indices=indices, updates=updates, shape=np.array([5, 2], np.int32)), updates, rough=True)

    def op_partition(self):
        x = self.any(MOVED, rank=[1, 2])
        parts = self.random.randint(0, 3 if self.chance(0.95) else 4, x.shape.as_list()[0] or 0).astype(np.int32)
        for part in tf.raw_ops.DynamicPartition(data=x, partitions=parts, num_partitions=3):
            self.add(part, x)

    def op_difference(self):
        x = self.any(INTS, rank=[1])
        for part in tf.raw_ops.ListDiff(x=x, y=self.source(x.dtype, [3])):
            self.add(part)

    def op_clip(self):
        x = self.any(NUMBERS)
        self.add(tf.raw_ops.ClipByValue(t=x, clip_value_min=self.source(x.dtype, []), clip_value_max=self.source(x.dtype, [])), x)

    def op_finite(self):
        x = self.any(FLOATS, exact=True)
        self.add(self.pick([tf.raw_ops.IsNan, tf.raw_ops.IsInf, tf.raw_ops.IsFinite])(x=x))

    def op_activation(self):
        x = self.any(FLOATS)
        self.add(self.pick([tf.raw_ops.Selu, tf.raw_ops.LeakyRelu, tf.raw_ops.Softsign])(features=x), x, rough=True)

    def op_resize(self):
        x = self.source(self.pick([tf.float32, tf.uint8, tf.int32]), [1, int(self.random.randint(1, 5)), int(self.random.randint(1, 5)), 2], low=0)
        op = self.pick([tf.raw_ops.ResizeNearestNeighbor, tf.raw_ops.ResizeBilinear])
        size = self.random.randint(1 if self.chance(0.95) else 0, 7, 2).astype(np.int32)
        how = {"align_corners": True} if self.chance(0.3) else {"half_pixel_centers": True} if self.chance(0.4) else {}
        self.add(op(images=x, size=size, **how), x, rough=True)

    def op_blocks(self):
        x = self.source(self.pick([tf.float32, tf.int32]), [1, 4, 2, 4])
        self.add(self.pick([tf.raw_ops.SpaceToDepth, tf.raw_ops.DepthToSpace])(input=x, block_size=2), x)

    def op_mirror(self):
        x = self.any(NUMBERS, rank=[1, 2])
        paddings = self.random.randint(0, 2, (x.shape.rank, 2)).astype(np.int32)
        self.add(tf.raw_ops.MirrorPad(input=x, paddings=paddings, mode=self.pick(["REFLECT", "SYMMETRIC"])), x)

    def op_text(self):
        x = self.any([tf.string])
        op = self.pick(["StringLength", "StringLower", "StringUpper", "StringStrip", "StringToHashBucketFast", "EncodeBase64"])
        how = {"num_buckets": 11} if op == "StringToHashBucketFast" else {}
        self.add(getattr(tf.raw_ops, op)(input=x, **how) if op != "StringToHashBucketFast" else tf.raw_ops.StringToHashBucketFast(input=x, **how))

    def op_substring(self):
        x = self.any([tf.string])
        self.add(tf.raw_ops.Substr(input=x, pos=np.int32(self.pick([0, 1, -1, 2])), len=np.int32(self.pick([0, 1, 5]))))

    def op_replace(self):
        x = self.any([tf.string])
        self.add(tf.raw_ops.RegexReplace(input=x, pattern=tf.constant(self.pick(["s", "[0-9]+", "^s", "("])), rewrite=tf.constant("<\\0>"),
                                         replace_global=self.chance(0.5)))

    def op_to_text(self):
        x = self.any(NUMBERS + [tf.bool], exact=True)
        self.add(tf.raw_ops.AsString(input=x, precision=2 if x.dtype.is_floating else -1, width=self.pick([-1, 6])))

    def op_to_number(self):
        x = self.any(INTS)
        self.add(tf.raw_ops.StringToNumber(string_tensor=tf.raw_ops.AsString(input=x), out_type=self.pick(NUMBERS)))

    def op_split_text(self):
        x = self.any([tf.string], rank=[1])
        for part in tf.raw_ops.StringSplitV2(input=x, sep=tf.constant(self.pick(["", "s"]))):
            self.add(part)

    def op_cond(self):
        x = self.any(NUMBERS)
        pred = self.source(tf.bool, [])
        self.add(v1.cond(pred, lambda: x + tf.cast(1, x.dtype), lambda: tf.raw_ops.Neg(x=x)), x)

    def op_loop(self):
        x = self.any([tf.float32, tf.int32, tf.int64])
        limit = int(self.random.randint(0, 5))
        made = v1.while_loop(lambda i, y: i < limit, lambda i, y: (i + 1, y + tf.cast(i, y.dtype)), [tf.constant(0), x],
                             shape_invariants=[tf.TensorShape([]), x.shape])
        for part in made:
            self.add(part, x)

    def op_function(self):
        x = self.any([tf.float32, tf.int32])
        y = self.like(x)
        call = tf.function(lambda a, b: (a * b, tf.cond(tf.size(a) > 2, lambda: a, lambda: a + tf.cast(1, a.dtype))), autograph=False)
        for part in call(x, y):
            self.add(part, x, y)

    def op_function_loop(self):
        x = self.any([tf.float32, tf.int32])
        call = tf.function(lambda a: tf.while_loop(lambda i, b: i < 3, lambda i, b: (i + 1, b + a), [0, a])[1], autograph=False)
        self.add(call(x), x, rough=True)

    def op_array(self):
        x = self.any(NUMBERS, rank=[1, 2])
        rows = x.shape.as_list()[0] or 0
        array = v1.TensorArray(x.dtype, size=rows, infer_shape=self.chance(0.5)).unstack(x)
        if rows and self.chance(0.7):
            at = int(self.random.randint(0, rows + (1 if self.chance(0.05) else 0)))
            self.add(array.read(at), x)
        else:
            self.add(array.stack(), x)


def unary(op, x):
    return getattr(tf.raw_ops, op)(**{op_def_registry.get(op).input_arg[0].name: x})


def outcome(session, fetches, feeds):
    try:
        return session.run(fetches, feeds), None
    except tf.errors.OpError as error:
        return None, error


def told(error, value):
    return f"{type(error).__name__} '{error.message[:200]}'" if error is not None else repr(value)


def same(mine, theirs, rough):
    mine, theirs = np.asarray(mine), np.asarray(theirs)
    if mine.dtype != theirs.dtype or mine.shape != theirs.shape:
        return False
    if mine.dtype.kind in "OSU":
        return mine.tolist() == theirs.tolist()
    if mine.dtype.kind in "biu":
        return bool(np.array_equal(mine, theirs))
    a, b = mine.astype(np.float64), theirs.astype(np.float64)
    tolerance = {8: 1e-9, 4: 2e-4}.get(mine.dtype.itemsize, 3e-2) if rough else 0
    return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True))


def grown(seed):
    """The graph of a seed in the graph at hand, and what is fetched of it."""
    builder = Builder(seed)
    for _ in range(3):
        builder.source()
    count = builder.random.randint(10, 31)
    while len(builder.tensors) < count:
        builder.grow()
    fetches = [t for t in builder.tensors if not t.consumers()]
    extra = [t for t in builder.tensors if t.consumers() and builder.chance(0.3)]
    return builder, unique(fetches + extra, builder.feeds)


def differences(builder, fetches, local, remote):
    """What differs, in words, and is not a known fault of TensorFlow."""
    found = all_differences(builder, fetches, local, remote)
    found = [(fetch, words) for fetch, words in found if not excused(fetch, builder.feeds, remote, local)]
    return [f"{fetch.name} ({fetch.op.type}): {words}" for fetch, words in found]


def excused(fetch, feeds, ours, theirs):
    fault = known_faults.named(fetch, feeds, ours, theirs, ONEDNN)
    if fault is not None:
        EXCUSED[fault] = EXCUSED.get(fault, 0) + 1
    return fault is not None


def all_differences(builder, fetches, local, remote):
    """What differs: pairs of a fetch and words."""
    expected, expected_error = outcome(local, fetches, builder.feeds)
    got, error = outcome(remote, fetches, builder.feeds)
    if expected_error is None and error is None:
        return [(fetch, f"{mine!r} instead of {theirs!r}")
                for fetch, mine, theirs in zip(fetches, got, expected) if not same(mine, theirs, fetch.ref() in builder.rough)]
    problems = []
    # Where several nodes fail, either side may meet another one first: each fetch for itself tells.
    for fetch in fetches[:6]:
        mine, e1 = outcome(local, fetch, builder.feeds)
        theirs, e2 = outcome(remote, fetch, builder.feeds)
        if (e1 is None) != (e2 is None) or (e1 is not None and e1.error_code != e2.error_code):
            problems.append((fetch, f"{told(e2, theirs)} instead of {told(e1, mine)}"))
        elif e1 is None and not same(theirs, mine, fetch.ref() in builder.rough):
            problems.append((fetch, f"{theirs!r} instead of {mine!r}"))
    return problems


def check(seed, target):
    """Builds the graph of a seed alone, runs it on both sides; gives what differs, in words, or None."""
    with tf.Graph().as_default() as graph:
        builder, fetches = grown(seed)
        if not fetches:
            return None
        with v1.Session(config=config()) as local, v1.Session(target, config=config()) as remote:
            problems = differences(builder, fetches, local, remote)
        if not problems:
            return None
        feeds = "\n".join(f"feed {key.name} = {value!r}" for key, value in builder.feeds.items())
        return "\n".join(problems) + "\n" + feeds + "\n" + str(graph.as_graph_def())


def check_many(seeds, target):
    """The seeds whose graphs differ when all share one graph and a session on each side."""
    with tf.Graph().as_default():
        built = [(seed, *grown(seed)) for seed in seeds]
        with v1.Session(config=config()) as local, v1.Session(target, config=config()) as remote:
            return [seed for seed, builder, fetches in built if fetches and differences(builder, fetches, local, remote)]


def unique(tensors, feeds):
    fed = {t.name for t in feeds}
    return list({t.name: t for t in tensors if t.name not in fed}.values())


def main(binary):
    first, count = int(os.environ.get("SEED", "1")), int(os.environ.get("GRAPHS", "3000"))
    if "PART" in os.environ or count < 2:
        return part(binary, first, count)
    # One part a core.
    half = count // 2
    parts = [(first, half), (first + half, count - half)]
    environments = [dict(os.environ, PART="1", SEED=str(begin), GRAPHS=str(graphs)) for begin, graphs in parts]
    running = [subprocess.Popen([sys.executable, __file__, binary], env=environment) for environment in environments]
    return max([process.wait() for process in running])


def part(binary, first, count):
    end = time.monotonic() + float(os.environ.get("SECONDS", "90"))
    failures, done = 0, 0
    with serving(binary) as target:
        for begin in range(first, first + count, TOGETHER):
            if time.monotonic() > end or failures >= MOST_FAILURES:
                break
            seeds = range(begin, min(begin + TOGETHER, first + count))
            done += len(seeds)
            # A node that TensorFlow has no kernel for spoils all that share its graph there: alone they tell.
            for seed in check_many(seeds, target) if len(seeds) > 1 else seeds:
                problem = check(seed, target)
                if problem is not None:
                    failures += 1
                    print(f"seed {seed}: {problem}\n", flush=True)
    for fault, times in EXCUSED.items():
        print(f"{times} values differ by TensorFlow's own fault: {fault}")
    print(f"{done} graphs, {failures} of them differ")
    return 1 if failures or not done else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
