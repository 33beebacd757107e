"""`tensorfleet ckpt` on checkpoints of TensorFlow, and TensorFlow and numpy on what it makes of them.

    python checkpoint_tool.py PATH-OF-THE-BINARY

Exits with 1 and the differences if anything differs.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

from judge import tf

BINARY = os.path.abspath(sys.argv[1])
failures = []
DTYPES = ["float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8", "uint16", "bool", "complex64", "complex128"]


def check(what, got, expected):
    if got != expected:
        failures.append(f"{what}:\n  got      {str(got)[:500]}\n  expected {str(expected)[:500]}")


def ckpt(*arguments, code=0):
    done = subprocess.run([BINARY, "ckpt", *arguments], capture_output=True, text=True, timeout=300)
    check(f"exit code of ckpt {' '.join(arguments)} ({done.stderr.strip()})", done.returncode, code)
    return done.stdout


# What a process has used counts the memory of whoever started it, so that has to be a small one.
MEASURE = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], timeout=300).returncode
print("kB:", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def peak(*arguments):
    """What the command printed, and the megabytes that it took at most."""
    command = [sys.executable, "-S", "-c", MEASURE, BINARY, "ckpt", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    check(f"exit code of ckpt {' '.join(arguments)} ({done.stderr.strip()})", done.returncode, 0)
    printed, _, kilobytes = done.stdout.rpartition("kB:")
    return printed, int(kilobytes) // 1024


def values(prefix):
    reader = tf.train.load_checkpoint(prefix)
    return {name: np.asarray(reader.get_tensor(name)) for name in reader.get_variable_to_shape_map()}


def same(what, got, expected):
    check(f"names of {what}", sorted(got), sorted(expected))
    for name in expected.keys() & got.keys():
        ours, theirs = np.asarray(got[name]), np.asarray(expected[name])
        check(f"{name} of {what}", (ours.dtype, ours.shape, ours.tolist()), (theirs.dtype, theirs.shape, theirs.tolist()))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    tensors = {f"of/{d}": (np.arange(12) % 7).reshape(3, 4).astype(d) for d in DTYPES}
    tensors["scalar"] = np.float32(3.5)
    tensors["empty"] = np.zeros((0, 2), np.int32)
    tensors["names"] = np.array([b"a", b"", b"bcd"], dtype=object)
    names, data = zip(*sorted(tensors.items()))
    tf.raw_ops.SaveV2(prefix="v2", tensor_names=names, shape_and_slices=[""] * len(names), tensors=list(data))
    tf.raw_ops.Save(filename="v1", tensor_names=names, data=list(data))
    same("TensorFlow's own", values("v2"), tensors)
    check("V1 and V2 hold the same", ckpt("diff", "v1", "v2"), "")
    ckpt("verify", "v1")
    ckpt("convert", "v1", "--to", "v2", "--out", "converted")
    same("V1 made V2", values("converted"), tensors)
    ckpt("convert", "v2", "--to", "v1", "--out", "old")
    with open("v1", "rb") as theirs, open("old", "rb") as ours:
        check("V2 made V1, byte for byte", ours.read(), theirs.read())
    ckpt("reshard", "v2", "--shards", "3", "--out", "three")
    check("data files", sorted(f for f in os.listdir() if f.startswith("three.data")), [f"three.data-{i:05}-of-00003" for i in range(3)])
    same("three data files", values("three"), tensors)
    ckpt("rename", "v2", "--prefix", "of/=", "--out", "renamed")
    same("renamed", values("renamed"), {name.removeprefix("of/"): value for name, value in tensors.items()})

    ckpt("to-npz", "v2", "v2.npz")
    with np.load("v2.npz") as arrays:
        read = dict(arrays)
    read["names"] = read["names"].astype(object)
    same("to-npz", read, tensors)
    np.savez("arrays.npz", **read | {"names": np.array(["a", "", "bcd"]), "columns": np.asfortranarray(tensors["of/int16"]).astype(">i2")})
    ckpt("from-npz", "arrays.npz", "from")
    same("from-npz", values("from"), tensors | {"columns": tensors["of/int16"]})
    np.savez_compressed("compressed.npz", **read | {"names": read["names"].astype("S")})
    ckpt("from-npz", "compressed.npz", "uncompressed")
    same("from a compressed npz", values("uncompressed"), tensors)

    # Large ones go through little memory: a tensor of 400 MB, whole and in slices, in less than 100 MB.
    rows = 1000
    big = np.arange(rows * 100_000, dtype=np.int32).reshape(rows, -1)
    halves, specs = [big[:, :60_000], big[:, 60_000:]], [f"{rows} 100000 -:0,60000", f"{rows} 100000 -:60000,40000"]
    tf.raw_ops.SaveV2(prefix="big", tensor_names=["w", "w", "v"], shape_and_slices=[*specs, ""], tensors=[*halves, big])
    del halves, big
    commands = [
        ["verify", "big"],
        ["reshard", "big", "--shards", "2", "--out", "resharded"],
        ["to-npz", "big", "big.npz"],
        ["from-npz", "big.npz", "back"],
        ["diff", "resharded", "back"],
        ["cat", "big", "w"],
    ]
    taken = {command[0]: peak(*command) for command in commands}
    check("differences", taken["diff"][0], "")
    check("cat", "min 0  max 99999999" in taken["cat"][0], True)
    most = max(megabytes for _, megabytes in taken.values())
    check(f"memory of {[(name, megabytes) for name, (_, megabytes) in taken.items()]} is at most 100 MB", most <= 100, True)

if failures:
    print("\n".join(failures))
    sys.exit(1)
print(f"checkpoints, {len(tensors)} kinds of tensors both ways; 800 MB in {most} MB of memory: all as TensorFlow and numpy have it")
