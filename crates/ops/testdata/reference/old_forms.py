"""Ops that TensorFlow only knows in graphs of older versions: they are written as GraphDefs of their time."""

import numpy as np
from judge import tf

from .scenario import *


class OldGraph:
    """A GraphDef under construction, of an old version."""

    def __init__(self, version):
        self.graph = v1.GraphDef()
        self.graph.versions.producer = version

    def node(self, op, name, inputs=(), **attrs):
        made = self.graph.node.add(op=op, name=name, input=list(inputs))
        for key, value in attrs.items():
            if isinstance(value, tf.DType):
                made.attr[key].type = value.as_datatype_enum
            elif isinstance(value, bool):
                made.attr[key].b = value
            elif isinstance(value, int):
                made.attr[key].i = value
            elif isinstance(value, str):
                made.attr[key].s = value.encode()
            else:
                made.attr[key].tensor.CopyFrom(v1.make_tensor_proto(value))
        return name

    def const(self, name, value):
        value = np.asarray(value)
        return self.node("Const", name, dtype=tf.as_dtype(value.dtype), value=value)


def case(f, version, op, *inputs, tol=None, phrase=None, **attrs):
    """One node with fed inputs."""
    with f.scenario(f"{op}/{tf.as_dtype(np.asarray(inputs[0]).dtype).name}") as s:
        old = OldGraph(version)
        names = [arg.name for arg in op_def_registry.get(op).input_arg]
        for name, value in zip(names, inputs):
            old.node("Placeholder", name, dtype=tf.as_dtype(np.asarray(value).dtype))
        old.node(op, "op", names, **attrs)
        tf.import_graph_def(old.graph, name="")
        outputs = list(s.graph.get_operation_by_name("op").outputs)
        s.run(outputs, {s.graph.get_tensor_by_name(f"{n}:0"): np.asarray(v) for n, v in zip(names, inputs)}, tol=tol, phrase=phrase)


def record(f):
    image = np.arange(5 * 4 * 3).reshape(5, 4, 3).astype(np.float32)
    for size in [(2, 2), (5, 3), (2, 4), (5, 4), (6, 2)]:
        case(f, 7, "RandomCrop", image, i64(*size), T=tf.float32, seed=1, seed2=2)
    case(f, 7, "RandomCrop", image, i64(2), T=tf.float32, seed=1, seed2=2, phrase="")
    for rate in [f32(0.5, 3, 30), scalar(100, np.float32)]:
        case(f, 24, "RandomPoisson", i32(4), rate, seed=1, seed2=2, S=tf.int32, dtype=tf.float32)
    random = np.random.RandomState(11)
    for dtype, kind in [(np.float32, tf.float32), (np.float64, tf.float64)]:
        tol = 1e-3 if dtype == np.float32 else 1e-8
        a = random.randn(2, 3, 3).astype(dtype)
        positive = (a @ a.transpose(0, 2, 1) + 2 * np.eye(3)).astype(dtype)
        well = (a + 4 * np.eye(3)).astype(dtype)
        rhs = random.randn(2, 3, 2).astype(dtype)
        case(f, 12, "BatchCholesky", positive, T=kind, tol=tol)
        case(f, 12, "BatchMatrixDeterminant", well, T=kind, tol=tol)
        case(f, 12, "BatchMatrixInverse", well, T=kind, tol=tol)
        case(f, 12, "BatchMatrixSolve", well, rhs, T=kind, adjoint=True, tol=tol)
        case(f, 12, "BatchMatrixTriangularSolve", well, rhs, T=kind, lower=False, tol=tol)
        case(f, 13, "BatchMatrixBandPart", a, scalar(1, np.int64), scalar(0, np.int64), T=kind)
        case(f, 13, "BatchMatrixDiag", a[0], T=kind)
        case(f, 13, "BatchMatrixDiagPart", a, T=kind)
        case(f, 13, "BatchMatrixSetDiag", a, a[0, :2] * 5, T=kind)
    case(f, 12, "BatchMatrixInverse", values((2, 3)), T=tf.float32, phrase="")
    case(f, 13, "BatchMatrixDiagPart", values((3,)), T=tf.float32, phrase="")

    for name, version, suffix in [("TensorArray", 15, ""), ("TensorArrayV2", 25, "V2")]:
        with f.scenario(name) as s:
            old = OldGraph(version)
            old.const("size", scalar(3)), old.const("zero", scalar(0.0, np.float32)), old.const("rows", values((2, 2)))
            old.const("places", i32(0, 2)), old.const("one", scalar(1)), old.const("row", f32(7, 8)), old.const("lengths", i64(1, 2, 0))
            old.const("three", values((3, 2), seed=4))
            old.node("TensorArray" + suffix, "array", ["size"], dtype=tf.float32, clear_after_read=False)
            old.node("TensorArrayScatter" + suffix, "scattered", ["array", "places", "rows", "zero"], T=tf.float32)
            old.node("TensorArrayWrite" + suffix, "written", ["array", "one", "row", "scattered"], T=tf.float32)
            old.node("TensorArraySize" + suffix, "length", ["array", "written"])
            old.node("TensorArrayRead" + suffix, "read", ["array", "one", "written"], dtype=tf.float32)
            old.node("TensorArrayGather" + suffix, "gathered", ["array", "places", "written"], dtype=tf.float32)
            old.node("TensorArrayConcat" + suffix, "flat", ["other", "split"], dtype=tf.float32)
            old.node("TensorArray" + suffix, "other", ["size"], dtype=tf.float32, clear_after_read=False)
            old.node("TensorArraySplit" + suffix, "split", ["other", "three", "lengths", "zero"], T=tf.float32)
            if not suffix:
                old.node("TensorArray", "whole", ["size"], dtype=tf.float32)
                old.node("TensorArrayUnpack", "unpacked", ["whole", "three", "zero"], T=tf.float32)
                old.node("TensorArrayPack", "packed", ["whole", "unpacked"], dtype=tf.float32)
            tf.import_graph_def(old.graph, name="")
            for fetch in ["length:0", "read:0", "gathered:0", "flat:0"] + ([] if suffix else ["packed:0"]):
                s.run([s.graph.get_tensor_by_name(fetch)])
    with f.scenario("Stack") as s:
        old = OldGraph(20)
        old.const("item", f32(1, 2))
        old.node("Stack", "stack", elem_type=tf.float32)
        old.node("StackPush", "push", ["stack", "item"], T=tf.float32)
        old.node("StackPop", "pop", ["stack", "^push"], elem_type=tf.float32)
        old.node("StackClose", "close", ["stack", "^pop"])
        tf.import_graph_def(old.graph, name="")
        s.run([s.graph.get_tensor_by_name("pop:0")], targets=[s.graph.get_operation_by_name("close")])
    with f.scenario("IdentityReader") as s:
        old = OldGraph(20)
        old.const("names", np.array([b"a", b"b", b"c"], object)), old.const("two", scalar(2, np.int64))
        old.node("FIFOQueue", "queue")
        old.graph.node[-1].attr["component_types"].list.type.append(tf.string.as_datatype_enum)
        old.graph.node[-1].attr["shapes"].list.shape.add()
        old.node("QueueEnqueueMany", "fill", ["queue", "names"])
        old.graph.node[-1].attr["Tcomponents"].list.type.append(tf.string.as_datatype_enum)
        old.node("IdentityReader", "reader")
        old.node("ReaderRead", "read", ["reader", "queue"])
        old.node("ReaderReadUpTo", "more", ["reader", "queue", "two"])
        old.node("ReaderNumRecordsProduced", "produced", ["reader"])
        old.node("ReaderNumWorkUnitsCompleted", "completed", ["reader"])
        old.node("ReaderReset", "reset", ["reader"])
        tf.import_graph_def(old.graph, name="")
        tensors = lambda *names: [s.graph.get_tensor_by_name(name) for name in names]
        s.run(targets=[s.graph.get_operation_by_name("fill")])
        s.run(tensors("read:0", "read:1"))
        s.run(tensors("produced:0"))
        s.run(tensors("more:0", "more:1"))
        s.run(tensors("produced:0", "completed:0"))
        s.run(targets=[s.graph.get_operation_by_name("reset")])
        s.run(tensors("produced:0", "completed:0"))
