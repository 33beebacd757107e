"""Protobuf messages of our own: behaviour, malformed bytes, and equality with what the protobuf package makes."""

import copy
import importlib
import math
import os
import pickle
import random
import struct
import sys
import unittest
from pathlib import Path


import numpy as np

from tensorfleet._framework import messages
from tensorfleet._framework.messages import (
    AttrValue,
    CheckpointState,
    ConfigProto,
    DecodeError,
    Event,
    Example,
    Feature,
    Features,
    FloatList,
    GPUOptions,
    GraphDef,
    Int64List,
    NodeDef,
    ParseError,
    RunOptions,
    Summary,
    TensorProto,
    parse_text,
)


class Fields(unittest.TestCase):
    def test_children_become_part_of_their_parent_when_they_change(self):
        config = ConfigProto()
        options = config.graph_options.optimizer_options
        self.assertFalse(config.HasField("graph_options"))
        self.assertEqual(config.SerializeToString(), b"")
        options.opt_level = messages.OptimizerOptions.L0
        self.assertTrue(config.HasField("graph_options"))
        self.assertEqual(config.graph_options.optimizer_options.opt_level, -1)
        config.cluster_def.job.add(name="ps").tasks[0] = "localhost:2222"
        self.assertEqual(config.cluster_def.job[0].tasks, {0: "localhost:2222"})
        self.assertTrue(config.HasField("cluster_def"))
        config.gpu_options.SetInParent()
        self.assertIn("gpu_options {\n}\n", str(config))

    def test_a_cleared_child_is_a_stranger(self):
        config = ConfigProto()
        for options in (config.gpu_options, ConfigProto(gpu_options=GPUOptions(allow_growth=True)).gpu_options):
            config.ClearField("gpu_options")
            options.allow_growth = True
            self.assertEqual(config, ConfigProto())

    def test_constructor(self):
        config = ConfigProto(
            gpu_options={"allow_growth": True}, device_count={"GPU": 0}, device_filters=["/job:ps"], rpc_options=None
        )
        self.assertTrue(config.gpu_options.allow_growth)
        self.assertEqual(config.device_count["GPU"], 0)
        self.assertEqual(config.device_filters, ["/job:ps"])
        self.assertEqual(RunOptions(trace_level="FULL_TRACE").trace_level, RunOptions.FULL_TRACE)
        example = Example(features=Features(feature={"x": Feature(int64_list=Int64List(value=np.arange(3)))}))
        self.assertEqual(example.features.feature["x"].int64_list.value, [0, 1, 2])
        self.assertEqual(FloatList(value=np.float32([0.5, 2])).value, [0.5, 2.0])

    def test_mistakes_name_the_field(self):
        config = ConfigProto()
        with self.assertRaisesRegex(AttributeError, "ConfigProto has no field 'foo'"):
            config.foo = 1
        with self.assertRaisesRegex(AttributeError, "foo"):
            config.foo
        with self.assertRaisesRegex(ValueError, "foo"):
            ConfigProto(foo=1)
        with self.assertRaisesRegex(AttributeError, "gpu_options"):
            config.gpu_options = GPUOptions()
        with self.assertRaisesRegex(AttributeError, "device_filters"):
            config.device_filters = ["a"]
        with self.assertRaisesRegex(TypeError, "inter_op_parallelism_threads.*'a'"):
            config.inter_op_parallelism_threads = "a"
        with self.assertRaisesRegex(TypeError, "inter_op_parallelism_threads"):
            config.inter_op_parallelism_threads = 1.5
        with self.assertRaisesRegex(ValueError, "inter_op_parallelism_threads.*1099511627776"):
            config.inter_op_parallelism_threads = 1 << 40
        with self.assertRaisesRegex(TypeError, "log_device_placement"):
            config.log_device_placement = "yes"
        with self.assertRaisesRegex(TypeError, "device_filters.*3"):
            config.device_filters.extend(["a", 3])
        with self.assertRaisesRegex(TypeError, "BytesList.value.*'abc'"):
            messages.BytesList(value=["abc"])
        with self.assertRaisesRegex(TypeError, "Int64List.value"):
            Int64List(value=5)
        with self.assertRaisesRegex(TypeError, "FloatList.value"):
            FloatList(value=np.ones((2, 2)))
        with self.assertRaisesRegex(TypeError, "Feature.int64_list.*Int64List"):
            Feature(int64_list=[1])
        with self.assertRaisesRegex(ValueError, "AttrValue.type.*DT_X"):
            AttrValue(type="DT_X")
        with self.assertRaisesRegex(ValueError, "attr"):
            NodeDef().attr["T"] = AttrValue()
        with self.assertRaisesRegex(ValueError, "presence"):
            config.HasField("log_device_placement")
        with self.assertRaises(ValueError):
            config.device_filters.append(b"\xff")
        with self.assertRaises(ValueError):
            config.device_filters.append("\ud800")
        with self.assertRaises(TypeError):
            config.CopyFrom(GPUOptions())
        with self.assertRaises(TypeError):
            hash(config)
        with self.assertRaises(AttributeError):
            messages.NoSuchMessage
        # A mistake leaves nothing behind.
        self.assertEqual(config, ConfigProto())

    def test_oneof(self):
        value = AttrValue(i=0)
        self.assertEqual(value.WhichOneof("value"), "i")
        self.assertEqual(value.SerializeToString(), b"\x18\x00")
        value.s = b"x"
        self.assertFalse(value.HasField("i"))
        list_ = value.list
        self.assertEqual(value.WhichOneof("value"), "s")
        list_.i.append(3)
        self.assertEqual(value.WhichOneof("value"), "list")
        self.assertEqual(value.s, b"")
        value.ClearField("value")
        self.assertIsNone(value.WhichOneof("value"))
        with self.assertRaises(ValueError):
            value.WhichOneof("nothing")

    def test_lists_and_maps(self):
        graph = GraphDef()
        node = graph.node.add(name="a", op="Const")
        node.attr["dtype"].type = messages.DT_FLOAT
        self.assertNotIn("T", node.attr)
        self.assertIsNone(node.attr.get("T"))
        node.input.extend(["x", "y"])
        node.input[:] = ["z"]
        node.input[0] = "w"
        other = NodeDef()
        other.CopyFrom(node)
        graph.node.extend([other])
        other.name = "b"
        self.assertEqual([n.name for n in graph.node], ["a", "a"])
        self.assertEqual(graph.node[1].attr["dtype"].type, 1)
        self.assertEqual(graph.node[0], graph.node[1])
        del graph.node[0]
        self.assertEqual(len(graph.node), 1)
        with self.assertRaises(TypeError):
            graph.node[0] = other
        with self.assertRaises(ValueError):
            node.input.remove("nothing")
        del node.attr["dtype"]
        self.assertFalse(node.attr)
        count = ConfigProto().device_count
        self.assertEqual(count["CPU"], 0)
        self.assertEqual(count, {"CPU": 0})

    def test_copies_and_merges(self):
        config = ConfigProto(device_filters=["a"], device_count={"CPU": 1}, gpu_options={"allow_growth": True})
        for made in (copy.copy(config), copy.deepcopy(config), pickle.loads(pickle.dumps(config))):
            self.assertEqual(made, config)
            made.gpu_options.allow_growth = False
            made.device_filters.append("b")
            self.assertNotEqual(made, config)
        merged = ConfigProto(device_filters=["0"], gpu_options={"per_process_gpu_memory_fraction": 0.5})
        merged.MergeFrom(config)
        self.assertEqual(merged.device_filters, ["0", "a"])
        self.assertTrue(merged.gpu_options.allow_growth)
        self.assertEqual(merged.gpu_options.per_process_gpu_memory_fraction, 0.5)
        names = [field.name for field, _ in merged.ListFields()]
        self.assertEqual(names, ["device_count", "device_filters", "gpu_options"])
        self.assertNotEqual(ConfigProto(), GPUOptions())
        self.assertNotEqual(ConfigProto(), 3)

    def test_floats_are_single_precision(self):
        value = Summary.Value(simple_value=0.1)
        self.assertEqual(value.simple_value, struct.unpack("<f", struct.pack("<f", 0.1))[0])
        self.assertEqual(Summary.Value(simple_value=1e40).simple_value, math.inf)
        self.assertEqual(Event(wall_time=-0.0).SerializeToString(), b"\t\0\0\0\0\0\0\0\x80")
        self.assertTrue(math.isnan(Summary.Value(simple_value=np.float32("nan")).simple_value))

    def test_fields_and_nested_types_have_different_names(self):
        for name in messages.message_names():
            cls = messages.message_class(name)
            for field in cls.DESCRIPTOR.fields:
                self.assertFalse(hasattr(cls, field.name), f"{name}.{field.name}")
                if field.kind == "message" and not field.is_map:
                    self.assertTrue(issubclass(field.message, messages.Message))

    def test_enums(self):
        self.assertEqual(messages.DataType.Name(1), "DT_FLOAT")
        self.assertEqual(messages.DataType.Value("DT_INT32"), messages.DT_INT32)
        self.assertEqual(RunOptions.TraceLevel.items()[0], ("NO_TRACE", 0))
        with self.assertRaises(ValueError):
            RunOptions.TraceLevel.Name(77)
        with self.assertRaises(AttributeError):
            RunOptions.TraceLevel.NOTHING


class Bytes(unittest.TestCase):
    def test_known_bytes(self):
        # Field 1, length 5; within it field 1 with an entry of the map.
        event = Event(step=300, summary=Summary(value=[Summary.Value(tag="a", simple_value=0.5)]))
        self.assertEqual(event.SerializeToString().hex(), "10ac02" + "2a0a" + "0a08" + "0a0161" + "150000003f")
        self.assertEqual(Event.FromString(event.SerializeToString()), event)
        self.assertEqual(event.ByteSize(), 15)

    def test_unknown_fields_are_kept(self):
        # Number 100 as a varint, as bytes, and as a group that holds a varint; within a child as well.
        strange = bytes.fromhex("a00601") + bytes.fromhex("a2060161") + bytes.fromhex("a3060801a406")
        config = ConfigProto.FromString(b"\x38\x01" + strange)
        self.assertTrue(config.allow_soft_placement)
        self.assertEqual(config.SerializeToString(), b"\x38\x01" + strange)
        self.assertNotEqual(config, ConfigProto(allow_soft_placement=True))
        copied = ConfigProto()
        copied.CopyFrom(config)
        self.assertEqual(copied.SerializeToString(), config.SerializeToString())
        config.DiscardUnknownFields()
        self.assertEqual(config, ConfigProto(allow_soft_placement=True))
        # A known field of another wire type is not known.
        wrong = b"\x3d\x01\x00\x00\x00"
        self.assertEqual(ConfigProto.FromString(wrong).SerializeToString(), wrong)

    def test_packed_and_unpacked(self):
        self.assertEqual(Int64List.FromString(bytes.fromhex("0801" + "0a0302ff01")).value, [1, 2, 255])
        self.assertEqual(FloatList.FromString(b"\x0d\0\0\x80?" + b"\x0a\x04\0\0\0@").value, [1.0, 2.0])
        many = Int64List(value=[-1, 0, 127, 128, 2**63 - 1, -(2**63)])
        self.assertEqual(Int64List.FromString(many.SerializeToString()), many)

    def test_malformed_bytes(self):
        cases = {
            "truncated tag": b"\xff",
            "long varint": b"\x38" + b"\xff" * 11,
            "truncated varint": b"\x38\xff",
            "field number zero": b"\x00\x01",
            "length past the end": b"\x22\x05a",
            "huge length": b"\x22\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
            "not UTF-8": b"\x22\x01\xff",
            "end without group": b"\xa4\x06",
            "group without end": b"\xa3\x06",
            "other group ends": b"\xa3\x06\xac\x06",
            "wire type 7": b"\x3f",
            "half a fixed": b"\xa5\x06\x00\x00",
            "deep groups": b"\xa3\x06" * 200,
            "varint past its message": b"\x32\x01\x20\x01",
        }
        for name, data in cases.items():
            with self.subTest(name), self.assertRaises(DecodeError):
                ConfigProto.FromString(data)
        # A list of types whose items are nested full types goes down as far as one likes.
        deep = b""
        for _ in range(150):
            deep = _length_delimited(b"\x12", deep)
        with self.assertRaises(DecodeError):
            messages.FullTypeDef.FromString(deep)
        with self.assertRaises(TypeError):
            ConfigProto.FromString("text")

    def test_random_bytes_end_in_a_message_or_an_error(self):
        rng = random.Random(7)
        good = _filled(GraphDef(), random.Random(3), 4).SerializeToString()
        for _ in range(2000):
            data = bytearray(good[: rng.randrange(1, 200)] if rng.random() < 0.5 else rng.randbytes(rng.randrange(60)))
            for _ in range(rng.randrange(4)):
                if data:
                    data[rng.randrange(len(data))] = rng.randrange(256)
            try:
                message = GraphDef.FromString(bytes(data))
            except DecodeError:
                continue
            again = GraphDef.FromString(message.SerializeToString())
            self.assertEqual(again.SerializeToString(), message.SerializeToString())


class Text(unittest.TestCase):
    def test_text_of_all_kinds(self):
        summary = Summary.Value(tag="é\"\n'\t\x01\\", simple_value=1 / 3)
        self.assertEqual(str(summary), 'tag: "é\\"\\n\\\'\\t\\001\\\\"\nsimple_value: 0.333333343\n')
        self.assertEqual(parse_text(str(summary), Summary.Value), summary)
        node = NodeDef(name="n")
        node.attr["b"].b = True
        node.attr["T"].type = 1
        node.attr["s"].s = b"\xff\0"
        text = (
            'name: "n"\nattr {\n  key: "T"\n  value {\n    type: DT_FLOAT\n  }\n}\n'
            'attr {\n  key: "b"\n  value {\n    b: true\n  }\n}\n'
            'attr {\n  key: "s"\n  value {\n    s: "\\377\\000"\n  }\n}\n'
        )
        self.assertEqual(str(node), text)
        self.assertEqual(parse_text(text, NodeDef), node)

    def test_checkpoint_state(self):
        state = parse_text(
            'model_checkpoint_path: "m-2"\nall_model_checkpoint_paths: "m-1" # old\n'
            "all_model_checkpoint_paths: 'm-' '2'\nlast_preserved_timestamp: 1.5e9\n",
            CheckpointState,
        )
        self.assertEqual(state.all_model_checkpoint_paths, ["m-1", "m-2"])
        self.assertEqual(state.last_preserved_timestamp, 1.5e9)

    def test_forms_people_write(self):
        text = "value < tag: 'a' simple_value: -inf; > value: { tag: \"b\\x41\\u00e9\", simple_value: 3.f }"
        summary = parse_text(text, Summary)
        self.assertEqual([value.tag for value in summary.value], ["a", "bAé"])
        self.assertEqual([value.simple_value for value in summary.value], [-math.inf, 3.0])
        text = "int_val: [1, -2, 0x10] int_val: 010 dtype: 3 tensor_shape { dim { size: -1 } }"
        proto = parse_text(text, TensorProto)
        self.assertEqual(proto.int_val, [1, -2, 16, 8])
        self.assertEqual(proto.tensor_shape.dim[0].size, -1)

    def test_mistakes_name_the_place(self):
        for text, problem in [
            ("node { name: \"a\" nme: \"b\" }", "line 1, column 18: .*'nme'"),
            ("node {\n  name: 3 }", "line 2, column 9: .*string"),
            ("node {", "the end"),
            ("node { name \"a\" }", "':'"),
            ("versions { producer: 99999999999 }", "producer"),
            ("node { attr { key: \"a\" value { type: DT_NO } } }", "DT_NO"),
            ("node { name: \"a", "string"),
            ("}", "field"),
            ("node { attr { key: \"a\" value { " + "list { func { attr { key: 'a' value { " * 200, "deeper"),
        ]:
            with self.subTest(text[:60]), self.assertRaisesRegex(ParseError, problem):
                parse_text(text, GraphDef)


def _length_delimited(tag, data):
    from tensorfleet._framework.messages.encode import varint

    return tag + varint(len(data)) + data


_RANDOM_STRINGS = ["", "a", "x/y:0", "é\"\n", "\u20ac" * 40]


def _scalar(field, rng):
    kind = field.kind
    if kind == "enum":
        return rng.choice(field.enum_type.values())
    if kind == "bool":
        return rng.random() < 0.7
    if kind == "string":
        return rng.choice(_RANDOM_STRINGS)
    if kind == "bytes":
        return rng.randbytes(rng.choice([0, 1, 7, 200]))
    if kind == "float":
        return rng.choice([0.0, -0.0, 0.1, 1e30, -2.5, 123456789.0])
    if kind == "double":
        return rng.choice([0.0, -0.0, 0.1, 1e300, rng.random()])
    if kind in ("uint64", "fixed64"):
        return rng.choice([0, 1, 200, 2**63, 2**64 - 1])
    if kind == "uint32":
        return rng.choice([0, 1, 300, 2**32 - 1])
    high = 2**31 if kind == "int32" else 2**63
    return rng.choice([0, 1, -1, 127, 128, high - 1, -high, 300])


def _filled(message, rng, depth, table=None, entries=2):
    """Set random fields through the API that we and the protobuf package share. `table` is our class of the message."""
    table = table or type(message)
    chosen_oneofs = set()
    for field in table.DESCRIPTOR.fields:
        if rng.random() < 0.4 or field.oneof in chosen_oneofs:
            continue
        if field.oneof:
            chosen_oneofs.add(field.oneof)
        if field.is_map:
            for _ in range(rng.randrange(entries + 1)):
                key, value = _scalar(field.key, rng), field.value
                if value.kind == "message":
                    if depth > 0:
                        _filled(getattr(message, field.name)[key], rng, depth - 1, value.message, entries)
                else:
                    getattr(message, field.name)[key] = _scalar(value, rng)
        elif field.kind == "message":
            if depth <= 0:
                continue
            if field.repeated:
                for _ in range(rng.randrange(3)):
                    _filled(getattr(message, field.name).add(), rng, depth - 1, field.message, entries)
            else:
                getattr(message, field.name).SetInParent()
                _filled(getattr(message, field.name), rng, depth - 1, field.message, entries)
        elif field.repeated:
            getattr(message, field.name).extend([_scalar(field, rng) for _ in range(rng.randrange(5))])
        else:
            setattr(message, field.name, _scalar(field, rng))
    return message


def _real_messages():
    """A function from a message's name to the class of the protobuf package, or the reason why there is none."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        from google.protobuf import descriptor_pool, message_factory
        sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests/interop"))
        import judge  # noqa: F401  (TensorFlow, whose messages are then in the pool)

        for module in (
            "tensorflow.core.framework.device_attributes_pb2",
            "tensorflow.core.protobuf.control_flow_pb2",
            "tensorflow.core.protobuf.queue_runner_pb2",
            "tensorflow.core.protobuf.saved_model_pb2",
            "tensorflow.core.protobuf.tensorflow_server_pb2",
            "tensorflow.core.util.event_pb2",
            "tensorflow.python.training.checkpoint_state_pb2",
        ):
            importlib.import_module(module)
    except ImportError as error:
        return None, f"the protobuf package and TensorFlow are not here: {error}"
    pool = descriptor_pool.Default()
    return lambda name: message_factory.GetMessageClass(pool.FindMessageTypeByName(name)), ""


class BesideProtobuf(unittest.TestCase):
    """The same calls on our classes and on those of the protobuf package give the same bytes, text and values."""

    @classmethod
    def setUpClass(cls):
        cls.real, reason = _real_messages()
        if cls.real is None:
            raise unittest.SkipTest(reason)
        cls.real = staticmethod(cls.real)

    def test_definitions(self):
        from google.protobuf.descriptor_pb2 import FieldDescriptorProto

        kinds = {number: name[5:].lower() for name, number in FieldDescriptorProto.Type.items()}
        for name in messages.message_names():
            cls = messages.message_class(name)
            theirs = self.real(cls.DESCRIPTOR.full_name).DESCRIPTOR
            self.assertEqual(
                [(f.name, f.number, f.repeated, f.oneof, f.has_presence) for f in cls.DESCRIPTOR.fields],
                [
                    (f.name, f.number, f.is_repeated, f.containing_oneof and f.containing_oneof.name, f.has_presence)
                    for f in sorted(theirs.fields, key=lambda f: f.number)
                ],
            )
            for field in cls.DESCRIPTOR.fields:
                other = theirs.fields_by_name[field.name]
                self.assertEqual(field.kind, kinds[other.type], field)
                if field.kind == "enum":
                    self.assertEqual(dict(field.enum_type.items()), {v.name: v.number for v in other.enum_type.values})

    def test_random_messages_both_ways(self):
        from google.protobuf import text_format

        for name in messages.message_names():
            cls = messages.message_class(name)
            real = self.real(cls.DESCRIPTOR.full_name)
            for seed in range(6):
                with self.subTest(name=name, seed=seed):
                    # The protobuf package has an order of its own for entries of maps, so bytes are compared without.
                    entries = 1 + seed % 2
                    ours = _filled(cls(), random.Random(seed), 3, cls, entries)
                    theirs = _filled(real(), random.Random(seed), 3, cls, entries)
                    data = ours.SerializeToString()
                    if entries == 1:
                        self.assertEqual(data, theirs.SerializeToString())
                    self.assertEqual(len(data), theirs.ByteSize())
                    self.assertEqual(cls.FromString(theirs.SerializeToString()), ours)
                    self.assertEqual(real.FromString(data), theirs)
                    self.assertEqual(parse_text(str(theirs), cls), ours)
                    self.assertEqual(text_format.Parse(str(ours), real()), theirs)

    def test_same_verdict_on_broken_bytes(self):
        from google.protobuf.message import DecodeError as RealDecodeError

        rng = random.Random(11)
        for name in ("GraphDef", "Example", "Event", "ConfigProto"):
            cls = messages.message_class(name)
            real = self.real(cls.DESCRIPTOR.full_name)
            for seed in range(300):
                whole = _filled(cls(), random.Random(seed % 9), 3).SerializeToString()
                data = bytearray(whole[: rng.randrange(1, 120)])
                for _ in range(rng.randrange(3) if data else 0):
                    data[rng.randrange(len(data))] = rng.randrange(256)
                data = bytes(data)
                try:
                    theirs = real.FromString(data)
                except RealDecodeError:
                    with self.assertRaises(DecodeError, msg=data.hex()):
                        cls.FromString(data)
                else:
                    self.assertEqual(real.FromString(cls.FromString(data).SerializeToString()), theirs, data.hex())


if __name__ == "__main__":
    unittest.main()
