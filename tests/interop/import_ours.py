"""TensorFlow imports and runs a graph that was built and exported here, and gets the same losses, and values of loops.

usage: import_ours.py PATH_OF_EXPORT_GRAPH FILE
"""

import ast
import subprocess
import sys

import numpy as np

from server import tf


def main(binary, path):
    ours, loops = ast.literal_eval(subprocess.run([binary, path], check=True, capture_output=True, text=True).stdout)
    definition = tf.compat.v1.GraphDef()
    with open(path, "rb") as file:
        definition.ParseFromString(file.read())
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.import_graph_def(definition, name="")
        session.run("init")
        theirs = []
        for step in range(5):
            batch = [[0.1 * step, 0.2, -0.3, 0.4], [1.0, -1.0, 0.5, 0.25]]
            theirs.append(session.run(["loss:0", "train"], {"x:0": batch})[0])
        their_loops = session.run("loops:0")
    np.testing.assert_allclose(theirs, ours, rtol=1e-5)
    np.testing.assert_allclose(their_loops, loops, rtol=1e-5)
    assert ours[-1] < ours[0], ours
    print(f"import_ours: losses {ours} and loops {loops} agree")
    print("import_ours: 1 passed, 0 failed")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
