"""Runs programs under TensorFlow and under tensorfleet, each in one process of its own, and compares what comes of them: graphs
node by node, and numbers.

A program is a file with a function `build(tf)` or `train(tf)` that builds in the default graph. What `build` returns are tensors,
which are run once; what `train` returns are numbers. A file whose `OTHER_NODES` says why is compared by its numbers alone, one
whose `OTHER_GRADIENTS` says why without the nodes of its gradients.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

# Attributes that only one side writes, and that mean nothing to a runtime.
IGNORED = {"_output_shapes", "_XlaHasReferenceVars", "experimental_debug_stream_id", "_has_manual_control_dependencies", "_worker"}
# Names of tables that are drawn anew each time.
_RANDOM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TESTS = Path(__file__).resolve().parent.parent


def load(path: str):
    """The module of a file."""
    spec = importlib.util.spec_from_file_location("program_" + Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_here(tf, path: str) -> dict:
    """Runs a program in this process."""
    import numpy as np

    module = load(path)
    graph, result = tf.Graph(), {}
    with graph.as_default():
        if hasattr(module, "train"):
            result["numbers"] = [float(number) for number in module.train(tf)]
        else:
            fetches = module.build(tf)
            if fetches is not None:
                with tf.Session(graph=graph) as sess:
                    for key in ("variables", "local_variables"):
                        for variable in tf.get_collection(key):
                            sess.run(variable.initializer)
                    values = [np.asarray(value) for value in sess.run(list(fetches))]
                result["values"] = [repr(v.tolist()) if v.dtype.kind in "SO" else v.tolist() for v in values]
    result["other_nodes"] = getattr(module, "OTHER_NODES", "")
    result["other_gradients"] = getattr(module, "OTHER_GRADIENTS", "")
    result["graph"] = base64.b64encode(graph.as_graph_def().SerializeToString()).decode()
    return result


def side(which: str, paths: list[str]) -> None:
    """Runs programs and prints a line of JSON for each."""
    if which == "tensorflow":
        sys.path.insert(0, str(TESTS.parents[2] / "tests/interop"))
        from judge import tf as tensorflow

        tf = tensorflow.compat.v1
        tf.disable_v2_behavior()
        tf.logging.set_verbosity(tf.logging.ERROR)
    else:
        import tensorfleet.v1 as tf
    for path in paths:
        try:
            result = run_here(tf, path)
        except BaseException as error:  # A program that fails is a result too.
            import traceback

            result = {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}
        print("\x00" + json.dumps(result), flush=True)


def both(paths: list[str], seconds: int) -> dict[str, dict[str, dict]]:
    """What comes of programs on both sides."""
    results: dict[str, dict[str, dict]] = {path: {} for path in paths}
    for which in ("tensorflow", "tensorfleet"):
        done = subprocess.run(
            [sys.executable, __file__, which, *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, timeout=seconds,
        )
        lines = [json.loads(line[1:]) for line in done.stdout.splitlines() if line.startswith("\x00")]
        for i, path in enumerate(paths):
            results[path][which] = lines[i] if i < len(lines) else {"error": "the process ended", "trace": done.stderr[-4000:]}
    return results


def _nodes(encoded: str, gradients: bool) -> dict:
    from tensorflow.core.framework import graph_pb2

    graph = graph_pb2.GraphDef.FromString(base64.b64decode(encoded))
    of_gradients = re.compile(r"(^|/)gradients(_\d+)?/")
    return {node.name: node for node in graph.node if gradients or not of_gradients.search(node.name)}


def _attr(value):
    from tensorflow.python.framework import tensor_util

    kind = value.WhichOneof("value")
    if kind == "tensor":
        array = tensor_util.MakeNdarray(value.tensor)
        return kind, str(array.dtype), array.shape, array.tobytes() if array.dtype != object else repr(array.tolist())
    if kind == "func":
        return (kind,)
    return kind, _RANDOM.sub("random", str(getattr(value, kind))) if kind else None


def graph_differences(one: str, other: str, gradients: bool = True) -> tuple[int, list[str]]:
    """How many nodes TensorFlow's graph has, and how the other differs from it; without those of gradients, if so asked."""
    theirs, ours, found = _nodes(one, gradients), _nodes(other, gradients), []
    found += [f"missing: {n} {theirs[n].op} {list(theirs[n].input)}" for n in theirs if n not in ours]
    found += [f"too many: {n} {ours[n].op} {list(ours[n].input)}" for n in ours if n not in theirs]
    for name in theirs:
        if name not in ours:
            continue
        a, b = theirs[name], ours[name]
        if a.op != b.op:
            found.append(f"op of {name}: {a.op}, not {b.op}")
        inputs = [([i for i in n.input if i[0] != "^"], sorted(i for i in n.input if i[0] == "^")) for n in (a, b)]
        if inputs[0] != inputs[1] and (gradients or "gradients" not in str(inputs)):
            found.append(f"inputs of {name}: {list(a.input)}, not {list(b.input)}")
        if a.device != b.device:
            found.append(f"device of {name}: {a.device!r}, not {b.device!r}")
        for key in (set(a.attr) | set(b.attr)) - IGNORED:
            x = _attr(a.attr[key]) if key in a.attr else None
            y = _attr(b.attr[key]) if key in b.attr else None
            if x != y and (gradients or not (key == "_class" and "gradients" in f"{x}{y}")):
                found.append(f"attribute {key} of {name}: {str(x)[:150]}, not {str(y)[:150]}")
    return len(theirs), found


def differences(result: dict[str, dict], tolerance: float = 1e-5) -> tuple[int, list[str]]:
    """How many nodes a program has under TensorFlow, and how what came of it differs."""
    import numpy as np

    theirs, ours = result["tensorflow"], result["tensorfleet"]
    for name, one in result.items():
        if "error" in one:
            return 0, [f"{name}: {one['error']}\n{one.get('trace', '')}"]
    count, found = graph_differences(theirs["graph"], ours["graph"], not ours["other_gradients"])
    if ours["other_nodes"]:
        found = []
    for key in ("values", "numbers"):
        a, b = theirs.get(key, []), ours.get(key, [])
        if len(a) != len(b):
            found.append(f"{len(a)} {key}, not {len(b)}")
        for i, (x, y) in enumerate(zip(a, b)):
            if isinstance(x, str) or isinstance(y, str):
                same = x == y
            else:
                same = np.shape(x) == np.shape(y) and np.allclose(x, y, rtol=tolerance, atol=tolerance, equal_nan=True)
            if not same:
                found.append(f"{key}[{i}]: {str(x)[:200]}, not {str(y)[:200]}")
    return count, found


def compare(folder: str, seconds: int, tolerance: float = 1e-5) -> int:
    """Compares all programs of a folder, prints what differs and returns 1 if anything does. Arguments of the command line choose
    programs by their names."""
    chosen = sys.argv[1:]
    paths = sorted(str(p) for p in (TESTS / folder).glob("*.py") if not chosen or p.stem in chosen)
    failed = nodes = 0
    for path, result in both(paths, seconds).items():
        count, found = differences(result, tolerance)
        nodes += count
        if found:
            failed += 1
            print(f"{Path(path).stem}: {len(found)} differences")
            for line in found[:40]:
                print("    " + line)
    print(f"{len(paths)} programs, {nodes} nodes: {len(paths) - failed} passed, {failed} failed")
    print(f"{len(paths) - failed} passed, {failed} failed")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    side(sys.argv[1], sys.argv[2:])
