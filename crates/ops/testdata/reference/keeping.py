"""What outlives a node or a step: checkpoints of the first format, states of readers, temporary variables, tables without names,
numbers of words, matrices of checkpoints, writers of summaries."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    checkpoints(f)
    readers(f)
    temporaries(f)
    arrays(f)
    tables(f)
    vocabularies(f)
    writers(f)


def checkpoints(f):
    with f.scenario("Save") as s:
        path = v1.placeholder(tf.string, name="path")
        name = v1.placeholder(tf.string, name="name")
        spec = v1.placeholder(tf.string, name="spec")
        a, b = v1.placeholder(tf.float32, name="a"), v1.placeholder(tf.int64, name="b")
        names = v1.placeholder(tf.string, name="names")
        specs = v1.placeholder(tf.string, name="specs")
        save = v1.raw_ops.Save(filename=path, tensor_names=names, data=[a, b])
        slices = v1.raw_ops.SaveSlices(filename=path, tensor_names=names, shapes_and_slices=specs, data=[a, b])
        restored = v1.raw_ops.Restore(file_pattern=path, tensor_name=name, dt=tf.float32)
        numbers = v1.raw_ops.Restore(file_pattern=path, tensor_name=name, dt=tf.int64)
        part = v1.raw_ops.RestoreSlice(file_pattern=path, tensor_name=name, shape_and_slice=spec, dt=tf.float32)
        two = np.array([b"a", b"b"], object)
        here = np.array(s.path("model").encode(), object)
        feeds = {path: here, names: two, a: values((3, 2)), b: i64(5, 6)}
        s.run([], feeds, targets=[save])
        s.run([restored], {path: here, name: np.array(b"a", object)})
        s.run([numbers], {path: here, name: np.array(b"b", object)})
        s.run([restored], {path: here, name: np.array(b"b", object)})
        s.run([restored], {path: here, name: np.array(b"c", object)})
        s.run([restored], {path: np.array(s.path("none").encode(), object), name: np.array(b"a", object)}, phrase="")
        for text in [b"", b"3 2 1,2:-", b"3 2 0,1:0,1", b"3 2 -:1,1", b"4 2 -:-", b"3 2 1,9:-", b"nonsense"]:
            s.run([part], {path: here, name: np.array(b"a", object), spec: np.array(text, object)}, phrase="")
        s.run([], {**feeds, names: np.array([b"a"], object)}, targets=[save])
        s.run([], {**feeds, path: two}, targets=[save])
        for pair in [[b"", b""], [b"6 2 3,3:-", b""], [b"3 3 -:0,2", b"2 -"], [b"6 2 4,3:-", b""], [b"1"]]:
            s.run([], {**feeds, specs: np.array(pair, object)}, targets=[slices], phrase="")
            s.run([part], {path: here, name: np.array(b"a", object), spec: np.array(b"6 2 4,1:-", object)}, phrase="")
        for dtype in [np.float64, np.int32, np.uint8, np.int16, np.int8, np.bool_, np.complex64, object]:
            data = v1.placeholder(dtype if dtype != object else tf.string, name=f"data_{np.dtype(dtype).name}")
            kept = v1.raw_ops.Save(filename=path, tensor_names=["x"], data=[data])
            back = v1.raw_ops.Restore(file_pattern=path, tensor_name="x", dt=data.dtype)
            s.run([], {path: here, data: values((2, 2), dtype)}, targets=[kept])
            s.run([back], {path: here})


def readers(f):
    for kind in ["IdentityReader", "WholeFileReader"]:
        with f.scenario(f"ReaderSerializeState/{kind}", {"a": b"first", "b": b"second"}) as s:
            queue = v1.FIFOQueue(10, [tf.string], shapes=[()])
            p = v1.placeholder(tf.string, [None], name="p")
            fill = queue.enqueue_many(p)
            reader = getattr(v1, kind)()
            key, value = reader.read(queue)
            state = reader.serialize_state()
            given = v1.placeholder(tf.string, name="given")
            restore = reader.restore_state(given)
            counts = [reader.num_records_produced(), reader.num_work_units_completed()]
            names = [b"one", b"two", b"three"] if kind == "IdentityReader" else [s.path("a").encode(), s.path("b").encode(), s.path("a").encode()]
            s.run([], {p: np.array(names, object)}, targets=[fill])
            s.run([state])
            s.run([key, value])
            if kind == "IdentityReader":
                kept = s.run([state])[0]
            else:
                kept = b"\x08\x01\x10\x01\x18\x01"
            s.run([key, value])
            s.run(counts)
            s.run([], {given: np.array(kept, object)}, targets=[restore])
            s.run(counts)
            s.run([key, value])
            s.run(counts)
            for bad in [b"nonsense", b"\x08\x02\x10\x01", b"\x08\x01\x10\x01\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"]:
                s.run([], {given: np.array(bad, object)}, targets=[restore], phrase="")
            s.run([], {given: np.array([b"", b""], object)}, targets=[restore], phrase="")


def temporaries(f):
    with f.scenario("TemporaryVariable") as s:
        made = v1.raw_ops.TemporaryVariable(shape=[2], dtype=tf.float32, var_name="t", name="made")
        set_to = v1.assign(made, [1.0, 2.0])
        added = v1.assign_add(set_to, [10.0, 20.0])
        ended = v1.raw_ops.DestroyTemporaryVariable(ref=added, var_name="t", name="ended")
        wrong = v1.raw_ops.DestroyTemporaryVariable(ref=added, var_name="u", name="wrong")
        for _ in range(2):
            s.run([ended])
        s.run([wrong], phrase="")


def arrays(f):
    with f.scenario("TensorArrayGradWithShape") as s:
        a = tf.TensorArray(tf.float32, 3, clear_after_read=False)
        a = a.write(0, [1.0, 2.0]).write(1, [3.0, 4.0]).write(2, [5.0, 6.0])
        handle, flow = v1.raw_ops.TensorArrayGradWithShape(handle=a.handle, flow_in=a.flow, shape_to_prepend=[2], source="g")
        written = v1.raw_ops.TensorArrayWriteV3(handle=handle, index=1, value=values((2, 2)), flow_in=flow)
        more = v1.raw_ops.TensorArrayWriteV3(handle=handle, index=1, value=values((2, 2), seed=3), flow_in=written)
        one = v1.raw_ops.TensorArrayReadV3(handle=handle, index=1, flow_in=more, dtype=tf.float32)
        zero = v1.raw_ops.TensorArrayReadV3(handle=handle, index=0, flow_in=more, dtype=tf.float32)
        s.run([one, zero])


def tables(f):
    for op in ["AnonymousHashTable", "AnonymousMutableHashTable", "AnonymousMutableHashTableOfTensors", "AnonymousMutableDenseHashTable"]:
        with f.scenario(op) as s:
            attrs = dict(key_dtype=tf.int64, value_dtype=tf.float32)
            wide = "OfTensors" in op
            if wide:
                attrs["value_shape"] = [2]
            if "Dense" in op:
                attrs = dict(value_dtype=tf.float32, empty_key=np.int64(-1), deleted_key=np.int64(-2))
            table = getattr(v1.raw_ops, op)(**attrs)
            fetch = v1.placeholder(tf.int64, name="keys")
            values_ = v1.placeholder(tf.float32, name="values")
            fill = v1.raw_ops.InitializeTableV2 if op == "AnonymousHashTable" else v1.raw_ops.LookupTableInsertV2
            filled = fill(table_handle=table, keys=fetch, values=values_)
            with tf.control_dependencies([filled]):
                found = v1.raw_ops.LookupTableFindV2(table_handle=table, keys=i64(3, 1, 9), default_value=f32(-1, -1) if wide else np.float32(-1))
                size = v1.raw_ops.LookupTableSizeV2(table_handle=table)
            alone = v1.raw_ops.LookupTableSizeV2(table_handle=table)
            data = values((3, 2)) if wide else f32(1, 2, 3)
            s.run([found, size], {fetch: i64(1, 2, 3), values_: data})
            # Each step has a table of its own.
            s.run([alone])
            s.run([found, size], {fetch: i64(1, 2), values_: data[:2]})
            s.run([found, size], {fetch: i64(1, 2), values_: data[:1]}, phrase="")


def vocabularies(f):
    content = {"old": b"knitting\neminem\nMIT\n", "new": b"MIT\nknitting\nflower\neminem\n", "double": b"a\nb\na\n", "last": b"MIT\nknitting"}
    for new, old, offset, count, size in [("new", "old", 0, 4, -1), ("new", "old", 1, 2, -1), ("new", "old", 0, 4, 1), ("old", "new", 0, 3, -1),
                                          ("new", "old", 0, 5, -1), ("new", "old", 5, 0, -1), ("new", "old", 0, 0, -1), ("new", "old", 0, 2, 9),
                                          ("new", "double", 0, 2, -1), ("double", "old", 0, 3, -1), ("last", "last", 0, 2, -1), ("new", "none", 0, 1, -1), ("", "old", 0, 1, -1)]:
        with f.scenario("GenerateVocabRemapping", content) as s:
            a, b = v1.placeholder(tf.string, name="a"), v1.placeholder(tf.string, name="b")
            made = v1.raw_ops.GenerateVocabRemapping(new_vocab_file=a, old_vocab_file=b, new_vocab_offset=offset, num_new_vocab=count, old_vocab_size=size)
            path = lambda name: np.array(s.path(name).encode() if name else b"", object)
            s.run(list(made), {a: path(new), b: path(old)}, phrase="")
    with f.scenario("LoadAndRemapMatrix") as s:
        old = values((4, 3))
        path = v1.placeholder(tf.string, name="path")
        save = v1.raw_ops.SaveV2(prefix=path, tensor_names=["m", "v"], shape_and_slices=["", ""], tensors=[old, f32(1, 2)])
        rows, columns, fresh = v1.placeholder(tf.int64, name="rows"), v1.placeholder(tf.int64, name="columns"), v1.placeholder(tf.float32, name="fresh")
        here = np.array(s.path("model").encode(), object)
        s.run([], {path: here}, targets=[save])
        name = v1.placeholder(tf.string, name="name")
        for limit in [-1, 1]:
            for rows_of, columns_of in [(2, 3), (3, 2), (0, 3), (5, 3)]:
                made = v1.raw_ops.LoadAndRemapMatrix(ckpt_path=path, old_tensor_name=name, row_remapping=rows, col_remapping=columns,
                                                     initializing_values=fresh, num_rows=rows_of, num_cols=columns_of, max_rows_in_memory=limit)
                for r, c, x in [([2, 0], [], []), ([2, -1], [], [7, 8, 9]), ([1, 3, -1], [2, -1], [1, 2, 3, 4]), ([1, 3, 0], [2, 0], []), ([], [], []),
                                ([0, 9], [], []), ([2, -1], [], [7, 8]), ([2, -1], [], [7, 8, 9, 1]), ([3, 2, 1, 0, -1], [2, 1, 0], [5, 6, 7])]:
                    s.run([made], {path: here, name: np.array(b"m", object), rows: np.array(r, np.int64), columns: np.array(c, np.int64), fresh: np.array(x, np.float32)}, phrase="")
        s.run([made], {path: here, name: np.array(b"v", object), rows: i64(0, 1, -1, -1, -1), columns: i64(), fresh: f32()}, phrase="")
        s.run([made], {path: here, name: np.array(b"n", object), rows: i64(0, 1, -1, -1, -1), columns: i64(), fresh: f32()}, phrase="")


def writers(f):
    with f.scenario("SummaryWriter") as s:
        writer = v1.raw_ops.SummaryWriter(shared_name="w", container="")
        folder = v1.placeholder(tf.string, name="folder")
        create = v1.raw_ops.CreateSummaryFileWriter(writer=writer, logdir=folder, max_queue=10, flush_millis=1000, filename_suffix=".v2")
        step, tag = np.int64(3), "t"
        ops = [
            v1.raw_ops.WriteScalarSummary(writer=writer, step=step, tag=tag, value=2.5),
            v1.raw_ops.WriteHistogramSummary(writer=writer, step=step, tag=tag, values=values((3,))),
            v1.raw_ops.WriteHistogramSummary(writer=writer, step=step, tag=tag, values=[True, False]),
            v1.raw_ops.WriteImageSummary(writer=writer, step=step, tag=tag, tensor=values((1, 2, 2, 3)), bad_color=np.array([255, 0, 0], np.uint8)),
            v1.raw_ops.WriteAudioSummary(writer=writer, step=step, tag=tag, tensor=values((1, 4)), sample_rate=8000.0),
            v1.raw_ops.WriteGraphSummary(writer=writer, step=step, tensor=v1.GraphDef().SerializeToString()),
            v1.raw_ops.WriteRawProtoSummary(writer=writer, step=step, tensor=v1.Summary().SerializeToString()),
            v1.raw_ops.WriteSummary(writer=writer, step=step, tensor=values((2, 2)), tag=tag, summary_metadata=b""),
            v1.raw_ops.WriteGraphSummary(writer=writer, step=step, tensor=b"\xff\xff"),
            v1.raw_ops.WriteRawProtoSummary(writer=writer, step=step, tensor=b"\xff\xff"),
            v1.raw_ops.ImportEvent(writer=writer, event=v1.Event(step=3).SerializeToString()),
            v1.raw_ops.ImportEvent(writer=writer, event=b"\xff\xff"),
            v1.raw_ops.FlushSummaryWriter(writer=writer),
            v1.raw_ops.CloseSummaryWriter(writer=writer),
        ]
        there = {folder: np.array(s.path("logs").encode(), object)}
        s.run([], targets=[ops[0]], phrase="")
        s.run([], there, targets=[create])
        for op in ops:
            s.run([], targets=[op], phrase="")
        s.run([], targets=[ops[0]], phrase="")
        s.run([], targets=[ops[-1]], phrase="")
        s.run([], there, targets=[create])
        s.run([], targets=[ops[0]])
        p = v1.placeholder(tf.float32, name="p")
        late = v1.raw_ops.WriteHistogramSummary(writer=writer, step=step, tag=tag, values=p)
        for value in [f32(1, nan), f32(1, inf), f32()]:
            s.run([], {p: value}, targets=[late], phrase="")
        late = v1.raw_ops.WriteScalarSummary(writer=writer, step=step, tag=tag, value=p)
        for value in [f32(1, 2), scalar(1, np.float32)]:
            s.run([], {p: value}, targets=[late], phrase="")
