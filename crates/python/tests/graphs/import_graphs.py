"""Graphs that are imported: prefixes, names that are taken, inputs that are replaced, devices, and parts of graphs."""


def other(tf):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        with tf.device("/cpu:0"):
            v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="v")
        with tf.colocate_with(v):
            y = tf.matmul(x, v, name="y")
        with tf.control_dependencies([v.initializer]):
            z = tf.identity(y, name="z")
        a, b = tf.split(z, 2, axis=1, name="parts")
        tf.add(a, b, name="out")
        with tf.Session() as sess:
            sess.run(v.initializer)
            frozen = tf.graph_util.convert_variables_to_constants(sess, graph.as_graph_def(), ["y"])
    return graph.as_graph_def(), frozen


def build(tf):
    message, frozen = other(tf)
    values = tf.constant([[1.0, 2.0]])
    tf.import_graph_def(message, {"x": values}, ["out:0"])
    [y] = tf.import_graph_def(frozen, {"x:0": values * 2.0}, ["y:0"], name="frozen")
    for name in (None, "named", "", ""):
        tf.import_graph_def(message, name=name)
    with tf.name_scope("scope"), tf.device("/cpu:0"):
        tf.import_graph_def(message, {"z:0": [[3.0, 4.0]]})
    with tf.name_scope("import"):
        tf.constant(1.0, name="named")
    tf.constant(1.0, name="y")
    tf.import_graph_def(tf.graph_util.extract_sub_graph(message, ["y"]), name="part")
    tf.import_graph_def(tf.graph_util.remove_training_nodes(message), name="trained")
    return [y]
