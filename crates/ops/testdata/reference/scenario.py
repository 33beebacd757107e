"""Recording scenarios: a graph, and steps whose results TensorFlow tells.

A scenario is stored as one tf.train.Example in a gzipped TFRecord file, one file a family:
  name      what it is called
  graph     a serialized GraphDef
  steps     serialized Examples, in order (below)
  files, contents   files to create in the scenario's folder first
  shapes    serialized TensorShapeProtos: what TensorFlow infers for the outputs of the node `op` once every fed
            placeholder has become a constant
A step:
  feeds, feed_values     names of tensors, and TensorProtos
  fetches, targets       names of tensors, and of nodes
  expected               a TensorProto for each fetch
  code, phrase           instead of `expected`: the error's number, and words that its message contains
  ys, weights, xs        instead of fetches: `expected` are the gradients of sum(y * weight) for each x; an empty
                         entry says that there is none
  rtol, atol             where the usual tolerance does not do
  mode                   how to compare where plain equality does not do: "shape", "summary"
  timeout_ms             a limit on the step
The first record of a file has one feature, `count`: how many scenarios follow.
`$DIR` in string values stands for the scenario's folder.
"""

import contextlib
import os
import re
import shutil
import tempfile

import numpy as np
from judge import tf
from tensorflow.core.protobuf import error_codes_pb2 as error_codes
from tensorflow.python.client import session as session_module
from tensorflow.python.framework import op_def_library, op_def_registry
from tensorflow.python.framework import ops as framework_ops

v1 = tf.compat.v1
v1.disable_v2_behavior()
# Messages as the kernels write them, without the places in Python where nodes were made.
session_module.error_interpolation.interpolate_graph = lambda message, graph: message

bfloat16 = tf.bfloat16.as_numpy_dtype
HALVES = [np.float16, bfloat16]
FLOATS = [np.float32, np.float64, np.float16, bfloat16]
INTS = [np.int32, np.int64, np.int8, np.int16, np.uint8, np.uint16, np.uint32, np.uint64]
COMPLEX = [np.complex64, np.complex128]
MAIN = [np.float32, np.float64, np.int32, np.int64]


def config():
    """Nothing is folded or rewritten, so that values and errors come from the kernels; one thread for each pool."""
    options = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    options.graph_options.optimizer_options.opt_level = -1
    options.graph_options.rewrite_options.disable_meta_optimizer = True
    return options


def example(**features):
    """An Example of the features that are not empty."""
    result = tf.train.Example()
    for name, value in features.items():
        if value is None or (isinstance(value, (list, tuple)) and not value):
            continue
        feature = result.features.feature[name]
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(item, (int, np.integer)):
                feature.int64_list.value.append(int(item))
            elif isinstance(item, float):
                feature.float_list.value.append(item)
            else:
                feature.bytes_list.value.append(item.encode() if isinstance(item, str) else item)
    return result.SerializeToString(deterministic=True)


def proto(value, dtype=None, folder=None):
    """A TensorProto, serialized; the folder's path is written as $DIR."""
    # NumPy's own strings would lose zero bytes at the end.
    value = np.array(value, object) if isinstance(value, bytes) else np.asarray(value)
    if value.dtype.kind in "OSU":
        flat = [item.encode() if isinstance(item, str) else item for item in value.reshape(-1).tolist()]
        if folder:
            flat = [item.replace(folder.encode(), b"$DIR") for item in flat]
        made = v1.make_tensor_proto(flat, dtype=tf.string, shape=value.shape)
    else:
        made = v1.make_tensor_proto(value, dtype=dtype, shape=value.shape)
    return made.SerializeToString(deterministic=True)


def leading_words(message):
    """The fixed words that a message begins with: up to the first value in it."""
    message = message.split("\n")[0]
    if message.startswith(("Container ", "Resource ")):
        return ""
    message = re.sub(r"^Name: .*?Index: \d+\.\s+", "", message)
    words = re.split(r"[\[\]0-9'\"(){}<>=:;,*]|\$DIR|/|\. | -", message)[0].strip()
    return words if len(words) >= 8 else ""


def written(value, what):
    """The value, unless it has elements that the kernel did not write: generate.py fills fresh memory with bytes of 0x7f."""
    value = np.asarray(value)
    # Smaller elements may well have that value.
    if value.dtype.itemsize >= 4 and value.dtype.kind not in "OSU":
        elements = np.frombuffer(value.tobytes(), np.uint8).reshape(-1, value.dtype.itemsize)
        unwritten = bool(np.any(np.all(elements == 0x7F, axis=1)))
        assert not unwritten, f"{what}: TensorFlow leaves memory unwritten, so this cannot be recorded: {value.reshape(-1)[:8]}"
    return value


class Unsupported(Exception):
    """TensorFlow has no kernel for it."""


class Scenario:
    """A graph under construction, and then the steps run on it, in order."""

    def __init__(self, family, name, files=None):
        self.family, self.name = family, name
        self.graph = tf.Graph()
        self.graph_def = None
        self.session = None
        self.steps = []
        self.used = set()
        self.shapes = []
        self.files = dict(files or {})
        self.folder = tempfile.mkdtemp(prefix="scenario")
        for path, content in self.files.items():
            os.makedirs(os.path.dirname(os.path.join(self.folder, path)), exist_ok=True)
            with open(os.path.join(self.folder, path), "wb") as file:
                file.write(content)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def start(self):
        if self.session is None:
            self.session = v1.Session(graph=self.graph, config=config())

    def freeze(self):
        """What is added to the graph after this (gradients) is not part of the scenario."""
        if self.graph_def is None:
            self.graph_def = self.graph.as_graph_def()

    def run(self, fetches=(), feeds=None, targets=(), tol=None, mode=None, phrase=None, timeout_ms=None):
        """One step; its values, or None after an error, which is then the expected one."""
        self.start()
        fetches = list(fetches) if isinstance(fetches, (list, tuple)) else [fetches]
        fetches = [self.graph.as_graph_element(fetch) for fetch in fetches]
        targets = list(targets) if isinstance(targets, (list, tuple)) else [targets]
        feeds = dict(feeds or {})
        self.used.update(name.split(":")[0] for name in (x.name for x in [*fetches, *targets, *feeds]))
        step = dict(
            feeds=[key.name for key in feeds],
            feed_values=[proto(value, key.dtype.base_dtype, self.folder) for key, value in feeds.items()],
            fetches=[fetch.name for fetch in fetches],
            targets=[target.name for target in targets],
            mode=mode,
            timeout_ms=timeout_ms,
        )
        if tol is not None:
            step["rtol"], step["atol"] = (float(tol), float(tol)) if np.isscalar(tol) else map(float, tol)
        options = v1.RunOptions(timeout_in_ms=timeout_ms) if timeout_ms else None
        values = None
        try:
            values = self.session.run(fetches + targets, {key: value for key, value in feeds.items()}, options=options)
            values = values[: len(fetches)]
            if mode == "shape":
                values = [np.zeros_like(value) if np.asarray(value).dtype.kind != "O" else np.full(np.shape(value), b"", object)
                          for value in values]
            step["expected"] = [
                proto(written(value, f"{self.name}: {fetch.name}") if mode != "shape" else value, fetch.dtype.base_dtype, self.folder)
                for value, fetch in zip(values, fetches)
            ]
        except tf.errors.OpError as error:
            if error.error_code == error_codes.UNIMPLEMENTED or "No OpKernel was registered" in error.message:
                raise Unsupported(error.message) from None
            step["code"] = error.error_code
            step["phrase"] = leading_words(error.message) if phrase is None else phrase
            if self.family.verbose:
                print(f"  {self.name}: {error.error_code} {error.message.splitlines()[0]}")
        self.steps.append(example(**step))
        return values

    def gradients(self, ys, xs, feeds=None, tol=None, shapes=None):
        """A step whose fetches are gradients, which the reader of the scenario has to build itself."""
        self.start()
        self.freeze()
        feeds = dict(feeds or {})
        if shapes is None:
            shapes = [np.shape(value) for value in self.session.run(ys, feeds)]
        weights = [weight(shape, y.dtype.base_dtype.as_numpy_dtype, k) for k, (y, shape) in enumerate(zip(ys, shapes))]
        with self.graph.as_default():
            grads = v1.gradients(ys, xs, grad_ys=[tf.constant(w) for w in weights])
            grads = [None if grad is None else tf.convert_to_tensor(grad) for grad in grads]
        wanted = [grad for grad in grads if grad is not None]
        values = iter(self.session.run(wanted, feeds) if wanted else [])
        step = dict(
            feeds=[key.name for key in feeds],
            feed_values=[proto(value, key.dtype.base_dtype) for key, value in feeds.items()],
            ys=[y.name for y in ys],
            weights=[proto(w, y.dtype.base_dtype) for w, y in zip(weights, ys)],
            xs=[x.name for x in xs],
            expected=[b"" if grad is None else proto(written(next(values), f"{self.name}: gradients"), grad.dtype.base_dtype)
                      for grad in grads],
        )
        if tol is not None:
            step["rtol"], step["atol"] = (float(tol), float(tol)) if np.isscalar(tol) else map(float, tol)
        self.steps.append(example(**step))

    def finish(self):
        if self.session is not None:
            self.session.close()
        shutil.rmtree(self.folder)

    def serialized(self):
        return example(
            name=self.name,
            graph=self.graph_def.SerializeToString(deterministic=True),
            steps=self.steps,
            files=list(self.files),
            contents=list(self.files.values()),
            shapes=self.shapes,
        )


def weight(shape, dtype, k=0):
    """Fixed weights, all different and none zero, so that a gradient that is mixed up shows."""
    count = int(np.prod(shape, dtype=np.int64))
    return (np.arange(count) * 0.375 % 2.25 - 0.8125 + 0.125 * k).reshape(shape).astype(dtype)


class Family:
    """The scenarios of one file."""

    def __init__(self, name, verbose=False):
        self.name, self.verbose = name, verbose
        self.records = []
        self.ops = set()
        self.skipped = []
        self.counts = {}

    def unique(self, name):
        count = self.counts.get(name, 0)
        self.counts[name] = count + 1
        return f"{name}/{count}" if count else name

    def keep(self, scenario):
        scenario.freeze()
        missing = scenario.used - {node.name for node in scenario.graph_def.node}
        assert not missing, f"{scenario.name}: {missing} came after the gradients"
        self.ops.update(node.op for node in scenario.graph_def.node)
        self.records.append(scenario.serialized())

    @contextlib.contextmanager
    def scenario(self, name, files=None):
        """A scenario of several nodes and steps."""
        scenario = Scenario(self, self.unique(name), files)
        try:
            with scenario.graph.as_default():
                yield scenario
            self.keep(scenario)
        except Unsupported:
            if self.verbose:
                self.skipped.append(f"{scenario.name}: no kernel")
        finally:
            scenario.finish()

    def case(self, op, *inputs, grad=None, tol=None, grad_tol=None, name=None, phrase=None, mode=None, known=False, also=None, **attrs):
        """One node with fed inputs: its values or its error, the inferred shapes, and the gradients of its float
        inputs if they are float32 or float64 (`grad` overrides). A type without a kernel is left out. With `known`
        the placeholders have shapes, for nodes that Python refuses without; `also` are attributes whose names are
        taken here.

        The placeholders have no shapes, so that errors come from the kernel. Gradients are taken once so, and once as
        programs mostly have it: shapes known, and what is not a float a constant."""
        inputs = [[np.asarray(i) for i in x] if isinstance(x, list) else np.asarray(x) for x in inputs]
        attrs |= also or {}
        first = next((x for x in flatten(inputs)), None)
        label = name or (f"{op}/{tf.as_dtype(first.dtype).name}" if first is not None else op)
        scenario = Scenario(self, self.unique(label))
        try:
            with scenario.graph.as_default():
                feeds = {}
                outputs = node(op, inputs, attrs, lambda value, name: placeholder(value, name, feeds, value.shape if known else None))
            if not outputs:
                scenario.run((), feeds, scenario.graph.get_operation_by_name("op"), phrase=phrase)
                self.keep(scenario)
                return
            values = scenario.run(outputs, feeds, (), tol, mode, phrase)
            wanted = False
            if values is not None:
                scenario.shapes = inferred_shapes(op, inputs, attrs)
                floats = [t for t in [*feeds, *outputs] if t.dtype.is_floating]
                wanted = grad if grad is not None else all(t.dtype in (tf.float32, tf.float64) for t in floats)
                wanted = wanted and has_gradient(op) and self.gradients(scenario, outputs, feeds, values, grad_tol or tol)
            self.keep(scenario)
            if wanted and any(not t.dtype.is_floating for t in feeds):
                self.static_gradients(label, op, inputs, attrs, values, grad_tol or tol)
        except (Unsupported, ValueError, TypeError) as error:
            # TypeError and ValueError: Python already refuses the node, so no graph can hold it.
            expected = isinstance(error, Unsupported) or "allowed values" in str(error)
            if expected and not self.verbose:
                return
            self.skipped.append(f"{scenario.name}: {type(error).__name__} {str(error).splitlines()[0][:150]}")
        finally:
            scenario.finish()

    def old_case(self, op, *inputs, producer, tol=None, then=None, only=None, phrase=None, **attrs):
        """The values of an op that TensorFlow runs in graphs of old versions only. The op `then`, of one input, is applied to
        its outputs, of which the first `only` count."""
        inputs = [np.asarray(x) for x in inputs]
        scenario = Scenario(self, self.unique(f"{op}/{tf.as_dtype(inputs[0].dtype).name}"))
        try:
            definition = op_def_registry.get(op)
            with tf.Graph().as_default() as graph:
                for arg, value in zip(definition.input_arg, inputs):
                    v1.placeholder(tf.as_dtype(value.dtype), name=arg.name)
            old = graph.as_graph_def()
            made = old.node.add(name="op", op=op, input=[arg.name for arg in definition.input_arg])
            for attr in definition.attr:
                made.attr[attr.name].CopyFrom(attr.default_value)
                value = attrs.get(attr.name)
                if isinstance(value, (bool, int, float)):
                    setattr(made.attr[attr.name], {"bool": "b", "int": "i", "float": "f"}[attr.type], value)
                elif isinstance(value, list):
                    made.attr[attr.name].list.i.extend(value)
                elif isinstance(value, str):
                    made.attr[attr.name].s = value.encode()
                elif value is not None:
                    made.attr[attr.name].type = tf.as_dtype(value).as_datatype_enum
            for arg, value in zip(definition.input_arg, inputs):
                if arg.type_attr:
                    made.attr[arg.type_attr].type = tf.as_dtype(value.dtype).as_datatype_enum
            fetches = [f"op:{i}" for i in range(only or len(definition.output_arg))]
            for i, fetch in enumerate(fetches if then else []):
                last = old.node.add(name=f"then_{i}", op=then, input=[fetch])
                last.attr["T"].CopyFrom(made.attr["T"])
            old.versions.producer = producer
            with scenario.graph.as_default():
                tf.import_graph_def(old, name="")
            fetches = [f"then_{i}:0" for i in range(len(fetches))] if then else fetches
            feeds = {scenario.graph.get_tensor_by_name(arg.name + ":0"): value for arg, value in zip(definition.input_arg, inputs)}
            scenario.run(fetches, feeds, (), tol, None, phrase)
            self.keep(scenario)
        except (Unsupported, ValueError):
            # No kernel, or a type that the definition does not allow.
            pass
        finally:
            scenario.finish()

    def gradients(self, scenario, outputs, feeds, values, tol):
        xs = [x for x in feeds if x.dtype.is_floating]
        ys = [y for y in outputs if y.dtype.is_floating]
        if not xs or not ys:
            return False
        shapes = [np.shape(value) for value, y in zip(values, outputs) if y.dtype.is_floating]
        try:
            scenario.gradients(ys, xs, feeds, tol, shapes)
        except (tf.errors.OpError, NotImplementedError, ValueError, TypeError) as error:
            self.skipped.append(f"gradient of {scenario.name}: {str(error).splitlines()[0][:150]}")
        return True

    def static_gradients(self, label, op, inputs, attrs, values, tol):
        scenario = Scenario(self, self.unique(label + "/static"))
        try:
            with scenario.graph.as_default():
                feeds = {}

                def make(value, name):
                    floating = tf.as_dtype(value.dtype).is_floating
                    return placeholder(value, name, feeds, value.shape) if floating else tf.constant(value, name=name)

                outputs = node(op, inputs, attrs, make)
            if self.gradients(scenario, outputs, feeds, values, tol) and scenario.steps:
                self.keep(scenario)
        finally:
            scenario.finish()

    def write(self, folder):
        path = os.path.join(folder, self.name + ".tfrecord.gz")
        with tf.io.TFRecordWriter(path, tf.io.TFRecordOptions("GZIP", compression_level=9)) as writer:
            writer.write(example(count=len(self.records)))
            for record in self.records:
                writer.write(record)
        return os.path.getsize(path)


def placeholder(value, name, feeds, shape):
    made = v1.placeholder(tf.as_dtype(value.dtype), shape, name=name)
    feeds[made] = value
    return made


def flatten(inputs):
    for x in inputs:
        if isinstance(x, list):
            yield from x
        else:
            yield x


def node(op, inputs, attrs, make):
    """The outputs of a node called `op` whose inputs are made by `make(value, name)`."""
    args = op_def_registry.get(op).input_arg
    if len(args) != len(inputs):
        raise ValueError(f"{op} has {len(args)} inputs, not {len(inputs)}")
    attrs = defaults(op) | attrs
    named = {}
    for arg, value in zip(args, inputs):
        if isinstance(value, list):
            named[arg.name] = [make(item, f"{arg.name}_{i}") for i, item in enumerate(value)]
        else:
            named[arg.name] = make(value, arg.name)
    op_def_library.apply_op(op, name="op", **named, **attrs)
    return list(v1.get_default_graph().get_operation_by_name("op").outputs)


def node_of(op, inputs, **attrs):
    """The outputs of a new node; the inputs are tensors, or values that become constants."""
    names = [arg.name for arg in op_def_registry.get(op).input_arg]
    tensors = [x if tf.is_tensor(x) or isinstance(x, (list, tf.Variable)) else tf.constant(x) for x in inputs]
    made = op_def_library.apply_op(op, **dict(zip(names, tensors)), **(defaults(op) | attrs))
    return list(made) if isinstance(made, (list, tuple)) else [made]


def defaults(op):
    """The default values of the attributes that the inputs do not settle."""
    definition = op_def_registry.get(op)
    settled = {name for arg in definition.input_arg for name in (arg.type_attr, arg.number_attr, arg.type_list_attr)}
    result = {}
    for attr in definition.attr:
        if attr.name in settled or not attr.HasField("default_value"):
            continue
        kind = attr.default_value.WhichOneof("value")
        value = getattr(attr.default_value, kind)
        if kind == "list":
            field = {"int": "i", "string": "s", "float": "f", "bool": "b", "type": "type", "shape": "shape"}[attr.type[5:-1]]
            value = list(getattr(value, field))
        result[attr.name] = value
    return result


def inferred_shapes(op, inputs, attrs):
    with tf.Graph().as_default():
        try:
            outputs = node(op, inputs, attrs, lambda value, name: tf.constant(value, name=name))
        except ValueError:
            return []
        return [output.shape.as_proto().SerializeToString(deterministic=True) for output in outputs]


def has_gradient(op):
    try:
        framework_ops.gradient_registry.lookup(op)
        return True
    except LookupError:
        return False


def values(shape, dtype=np.float32, seed=0, low=-4, high=4):
    """Numbers that every type can hold: eighths for floats, whole ones for integers."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    state = np.random.RandomState(seed + 17 * len(shape) + int(np.prod(shape)))
    dtype = np.dtype(dtype)
    if dtype.kind == "u":
        low = max(low, 0)
    if dtype == np.bool_:
        return state.rand(*shape) > 0.5 if shape else np.bool_(True)
    if dtype.kind in "iu":
        return state.randint(low, high + 1, size=shape).astype(dtype)
    if dtype.kind == "c":
        return (values(shape, np.float32, seed) + 1j * values(shape, np.float32, seed + 1)).astype(dtype)
    if dtype.kind in "OSU":
        return np.array([b"w%d" % i for i in state.randint(0, 99, size=int(np.prod(shape)))], object).reshape(shape)
    return (state.randint(low * 8, high * 8 + 1, size=shape) / 8).astype(dtype)


def i32(*items):
    return np.array(items, np.int32)


def i64(*items):
    return np.array(items, np.int64)


def f32(*items):
    return np.array(items, np.float32)


def scalar(value, dtype=np.int32):
    return np.array(value, dtype)


nan, inf = float("nan"), float("inf")
