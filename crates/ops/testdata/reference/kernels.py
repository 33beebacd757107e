"""The element types of TensorFlow's own kernels, for the test that compares ours with them."""

import os

from judge import tf
from tensorflow.core.framework import types_pb2
from tensorflow.python.framework import kernels


def name(dtype):
    return types_pb2.DataType.Name(dtype)[3:].lower()


def write(folder):
    """`kernels.txt`: of every op with kernels for CPUs, the types that its attributes may have, an op a line."""
    ops = {}
    for kernel in kernels.get_all_registered_kernels().kernel:
        if kernel.device_type not in ("CPU", "DEFAULT") or kernel.label:
            continue
        attrs = ops.setdefault(kernel.op, {})
        for constraint in kernel.constraint:
            attrs.setdefault(constraint.name, set()).update(constraint.allowed_values.list.type)
    path = os.path.join(folder, "kernels.txt")
    with open(path, "w") as file:
        for op, attrs in sorted(ops.items()):
            types = [f"{attr}: {', '.join(map(name, sorted(types)))}" for attr, types in sorted(attrs.items()) if types]
            file.write("; ".join([op, *types]) + "\n")
    print(f"kernels: {len(ops)} ops, {os.path.getsize(path)} bytes")
