"""GraphDefs as the first programs wrote them, by hand and as text: reference variables, readers and tables behind strings,
checkpoints of the first format, arrays and stacks of loops.

Run by on_both.py.
"""

import os
import tempfile

import numpy as np
from google.protobuf import text_format

from both import connect
from server import tf

v1 = tf.compat.v1

CONST_F = 'node {{ name: "{name}" op: "Const" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} attr {{ key: "value" value {{ tensor {{ dtype: DT_FLOAT tensor_shape {{ {dims} }} {values} }} }} }} }}'
CONST_I = 'node {{ name: "{name}" op: "Const" attr {{ key: "dtype" value {{ type: DT_INT32 }} }} attr {{ key: "value" value {{ tensor {{ dtype: DT_INT32 tensor_shape {{ {dims} }} {values} }} }} }} }}'
CONST_S = 'node {{ name: "{name}" op: "Const" attr {{ key: "dtype" value {{ type: DT_STRING }} }} attr {{ key: "value" value {{ tensor {{ dtype: DT_STRING tensor_shape {{ {dims} }} {values} }} }} }} }}'


def const(template, name, values, key):
    dims = " ".join("dim {{ size: {} }}".format(d) for d in np.shape(values))
    flat = " ".join(f"{key}: {repr(v) if isinstance(v, str) else v}" for v in np.ravel(values).tolist())
    return template.format(name=name, dims=dims, values=flat)


def floats(name, values):
    return const(CONST_F, name, values, "float_val")


def ints(name, values):
    return const(CONST_I, name, values, "int_val")


def texts(name, values):
    return const(CONST_S, name, values, "string_val")


def graph_of(version, *nodes):
    """A graph of the text of its nodes, of an old version."""
    text = "\n".join(nodes) + f"\nversions {{ producer: {version} }}"
    tf.import_graph_def(text_format.Parse(text, v1.GraphDef()), name="")
    return v1.get_default_graph()


TRAINING = """
node { name: "w" op: "Variable" attr { key: "container" value { s: "" } } attr { key: "shared_name" value { s: "" } }
  attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } dim { size: 1 } } } } }
node { name: "w/Assign" op: "Assign" input: "w" input: "w/first" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "w/read" op: "Identity" input: "w" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "y" op: "MatMul" input: "x" input: "w/read" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "error" op: "Sub" input: "y" input: "labels" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "grad" op: "MatMul" input: "x" input: "error" attr { key: "T" value { type: DT_FLOAT } } attr { key: "transpose_a" value { b: true } } }
node { name: "train" op: "ApplyGradientDescent" input: "w" input: "rate" input: "grad" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "loss" op: "L2Loss" input: "error" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "path" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } }
node { name: "save" op: "Save" input: "path" input: "names" input: "w" attr { key: "T" value { list { type: DT_FLOAT } } } }
node { name: "restore/read" op: "Restore" input: "path" input: "name" attr { key: "dt" value { type: DT_FLOAT } } }
node { name: "restore" op: "Assign" input: "w" input: "restore/read" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "slice" op: "RestoreSlice" input: "path" input: "name" input: "spec" attr { key: "dt" value { type: DT_FLOAT } } }
node { name: "init" op: "NoOp" input: "^w/Assign" }
"""


def training(cluster):
    """A model that is trained, saved and restored."""
    graph_of(9, TRAINING, floats("w/first", [[0.5], [-0.25]]), floats("x", [[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]]), floats("labels", [[1.0], [2.0], [0.0]]), floats("rate", 0.05),
             texts("names", ["w"]), texts("name", "w"), texts("spec", "2 1 1,1:-"))
    with tempfile.TemporaryDirectory() as folder, connect(cluster) as session:
        where = {"path:0": os.path.join(folder, "model.ckpt")}
        session.run("init")
        losses = [session.run(["loss:0", "train"])[0] for _ in range(4)]
        session.run("save", where)
        kept = session.run("w:0")
        for _ in range(3):
            session.run("train")
        session.run("restore", where)
        return [losses, session.run("w:0"), kept, session.run("slice:0", where)]


READING = """
node { name: "queue" op: "FIFOQueue" attr { key: "component_types" value { list { type: DT_STRING } } } attr { key: "shapes" value { list { shape { } } } }
  attr { key: "capacity" value { i: 8 } } }
node { name: "file" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } }
node { name: "fill" op: "QueueEnqueueMany" input: "queue" input: "file" attr { key: "Tcomponents" value { list { type: DT_STRING } } } }
node { name: "end" op: "QueueClose" input: "queue" }
node { name: "reader" op: "TextLineReader" attr { key: "skip_header_lines" value { i: 1 } } }
node { name: "read" op: "ReaderRead" input: "reader" input: "queue" }
node { name: "columns" op: "DecodeCSV" input: "read:1" input: "none" input: "word" attr { key: "OUT_TYPE" value { list { type: DT_FLOAT type: DT_STRING } } } }
node { name: "table" op: "HashTable" attr { key: "key_dtype" value { type: DT_STRING } } attr { key: "value_dtype" value { type: DT_FLOAT } } }
node { name: "table/init" op: "InitializeTable" input: "table" input: "keys" input: "values" attr { key: "Tkey" value { type: DT_STRING } } attr { key: "Tval" value { type: DT_FLOAT } } }
node { name: "found" op: "LookupTableFind" input: "table" input: "columns:1" input: "missing" attr { key: "Tin" value { type: DT_STRING } } attr { key: "Tout" value { type: DT_FLOAT } } }
node { name: "produced" op: "ReaderNumRecordsProduced" input: "reader" }
"""


def reading(cluster):
    """Lines of a file whose name comes from a queue, and a table."""
    graph_of(12, READING, floats("none", [0.0]), texts("word", ["-"]), texts("keys", ["a", "b"]), floats("values", [1.5, 2.5]), floats("missing", -1.0))
    with tempfile.TemporaryDirectory() as folder, connect(cluster) as session:
        path = os.path.join(folder, "lines")
        with open(path, "w") as file:
            file.write("number,word\n1,a\n2,b\n,c\n")
        session.run("fill", {"file:0": [path]})
        session.run("end")
        session.run("table/init")
        rows = [session.run(["columns:0", "columns:1", "found:0"]) for _ in range(3)]
        rows = [[a, [b.decode()], c] for a, b, c in rows]
        try:
            session.run("columns:0")
            over = "more"
        except tf.errors.OutOfRangeError:
            over = "over"
        return [rows, [over], session.run("produced:0")]


COLLECTING = """
node { name: "array" op: "TensorArray" input: "size" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "clear_after_read" value { b: false } } }
node { name: "flow" op: "TensorArrayUnpack" input: "array" input: "rows" input: "zero" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "row" op: "TensorArrayRead" input: "array" input: "one" input: "flow" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "all" op: "TensorArrayPack" input: "array" input: "flow" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "stack" op: "Stack" attr { key: "elem_type" value { type: DT_FLOAT } } }
node { name: "push" op: "StackPush" input: "stack" input: "row" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "pop" op: "StackPop" input: "stack" input: "^push" attr { key: "elem_type" value { type: DT_FLOAT } } }
node { name: "sum" op: "Sum" input: "all" input: "axis" attr { key: "T" value { type: DT_FLOAT } } attr { key: "keep_dims" value { b: true } } }
node { name: "both" op: "Concat" input: "axis" input: "sum" input: "all" attr { key: "N" value { i: 2 } } attr { key: "T" value { type: DT_FLOAT } } }
node { name: "packed" op: "Pack" input: "row" input: "pop" attr { key: "N" value { i: 2 } } attr { key: "T" value { type: DT_FLOAT } } }
node { name: "shuffled" op: "BatchToSpace" input: "image" input: "crops" attr { key: "T" value { type: DT_FLOAT } } attr { key: "block_size" value { i: 2 } } }
"""


def collecting(cluster):
    """Arrays and stacks whose handles are strings, and ops with later successors."""
    graph_of(11, COLLECTING, ints("size", 3), floats("rows", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), floats("zero", 0.0), ints("one", 1), ints("axis", 0),
             floats("image", np.arange(8.0).reshape(4, 1, 2, 1).tolist()), ints("crops", [[0, 0], [0, 1]]))
    with connect(cluster) as session:
        return session.run(["all:0", "both:0", "packed:0", "shuffled:0"])


PROGRAMS = [training, reading, collecting]
