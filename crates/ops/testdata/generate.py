#!/usr/bin/env python3
"""Writes the expected values of TensorFlow for the ops' tests: `generate.py [-v] [family ...]`.

Runs with TensorFlow 2.21. The values are the same each time, on every machine with AVX2; only the numbers in the names that
TensorFlow makes up for functions and tables differ.
"""

import importlib
import os
import sys

# Memory that is allocated is filled with bytes of 0x7f first, so that what a kernel forgets to write is recognised.
TUNABLES = "glibc.malloc.perturb=128:glibc.malloc.tcache_count=0"
HERE = os.path.dirname(os.path.abspath(__file__))
FAMILIES = ["array", "movement", "gather", "unary", "binary", "cast", "reduce", "matrix", "activation", "convolution",
            "random", "control_flow", "tensor_array", "state", "training", "queue", "accumulator", "io", "string", "summary", "parse", "layers", "segment",
            "sparse", "text", "tables", "functions", "linear",
            "image", "datasets", "blocks", "staging", "volumes", "pictures", "decompositions", "cells", "denormals", "special", "odds", "stateless", "old_forms", "language", "ragged", "vision", "fourier", "factors", "quantize", "numeric", "transforms", "keeping", "counting", "pipelines", "edges"]


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "-v"]
    verbose = "-v" in sys.argv
    sys.path.insert(0, HERE)
    from reference import definitions, kernels, scenario

    if not arguments or "kernels" in arguments:
        kernels.write(HERE)
    covered, total = set(), 0
    os.makedirs(os.path.join(HERE, "cases"), exist_ok=True)
    for name in arguments or FAMILIES:
        if name in ("definitions", "kernels"):
            continue
        family = scenario.Family(name, verbose)
        importlib.import_module(f"reference.{name}").record(family)
        size = family.write(os.path.join(HERE, "cases"))
        covered |= family.ops
        total += size
        print(f"{name}: {len(family.records)} scenarios, {size} bytes", flush=True)
        for line in family.skipped:
            print(f"  left out: {line}")
    if not arguments or "definitions" in arguments:
        definitions.write(HERE)
    if not arguments:
        with open(os.path.join(HERE, "p0.txt")) as file:
            wanted = [line.strip() for line in file if line.strip() and not line.startswith("#")]
        missing = [op for op in wanted if op not in covered and not op.startswith(("_Send", "_Recv", "_Host"))]
        print(f"{total} bytes; ops of p0.txt that no scenario has: {' '.join(missing) or 'none'}")


if __name__ == "__main__":
    # The C library reads its settings when a process starts.
    if os.environ.get("GLIBC_TUNABLES") != TUNABLES:
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "GLIBC_TUNABLES": TUNABLES})
    main()
