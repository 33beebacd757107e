"""Our file formats against TensorFlow's, both ways.

    python formats.py PATH-OF-THE-formats-EXAMPLE

TensorFlow writes files, `formats read` prints what it finds in them, and that must be what was written. Then
`formats write` writes files and TensorFlow must find in them what it should; where the format leaves no choice, our files
must be TensorFlow's byte for byte. Exits with 1 and the differences if anything differs.
"""

import glob
import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np

from judge import tf

tf1 = tf.compat.v1
OURS = os.path.abspath(sys.argv[1])
failures = []

# The types that both sides write, by the name each has in Python.
DTYPES = [
    "float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "bool", "complex64", "complex128",
]  # fmt: skip


def check(what, got, expected):
    if got != expected:
        failures.append(f"{what}:\n  got      {str(got)[:500]}\n  expected {str(expected)[:500]}")


def ours(command, folder):
    done = subprocess.run([OURS, command, folder], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f"{OURS} {command} failed: {done.stderr}")
    return json.loads(done.stdout) if command == "read" else None


def numbers(dtype, shape):
    """Element i is i * 37 % 101, as in the Rust example."""
    values = np.arange(int(np.prod(shape))) * 37 % 101
    values = values % 2 == 1 if dtype == "bool" else values
    return values.astype(tf.as_dtype(dtype).as_numpy_dtype).reshape(shape)


def crc32c(data):
    table = crc32c.__dict__.setdefault("table", [])
    if not table:
        for i in range(256):
            for _ in range(8):
                i = (i >> 1) ^ (0x82F63B78 if i & 1 else 0)
            table.append(i)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def described(value):
    value = np.asarray(value)
    if value.dtype == object or value.dtype.kind == "S":
        elements = [bytes(element).hex() for element in value.reshape(-1)]
        return {"dtype": "string", "shape": list(value.shape), "elements": elements}
    raw = value.tobytes()
    elements = raw.hex() if len(raw) <= 4096 else crc32c(raw)
    return {"dtype": tf.as_dtype(value.dtype).name, "shape": list(value.shape), "elements": elements}


def save(prefix, tensors):
    names, specs, values = zip(*tensors)
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=list(names), shape_and_slices=list(specs), tensors=list(values))


def many():
    return [(f"tower/layer_{i}/weights", "", np.uint8(i % 256)) for i in range(20_000)]


def tensorflow_writes_we_read(folder):
    records = [bytes([i]) * (i * 17) for i in range(100)]
    for name, compression in (("plain", ""), ("zlib", "ZLIB"), ("gzip", "GZIP")):
        with tf.io.TFRecordWriter(os.path.join(folder, name + ".tfrecord"), compression) as writer:
            for record in records:
                writer.write(record)

    whole = numbers("float64", [5, 4])
    long = numbers("int32", [30_000])
    strings = np.array([b"a" * (i * 3) for i in range(200)], object)
    tensors = [(f"plain/{dtype}", "", tf.constant(numbers(dtype, [5, 4]))) for dtype in DTYPES]
    tensors += [
        ("scalar", "", np.float32(1.5)),
        ("empty", "", np.zeros([0, 3], np.float32)),
        ("big", "", numbers("float32", [500, 100])),
        ("strings", "", tf.constant(strings)),
        ("no_strings", "", tf.constant([], tf.string)),
        ("part", "5 4 0,2:-", whole[:2]),
        ("part", "5 4 2,3:0,1", whole[2:, :1]),
        ("part", "5 4 2,3:1,3", whole[2:, 1:]),
        ("long", "30000 0,100", long[:100]),
        ("long", "30000 100,9000", long[100:9100]),
        ("long", "30000 9100,20900", long[9100:]),
    ]
    save(os.path.join(folder, "theirs"), tensors)
    save(os.path.join(folder, "many"), many())
    # A real variable, partitioned by a graph, saved in shards and merged by the Saver.
    with tf1.Graph().as_default(), tf1.Session() as session:
        partitioner = tf1.fixed_size_partitioner(3)
        weights = tf1.get_variable("weights", initializer=tf.constant(whole), partitioner=partitioner)
        step = tf1.get_variable("step", initializer=tf.constant(7, tf.int64), use_resource=True)
        session.run(tf1.global_variables_initializer())
        saver = tf1.train.Saver(sharded=True)
        saver.save(session, os.path.join(folder, "model.ckpt"), global_step=7)
        del weights, step
        writer = tf1.summary.FileWriter(folder, session.graph)
        for i in range(5):
            summary = tf1.Summary(value=[tf1.Summary.Value(tag="loss", simple_value=1 / (1 + i))])
            writer.add_summary(summary, i)
        writer.add_session_log(tf1.SessionLog(status=tf1.SessionLog.START), 3)
        writer.close()

    images = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    header = struct.pack(">BBBBIII", 0, 0, 8, 3, 2, 3, 4)
    with open(os.path.join(folder, "images.idx"), "wb") as file:
        file.write(header + images.tobytes())
    with gzip.open(os.path.join(folder, "images.idx.gz"), "wb") as file:
        file.write(header + images.tobytes())

    specs = [
        ("theirs", "part", "5 4 1,3:1,2"),
        ("theirs", "part", "5 4 0,2:-"),
        ("theirs", "part", "5 4 4,1:3,1"),
        ("theirs", "plain/int64", "5 4 -:2,2"),
        ("theirs", "long", "30000 50,15000"),
        ("theirs", "absent", ""),
        ("theirs", "part", "5 4 4,2:-"),
    ]
    with open(os.path.join(folder, "slices.txt"), "w") as file:
        file.writelines("\t".join(spec) + "\n" for spec in specs)

    digest = ours("read", folder)
    for name in ("plain", "zlib", "gzip"):
        check(f"TensorFlow's {name} records", digest[name + ".tfrecord"], [record.hex() for record in records])
    reader = tf.train.load_checkpoint(os.path.join(folder, "theirs"))
    expected = {name: described(reader.get_tensor(name)) for name in reader.get_variable_to_shape_map()}
    check("names in TensorFlow's checkpoint", sorted(digest["theirs.index"]), sorted(expected))
    for name, value in expected.items():
        check(f"{name} in TensorFlow's checkpoint", digest["theirs.index"].get(name), value)
    check("tensors in TensorFlow's large index", len(digest["many.index"]), 20_000)
    check("a tensor of it", digest["many.index"]["tower/layer_300/weights"], described(np.uint8(44)))
    saved = {"weights": described(whole), "step": described(np.int64(7))}
    check("TensorFlow's sharded checkpoint", digest["model.ckpt-7.index"], saved)
    prefix = os.path.join(folder, "model.ckpt-7")
    check("the latest checkpoint", digest["latest"], [prefix, [prefix]])
    check("the first event", digest["events"][0], [0, "version", "brain.Event:2"])
    check("kinds of graph events", [event[1] for event in digest["events"][1:3]], ["graph", "meta_graph"])
    scalars = [[i, "summary", ["loss"], [float(np.float32(1 / (1 + i)))]] for i in range(5)]
    rounded = [event[:3] + [[float(np.float32(event[3][0]))]] for event in digest["events"][3:8]]
    check("scalar events", rounded, scalars)
    check("the last event", digest["events"][8], [3, "session_log", 1])
    for name in ("images.idx", "images.idx.gz"):
        check(name, digest[name], described(images))
    for (name, tensor, spec), answer in zip(specs, digest["slices"]):
        what = f"slice '{spec}' of {tensor}"
        stored = [dtype for key, _, value in tensors if key == tensor for dtype in [tf.as_dtype(value.dtype)]]
        try:
            (value,) = tf.raw_ops.RestoreV2(
                prefix=os.path.join(folder, name),
                tensor_names=[tensor],
                shape_and_slices=[spec],
                dtypes=[stored[0] if stored else tf.float32],
            )
            check(what, answer, described(value.numpy()))
        except tf.errors.OpError as error:
            check(f"the code for {what}", answer.get("code"), error.error_code)
            phrase = answer.get("message", "?")
            check(f"the message for {what}", phrase in error.message, True)


def we_write_tensorflow_reads(folder, theirs):
    ours("write", folder)
    for name, compression in (("plain", ""), ("zlib", "ZLIB"), ("gzip", "GZIP")):
        path = os.path.join(folder, name + ".tfrecord")
        records = [record.numpy() for record in tf.data.TFRecordDataset(path, compression)]
        check(f"our {name} records", records, [bytes([i]) * (i * 17) for i in range(100)])
    options = tf1.io.TFRecordOptions(tf1.io.TFRecordCompressionType.GZIP)
    iterated = list(tf1.io.tf_record_iterator(os.path.join(folder, "gzip.tfrecord"), options))
    check("our gzip records, iterated", len(iterated), 100)

    reader = tf.train.load_checkpoint(os.path.join(folder, "ours"))
    expected = {f"plain/{dtype}": numbers(dtype, [5, 4]) for dtype in DTYPES}
    expected["scalar"] = numbers("float32", [])
    expected["empty"] = np.zeros([0, 3], np.float32)
    expected["big"] = numbers("float32", [1000, 1000])
    expected["strings"] = np.array([bytes([i]) * (i * 3) for i in range(200)], object)
    expected["part"] = numbers("float64", [5, 4])
    check("names in our checkpoint", sorted(reader.get_variable_to_shape_map()), sorted(expected))
    for name, value in expected.items():
        if name != "big":
            check(f"{name} in our checkpoint", described(reader.get_tensor(name)), described(value))
    check("big in our checkpoint", np.array_equal(reader.get_tensor("big"), expected["big"]), True)
    (part,) = tf.raw_ops.RestoreV2(
        prefix=os.path.join(folder, "ours"),
        tensor_names=["part"],
        shape_and_slices=["5 4 1,3:1,2"],
        dtypes=[tf.float64],
    )
    check("a slice of our checkpoint", described(part.numpy()), described(numbers("float64", [5, 4])[1:4, 1:3]))
    merged = tf.train.load_checkpoint(os.path.join(folder, "merged"))
    check("our merged slices", described(merged.get_tensor("part")), described(numbers("float64", [5, 4])[:2]))
    check("our merged tensors", [merged.get_tensor("v0"), merged.get_tensor("v1")], [0, 1])
    check("what is left of the shards", glob.glob(os.path.join(folder, "merged_temp*")), [])

    # The same tensors saved by TensorFlow: the files must be identical.
    again = os.path.join(theirs, "again")
    tensors = [(f"plain/{dtype}", "", tf.constant(expected[f"plain/{dtype}"])) for dtype in DTYPES]
    tensors += [(name, "", tf.constant(expected[name])) for name in ("scalar", "empty", "big", "strings")]
    tensors += [("part", "5 4 0,2:-", expected["part"][:2]), ("part", "5 4 2,3:-", expected["part"][2:])]
    save(again, tensors)
    save(os.path.join(theirs, "many_again"), many())
    for mine, other in (("ours", again), ("many", os.path.join(theirs, "many_again"))):
        for suffix in (".index", ".data-00000-of-00001"):
            with open(os.path.join(folder, mine + suffix), "rb") as a, open(other + suffix, "rb") as b:
                check(f"the bytes of {mine}{suffix} are TensorFlow's", a.read() == b.read(), True)

    state = tf.train.get_checkpoint_state(folder)
    check("our checkpoint file", list(state.all_model_checkpoint_paths), [os.path.join(folder, n) for n in ("merged", "ours")])
    check("its timestamps", list(state.all_model_checkpoint_timestamps) + [state.last_preserved_timestamp], [1.5, 2.5, 0.5])
    check("our latest checkpoint", tf.train.latest_checkpoint(folder), os.path.join(folder, "ours"))

    (log,) = glob.glob(os.path.join(folder, "logs", "events.out.tfevents.*"))
    events = list(tf1.train.summary_iterator(log))
    check("our version event", events[0].file_version, "brain.Event:2")
    scalars = [(event.step, event.summary.value[0].tag, event.summary.value[0].simple_value) for event in events[1:6]]
    check("our scalars", scalars, [(i, "loss", float(np.float32(1 / (1 + i)))) for i in range(5)])
    with tf1.Graph().as_default(), tf1.Session() as session:
        values = np.arange(-500, 500, dtype=np.float32) * np.float32(0.37)
        summary = tf1.Summary.FromString(session.run(tf1.summary.histogram("weights", values)))
    check("our histogram", events[6].summary.value[0].histo, summary.value[0].histo)


with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
    tensorflow_writes_we_read(first)
    we_write_tensorflow_reads(second, first)
for failure in failures:
    print(failure)
print("formats:", f"{len(failures)} differences" if failures else "ok")
sys.exit(1 if failures else 0)
