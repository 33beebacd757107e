"""Ops of the Python package: names, values, errors, conditions and loops with Python bodies, slices, old names."""

from __future__ import annotations

import unittest

import numpy as np

import tensorfleet.v1 as tf


class OpsTest(unittest.TestCase):
    """Each test has a graph and a session of its own."""

    def setUp(self) -> None:
        self._scope = tf.Graph().as_default()
        self.graph = self._scope.__enter__()
        self.session = tf.Session(graph=self.graph)

    def tearDown(self) -> None:
        self.session.close()
        self._scope.__exit__(None, None, None)

    def value(self, fetch, feed=None):
        return self.session.run(fetch, feed)

    def check(self, fetch, expected, feed=None) -> None:
        np.testing.assert_allclose(self.value(fetch, feed), expected, rtol=1e-6)


class Names(OpsTest):
    def names(self) -> list[str]:
        return [operation.name for operation in self.graph.get_operations()]

    def test_constants_are_named_after_arguments(self) -> None:
        x = tf.placeholder(tf.float32, [2, 3], name="x")
        tf.reduce_sum(x, 1)
        tf.reduce_mean(x)
        self.assertEqual(self.names(), ["x", "Sum/reduction_indices", "Sum", "Const", "Mean"])

    def test_slices_are_named_as_in_tensorflow(self) -> None:
        x = tf.placeholder(tf.float32, [4], name="x")
        x[1:]
        wanted = ["strided_slice/stack", "strided_slice/stack_1", "strided_slice/stack_2", "strided_slice"]
        self.assertEqual(self.names(), ["x", *wanted])

    def test_names_are_unique(self) -> None:
        a, b = tf.add(1, 2), tf.add(1, 2)
        self.assertEqual((a.name, b.name), ("Add:0", "Add_1:0"))

    def test_small_zeros_are_constants_and_large_ones_are_filled(self) -> None:
        self.assertEqual(tf.zeros([3, 3]).op.type, "Const")
        self.assertEqual(tf.zeros([100, 100]).op.type, "Fill")


class Slices(OpsTest):
    def test_slices_are_numpys(self) -> None:
        array = np.arange(24).reshape(2, 3, 4)
        x = tf.constant(array)
        keys = [0, -1, (0, 1), (slice(None), 1), (Ellipsis, slice(1, None)), (slice(None), None), (0, slice(0, 3, 2)),
                (slice(None, None, -1),), (Ellipsis, None, 0), (slice(1), slice(-2, None), slice(None, None, 3))]
        for key in keys:
            with self.subTest(key=key):
                np.testing.assert_array_equal(self.value(x[key]), array[key])

    def test_tensors_and_variables_are_indices(self) -> None:
        x = tf.constant([10, 20, 30])
        i = tf.placeholder(tf.int32, [])
        self.assertEqual(self.value(x[i], {i: 2}), 30)
        self.assertEqual(self.value(x[i:], {i: 1}).tolist(), [20, 30])
        self.assertEqual(self.value(x[tf.constant(1, tf.int64)]), 20)

    def test_a_mask_selects(self) -> None:
        x = tf.constant([1, 2, 3])
        self.assertEqual(self.value(x[x > 1]).tolist(), [2, 3])

    def test_other_indices_are_refused(self) -> None:
        x = tf.constant([1, 2, 3])
        for key in ("a", 1.5, tf.constant(1.0), [[0, 1]], True):
            with self.subTest(key=key), self.assertRaisesRegex(TypeError, "valid indices"):
                x[key]

    def test_a_known_tensor_is_iterated_and_an_unknown_one_is_not(self) -> None:
        self.assertEqual(len(list(tf.constant([1, 2, 3]))), 3)
        with self.assertRaisesRegex(TypeError, "not iterable"):
            list(tf.placeholder(tf.float32, [None]))


class BadInput(OpsTest):
    def test_shapes_that_do_not_fit_name_the_line(self) -> None:
        with self.assertRaisesRegex(ValueError, r"test_ops\.py:\d+"):
            tf.matmul(tf.ones([2, 3]), tf.ones([4, 5]))

    def test_types_that_do_not_fit(self) -> None:
        with self.assertRaises((TypeError, ValueError)):
            tf.constant(1) + tf.constant(1.0)
        with self.assertRaises(TypeError):
            tf.constant(1) + 1.5

    def test_errors_name_the_argument(self) -> None:
        cases = [
            (lambda: tf.expand_dims([1]), ValueError, "axis"),
            (lambda: tf.concat([[1]], None), TypeError, "concat"),
            (lambda: tf.split([1, 2], None), TypeError, "split"),
            (lambda: tf.unstack(tf.placeholder(tf.float32, [None])), ValueError, "is not known"),
            (lambda: tf.stack([tf.ones([2])], axis=5), ValueError, "axis"),
            (lambda: tf.pad([1], [[0, 0]], "SIDEWAYS"), ValueError, "SIDEWAYS"),
            (lambda: tf.zeros([None]), (TypeError, ValueError), "None|not fully known"),
            (lambda: tf.zeros([-1]), ValueError, "negative"),
            (lambda: tf.random_uniform([2], dtype=tf.int32), ValueError, "maxval"),
            (lambda: tf.where([True], 1), ValueError, "x and y"),
            (lambda: tf.argmax([1], axis=0, dimension=0), ValueError, "dimension"),
            (lambda: tf.boolean_mask([1], True), ValueError, "scalar"),
            (lambda: tf.assign(tf.constant(1), 2), TypeError, "variable"),
            (lambda: tf.range("a"), TypeError, "range"),
            (lambda: tf.add_n([]), ValueError, "one tensor or more"),
            (lambda: tf.group(3), TypeError, "operations or tensors"),
            (lambda: tf.one_hot([1], 2, 1, 2.0), TypeError, "differ"),
            (lambda: tf.while_loop(lambda i: i < 1, lambda i: i, []), ValueError, "loop_vars"),
            (lambda: tf.TensorArray(tf.float32), ValueError, "[Ss]ize"),
            (lambda: tf.parse_example(["a"], {}), ValueError, "nothing to parse"),
            (lambda: tf.sparse_tensor_to_dense([1]), TypeError, "SparseTensor"),
        ]
        for i, (build, kind, words) in enumerate(cases):
            with self.subTest(case=i), self.assertRaisesRegex(kind, words):
                build()

    def test_the_graph_stays_of_use_after_an_error(self) -> None:
        with self.assertRaises(ValueError):
            tf.reshape(tf.ones([6]), [4])
        self.check(tf.reshape(tf.ones([6]), [2, 3]), np.ones([2, 3]))


class Conditions(OpsTest):
    def test_only_the_branch_that_is_taken_runs(self) -> None:
        x = tf.placeholder(tf.float32, [])
        v = tf.Variable(0.0)
        self.session.run(v.initializer)
        y = tf.cond(x > 0, lambda: tf.assign_add(v, 1.0) * 0.0 + x, lambda: -x)
        self.assertEqual(self.value(y, {x: -2.0}), 2.0)
        self.assertEqual(self.value(v), 0.0)
        self.assertEqual(self.value(y, {x: 3.0}), 3.0)
        self.assertEqual(self.value(v), 1.0)

    def test_structures_come_back(self) -> None:
        x = tf.constant(1)
        made = tf.cond(x > 0, lambda: {"a": [x, x + 1], "b": (x,)}, lambda: {"a": [x, x], "b": (x,)})
        self.assertEqual(self.value(made), {"a": [1, 2], "b": (1,)})

    def test_old_argument_names(self) -> None:
        self.assertEqual(self.value(tf.cond(tf.constant(False), fn1=lambda: 1, fn2=lambda: 2)), 2)

    def test_operations_as_results(self) -> None:
        v = tf.Variable(1.0)
        self.session.run(v.initializer)
        self.session.run(tf.cond(tf.constant(True), lambda: v.assign(5.0).op, tf.no_op))
        self.assertEqual(self.value(v), 5.0)

    def test_what_a_branch_raises_comes_back_as_it_is(self) -> None:
        mistake = KeyError("mine")

        def fails():
            raise mistake

        with self.assertRaises(KeyError) as caught:
            tf.cond(tf.constant(True), fails, lambda: 1)
        self.assertIs(caught.exception, mistake)
        self.assertEqual(self.value(tf.cond(tf.constant(True), lambda: 1, lambda: 2)), 1)

    def test_bad_branches(self) -> None:
        yes = tf.constant(True)
        with self.assertRaisesRegex(ValueError, "return value"):
            tf.cond(yes, lambda: None, lambda: 1)
        with self.assertRaisesRegex(ValueError, "same structure"):
            tf.cond(yes, lambda: [1, 2], lambda: [1, 2, 3])
        with self.assertRaisesRegex(TypeError, "type"):
            tf.cond(yes, lambda: 1, lambda: 1.0)
        with self.assertRaisesRegex(TypeError, "Python bool"):
            tf.cond(True, lambda: 1, lambda: 2)
        with self.assertRaisesRegex(TypeError, "function"):
            tf.cond(yes, 1, 2)

    def test_gradient(self) -> None:
        x = tf.placeholder(tf.float32, [])
        y = tf.cond(x > 0, lambda: x * x, lambda: 3.0 * x)
        slope = tf.gradients(y, x)[0]
        self.assertEqual((self.value(slope, {x: 4.0}), self.value(slope, {x: -4.0})), (8.0, 3.0))

    def test_case(self) -> None:
        x = tf.placeholder(tf.int32, [])
        y = tf.case([(x < 0, lambda: tf.constant(-1)), (x > 0, lambda: tf.constant(1))], lambda: tf.constant(0), exclusive=True)
        self.assertEqual([self.value(y, {x: n}) for n in (-7, 0, 7)], [-1, 0, 1])


class Loops(OpsTest):
    def test_values_and_structure(self) -> None:
        out = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, {"sum": s["sum"] + i}), (0, {"sum": 0}))
        self.assertEqual(self.value(out), (5, {"sum": 10}))

    def test_gradient(self) -> None:
        # y = x^4, so dy/dx = 4 x^3
        x = tf.placeholder(tf.float32, [])
        _, y = tf.while_loop(lambda i, p: i < 4, lambda i, p: (i + 1, p * x), (0, 1.0))
        self.assertEqual(self.value(tf.gradients(y, x)[0], {x: 2.0}), 32.0)

    def test_gradient_of_a_condition_in_a_loop(self) -> None:
        # Odd steps multiply by x, even ones add it: y = ((0 + x) x + x) x, so dy/dx = 3 x^2 + 2 x.
        x = tf.placeholder(tf.float32, [])

        def body(i, y):
            return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: y + x, lambda: y * x)

        _, y = tf.while_loop(lambda i, y: i < 4, body, (0, 0.0))
        self.assertEqual(self.value([y, tf.gradients(y, x)[0]], {x: 3.0}), [36.0, 33.0])

    def test_maximum_iterations(self) -> None:
        self.assertEqual(self.value(tf.while_loop(lambda i: i < 100, lambda i: i + 1, [0], maximum_iterations=3)), 3)

    def test_shape_invariants(self) -> None:
        start = tf.ones([1])
        with self.assertRaisesRegex(ValueError, "shape"):
            tf.while_loop(lambda t: tf.size(t) < 5, lambda t: tf.concat([t, t], 0), [start])
        grown = tf.while_loop(
            lambda t: tf.size(t) < 5, lambda t: tf.concat([t, t], 0), [start], shape_invariants=[tf.TensorShape([None])]
        )
        self.check(grown, np.ones(8))

    def test_what_a_body_raises_comes_back_as_it_is(self) -> None:
        mistake = ZeroDivisionError("mine")

        def fails(i):
            raise mistake

        for cond, body in ((lambda i: i < 3, fails), (fails, lambda i: i + 1)):
            with self.assertRaises(ZeroDivisionError) as caught:
                tf.while_loop(cond, body, [0])
            self.assertIs(caught.exception, mistake)
        self.assertEqual(self.value(tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])), 3)

    def test_bad_bodies(self) -> None:
        with self.assertRaisesRegex(ValueError, "loop variables"):
            tf.while_loop(lambda i, j: i < 3, lambda i, j: i, [0, 0])
        with self.assertRaisesRegex(TypeError, "int32"):
            tf.while_loop(lambda i: i < 3, lambda i: tf.cast(i, tf.float32), [0])
        with self.assertRaisesRegex(TypeError, "one bool"):
            tf.while_loop(lambda i: i, lambda i: i + 1, [0])

    def test_tensor_arrays(self) -> None:
        _, array = tf.while_loop(
            lambda i, a: i < 3, lambda i, a: (i + 1, a.write(i, tf.cast(i, tf.float32) * 2.0)), (0, tf.TensorArray(tf.float32, 3))
        )
        self.check(array.stack(), [0, 2, 4])
        with self.assertRaisesRegex(ValueError, "float32"):
            tf.TensorArray(tf.float32, 3).write(0, tf.constant(1))

    def test_map_fold_and_scan(self) -> None:
        xs = tf.placeholder(tf.float32, [None])
        squares = tf.map_fn(lambda x: x * x, xs)
        running = tf.scan(lambda a, x: a + x, xs)
        total = tf.foldl(lambda a, x: a + x, xs)
        feed = {xs: [1.0, 2.0, 3.0]}
        self.check(squares, [1, 4, 9], feed)
        self.check(running, [1, 3, 6], feed)
        self.check(total, 6, feed)
        self.check(tf.gradients(squares, xs)[0], [2, 4, 6], feed)
        self.check(tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3]), reverse=True), [6, 5, 3])


class State(OpsTest):
    def test_changes_of_variables(self) -> None:
        v = tf.Variable([1.0, 2.0, 3.0])
        self.session.run(v.initializer)
        self.check(tf.assign_add(v, [1.0, 1.0, 1.0]), [2, 3, 4])
        self.check(tf.assign_sub(v, [1.0, 1.0, 1.0]), [1, 2, 3])
        self.check(tf.scatter_update(v, [0], [9.0]), [9, 2, 3])
        self.check(tf.scatter_add(v, [0, 0], [1.0, 1.0]), [11, 2, 3])
        self.check(tf.scatter_nd_update(v, [[2]], [7.0]), [11, 2, 7])
        self.check(tf.assign(v, [4.0, 5.0, 6.0]), [4, 5, 6])

    def test_resources(self) -> None:
        v = tf.Variable([[1.0], [2.0]], use_resource=True)
        self.session.run(v.initializer)
        self.check(tf.gather(v, [1]), [[2]])
        self.check(tf.scatter_update(v, [0], [[5.0]]), [[5], [2]])
        self.check(tf.assign_add(v, [[1.0], [1.0]]), [[6], [3]])

    def test_count_up_to(self) -> None:
        count = tf.count_up_to(n := tf.Variable(0), 2)
        self.session.run(n.initializer)
        self.assertEqual([self.value(count), self.value(count)], [0, 1])
        with self.assertRaises(tf.errors.OutOfRangeError):
            self.value(count)


class Groups(OpsTest):
    def test_groups_and_dependencies(self) -> None:
        v = tf.Variable([1.0, 2.0])
        change = tf.group(v.initializer, name="start")
        self.assertEqual((change.name, change.type), ("start", "NoOp"))
        self.session.run(change)
        with tf.control_dependencies([tf.assign(v, [5.0, 6.0])]):
            after = tf.identity(v._variable)
        self.check(after, [5, 6])

    def test_assert_stops_a_step(self) -> None:
        x = tf.placeholder(tf.float32, [])
        with tf.control_dependencies([tf.Assert(x > 0, ["x is", x])]):
            y = tf.identity(x)
        self.assertEqual(self.value(y, {x: 1.0}), 1.0)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "x is"):
            self.value(y, {x: -1.0})

    def test_checks(self) -> None:
        x = tf.placeholder(tf.float32, [None])
        with tf.control_dependencies([tf.assert_positive(x, message="mine")]):
            y = tf.identity(x)
        self.check(y, [1], {x: [1.0]})
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "mine"):
            self.value(y, {x: [-1.0]})
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "x == y"):
            tf.assert_equal(1, 2)
        with self.assertRaisesRegex(ValueError, "rank 3"):
            tf.assert_rank(tf.ones([2, 2]), 3)


class PythonFunctions(unittest.TestCase):
    def run_in(self, *fetches, target=""):
        with tf.Session(target) as sess:
            return sess.run(list(fetches))

    def test_values_and_types(self):
        with tf.Graph().as_default():
            x = tf.constant([1.0, 4.0])
            both = tf.py_func(lambda a: (np.sqrt(a), [b"root"] * len(a)), [x], [tf.float32, tf.string])
            roots, names = self.run_in(*both)
            np.testing.assert_allclose(roots, [1, 2])
            self.assertEqual(names.tolist(), [b"root", b"root"])
            count = tf.py_func(lambda a: 3, [x], tf.int64)
            self.assertEqual(self.run_in(count), [3])

    def test_on_a_server_of_the_process(self):
        server = tf.train.Server.create_local_server()
        with tf.Graph().as_default():
            doubled = tf.py_func(lambda a: a * 2, [tf.constant(4.0)], tf.float32)
            self.assertEqual(self.run_in(doubled, target=server.target), [8.0])

    def test_exceptions_fail_the_step(self):
        def fails(_):
            raise ValueError("not this one")

        with tf.Graph().as_default():
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "not this one"):
                self.run_in(tf.py_func(fails, [1.0], tf.float32))
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "expects"):
                self.run_in(tf.py_func(lambda a: a, [1.0], tf.int32))


class OldNames(OpsTest):
    def test_old_argument_orders(self) -> None:
        self.assertEqual(self.value(tf.concat(0, [[1], [2]])).tolist(), [1, 2])
        self.assertEqual(self.value(tf.concat(concat_dim=0, values=[[1], [2]])).tolist(), [1, 2])
        self.assertEqual([part.tolist() for part in self.value(tf.split(1, 2, [[1, 2]]))], [[[1]], [[2]]])
        self.assertEqual(self.value(tf.squeeze([[1]], squeeze_dims=[0])).tolist(), [1])
        self.assertEqual(self.value(tf.reduce_sum([[1, 2]], reduction_indices=[1], keep_dims=True)).tolist(), [[3]])

    def test_old_functions(self) -> None:
        self.assertEqual(self.value([tf.mul(2, 3), tf.sub(5, 3), tf.neg(1)]), [6, 2, -1])
        self.assertEqual(self.value(tf.pack([1, 2])).tolist(), [1, 2])
        self.assertEqual(self.value(tf.unpack(tf.constant([1, 2]))), [1, 2])
        self.check(tf.batch_matmul([[[2.0]]], [[[3.0]]]), [[[6]]])
        tf.scalar_summary("a", 1.0)
        self.assertIn(b"a", self.value(tf.merge_all_summaries()))

    def test_names_that_are_not_here(self) -> None:
        with self.assertRaisesRegex(AttributeError, "TensorFlow 1.x had; use tf.map_fn"):
            tf.vectorized_map
        with self.assertRaisesRegex(AttributeError, "did you mean tf.reduce_mean"):
            tf.reduce_maen
        with self.assertRaisesRegex(NotImplementedError, "feed_dict"):
            tf.py_function(lambda x: x, [1], tf.int32)

    def test_raw_ops(self) -> None:
        self.check(tf.raw_ops.MatMul(a=[[2.0]], b=[[3.0]]), [[6]])
        self.assertIn("transpose_a: bool", tf.raw_ops.MatMul.__doc__)
        with self.assertRaisesRegex(TypeError, "needs the argument b"):
            tf.raw_ops.MatMul(a=[[1.0]])
        with self.assertRaisesRegex(AttributeError, "did you mean MatMul"):
            tf.raw_ops.MatMull


class Tables(OpsTest):
    def test_lookup(self) -> None:
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
        self.session.run(tf.tables_initializer())
        self.assertEqual(self.value(table.lookup(tf.constant(["b", "z"]))).tolist(), [2, -1])
        with self.assertRaisesRegex((TypeError, ValueError), "string"):
            table.lookup(tf.constant([1]))


class Consumers(unittest.TestCase):
    def test_who_uses_a_tensor(self) -> None:
        with tf.Graph().as_default():
            x = tf.constant(1.0, name="x")
            self.assertEqual(x.consumers(), [])
            y = tf.add(x, x, name="y")
            z = tf.negative(x, name="z")
            self.assertEqual([op.name for op in x.consumers()], ["y", "z"])
            self.assertEqual(z.consumers(), [])

            def body(i):
                # Asked before the loop is closed, when its merge has one input.
                self.assertTrue(i.op.inputs[0].consumers())
                return i + y

            tf.while_loop(lambda i: i < 10.0, body, [z])
            back = next(op for op in tf.get_default_graph().get_operations() if op.type == "NextIteration")
            self.assertEqual([op.type for op in back.outputs[0].consumers()], ["Merge"])
            self.assertEqual([op.type for op in y.consumers()], ["Enter"])


if __name__ == "__main__":
    unittest.main()
