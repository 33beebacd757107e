"""Type checkers see the whole public surface: every name has a type, and a name that is not there is an error."""

import atexit
import functools
import os
import re
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path

import tensorfleet
import tensorfleet.v1 as tf

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import stubs  # noqa: E402

# What checkers must not accept.
WRONG = (
    "tf.no_such_name", "tf.nn.no_such_name", "tf.train.no_such_name", "tf.layers.no_such_name", "tf.keras.layers",
    "tf.contrib.slim.no_such_name", "tf.raw_ops.NoSuchOp", "tf.GraphDef().no_such_field", "tf.Session().no_such_method",
    "tf.matmul(1.0)", "tf.raw_ops.MatMul(a=1.0)", "tf.ConfigProto(no_such_field=1)", "tf.train.Server(no_such_argument=1)",
)


@functools.cache
def cache():
    """Where mypy keeps what it knows of the package, for as long as the tests run."""
    folder = tempfile.TemporaryDirectory(prefix="tensorfleet-mypy-")
    atexit.register(folder.cleanup)
    return folder.name


def environment():
    """Where mypy finds the package: of itself, if it is installed."""
    folder = Path(tensorfleet.__file__).parent.parent
    return dict(os.environ) if folder.name == "site-packages" else dict(os.environ, MYPYPATH=str(folder))


def check(program):
    """What mypy says of a program, line by line. It is as strict with the package's types as a strict user's mypy is."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text("\n".join(program) + "\n")
        command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context", "--no-color-output"]
        command += ["--cache-dir", cache(), "--config-file", os.devnull, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=600, env=environment())
    said = {}
    for line in done.stdout.splitlines():
        match = re.match(r"program\.py:(\d+): (error|note): (.*)", line)
        if match:
            said.setdefault(int(match[1]), []).append((match[2], match[3]))
    if not said:
        raise AssertionError(f"mypy said nothing of the program: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return said


def surface():
    """Every public name from `tf` down, with what it stands for."""
    seen, found = set(), {}

    def walk(module, path):
        seen.add(module.__name__)
        for name, value in stubs.public_names(module).items():
            found[f"{path}.{name}"] = value
            # The paths of TensorFlow's source tree stand for modules that are public under other names.
            inside = isinstance(value, types.ModuleType) and value.__name__.startswith("tensorfleet") and name != "python"
            if inside and value.__name__ not in seen:
                walk(value, f"{path}.{name}")

    stubs.public_modules()
    walk(tf, "tf")
    # And what the classes of this package do.
    kinds = (types.FunctionType, classmethod, property, staticmethod)
    for path, value in list(found.items()):
        for owner in value.__mro__ if isinstance(value, type) else ():
            if owner.__module__.startswith("tensorfleet"):
                members = {name: part for name, part in vars(owner).items() if not name.startswith("_")}
                found.update({f"{path}.{name}": part for name, part in members.items() if isinstance(part, kinds)})
    return found


class Types(unittest.TestCase):
    maxDiff = None

    def test_stubs_are_what_the_package_says(self):
        """`python crates/python/stubs.py` writes them anew."""
        made = stubs.stubs()
        for path, text in made.items():
            with self.subTest(path=str(path)):
                self.assertEqual((stubs.PACKAGE / path).read_text(), text)
        there = {path.relative_to(stubs.PACKAGE) for path in stubs.PACKAGE.rglob("*.pyi")}
        self.assertEqual(there, {*made, Path("_core.pyi")})

    def test_the_core_is_what_its_stub_says(self):
        with tempfile.TemporaryDirectory() as folder:
            known = Path(folder) / "allowed"
            known.write_text("tensorfleet._core.__all__\n")
            command = [sys.executable, "-m", "mypy.stubtest", "tensorfleet._core", "--concise", "--allowlist", str(known)]
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=600, env=environment())
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_every_public_name_has_a_type(self):
        names = sorted(surface())
        self.assertGreater(len(names), 3000)
        program = ["import tensorfleet.v1 as tf", *(f"reveal_type({name})" for name in names)]
        said = check(program)
        bad = []
        for line, name in enumerate(names, 2):
            notes = said.get(line, [])
            told = [text for kind, text in notes if kind == "note" and text.startswith("Revealed type is")]
            wrong = [text for kind, text in notes if kind == "error"]
            if wrong or not told or re.search(r'is "(Any|Never|builtins\.object)"', told[0]):
                bad.append(f"{name}: {wrong or told or 'nothing'}")
        print(f"mypy knows {len(names) - len(bad)} of {len(names)} public names")
        self.assertEqual(bad, [])

    def test_what_is_not_there_is_an_error(self):
        said = check(["import tensorfleet.v1 as tf", *WRONG])
        accepted = [name for line, name in enumerate(WRONG, 2) if not any(kind == "error" for kind, _ in said.get(line, []))]
        self.assertEqual(accepted, [])

    def test_what_programs_do_is_right(self):
        program = [
            "import tensorfleet.v1 as tf",
            "x = tf.placeholder(tf.float32, [None, 784])",
            "y = tf.nn.softmax(tf.layers.dense(x, 10))",
            "loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=y))",
            "train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)",
            "config = tf.ConfigProto(allow_soft_placement=True)",
            "config.gpu_options.allow_growth = True",
            "with tf.Session(config=config) as sess:",
            "    sess.run(train, feed_dict={x: [[0.0] * 784]})",
            "graph = tf.GraphDef.FromString(b'')",
            "node = graph.node.add(name='a', op='NoOp')",
            "reveal_type(y), reveal_type(node), reveal_type(graph.node[0].attr['T'].type)",
        ]
        said = check(program)
        self.assertEqual([text for notes in said.values() for kind, text in notes if kind == "error"], [])
        told = " ".join(text for _, text in said[len(program)])
        for kind in ("nodes.Tensor", "messages.NodeDef", '"int"'):
            self.assertIn(kind, told)


if __name__ == "__main__":
    unittest.main()
