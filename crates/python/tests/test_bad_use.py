"""What programs do wrong ends in an exception with a clear sentence, never in a crash or a wait without end."""

import os
import subprocess
import sys
import threading
import time
import types
import unittest
from unittest import mock

import numpy as np

import processes

import tensorfleet.v1 as tf


class Graphs(unittest.TestCase):
    def setUp(self):
        entered = tf.Graph().as_default()
        entered.__enter__()
        self.addCleanup(entered.__exit__, None, None, None)

    def fails(self, kind, *words):
        """A block that raises an exception in whose text these words are."""
        test = self

        class Block:
            def __enter__(self):
                return self

            def __exit__(self, got, error, _):
                test.assertIsNotNone(got, f"nothing was raised; expected {kind}")
                if not issubclass(got, kind):
                    return False
                for word in words:
                    test.assertIn(word, str(error))
                return True

        return Block()


class Building(Graphs):
    def test_a_shape_error_names_the_line(self):
        a, b = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [4, 5])
        line = sys._getframe().f_lineno + 2
        with self.fails(ValueError, "3", "4", f"{os.path.basename(__file__)}:{line}"):
            tf.matmul(a, b)

    def test_the_graph_is_of_use_after_a_mistake(self):
        a = tf.constant([1.0, 2.0])
        with self.fails(ValueError):
            tf.matmul(a, tf.constant([[1.0]]))
        with tf.Session() as sess:
            self.assertEqual(sess.run(a + 1.0).tolist(), [2.0, 3.0])

    def test_types_that_do_not_fit(self):
        with self.fails(ValueError, "int32", "float32"):
            tf.convert_to_tensor(tf.constant([1, 2]), dtype=tf.float32)
        with self.fails((TypeError, ValueError), "float32"):
            tf.add(tf.constant(1.0), tf.constant(1))
        with self.fails(TypeError, "float"):
            tf.constant(1.5, dtype=tf.int32)

    def test_unknown_names(self):
        with self.fails(AttributeError, "tf.no_such_name"):
            tf.no_such_name
        for module in ("train", "nn", "layers", "io"):
            with self.fails(AttributeError, f"no tf.{module}.no_such_name, and TensorFlow 1.x had none either"):
                getattr(tf, module).no_such_name
        with self.fails(AttributeError, "did you mean tf.train.AdamOptimizer"):
            tf.train.AdamOptimiser
        with self.fails(AttributeError, "which TensorFlow 1.x had"):
            tf.nn.quantized_conv2d

    def test_tensors_are_no_python_values(self):
        x = tf.placeholder(tf.float32, [None])
        with self.fails(TypeError, "tf.cond"):
            bool(x > 1.0)
        with self.fails(TypeError, "first dimension"):
            list(x)
        with self.fails(NotImplementedError, "session"):
            np.asarray(x)

    def test_a_tensor_of_another_graph(self):
        with tf.Graph().as_default():
            other = tf.constant(1.0, name="elsewhere")
        here = tf.constant(2.0)
        with self.fails(ValueError, "elsewhere", "graph"):
            tf.add(here, other)
        with self.fails(ValueError, "graph"):
            with tf.control_dependencies([other]):
                pass

    def test_names_that_are_not_there(self):
        graph = tf.get_default_graph()
        tf.constant(1.0, name="here")
        with self.fails(KeyError, "there"):
            graph.get_tensor_by_name("there:0")
        with self.fails(KeyError, "1 outputs"):
            graph.get_tensor_by_name("here:3")
        with self.fails(ValueError, "here"):
            graph.get_tensor_by_name("here")

    def test_variables(self):
        tf.get_variable("v", [2])
        with self.fails(ValueError, "v", "reuse"):
            tf.get_variable("v", [2])
        with tf.variable_scope("s", reuse=True), self.fails(ValueError, "s/w"):
            tf.get_variable("w", [2])
        with self.fails(ValueError, "(3,)", "(2,)"):
            with tf.variable_scope("", reuse=True):
                tf.get_variable("v", [3])

    def test_a_loss_without_gradients(self):
        tf.get_variable("v", [2])
        with self.fails(ValueError, "gradient"):
            tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))

    def test_functions_of_datasets(self):
        numbers = tf.data.Dataset.range(3)
        with self.fails(TypeError, "flat_map", "Dataset"):
            numbers.flat_map(lambda x: x)
        with self.fails(ValueError, "filter", "bool"):
            numbers.filter(lambda x: x)
        with self.fails(TypeError, "None"):
            numbers.map(lambda x: None)
        with self.fails(TypeError, "generator"):
            tf.data.Dataset.from_generator([1, 2], tf.int32)
        with self.fails(ValueError, "one-shot", "initializable", "Placeholder"):
            tf.data.Dataset.from_tensors(tf.placeholder(tf.float32, [2])).make_one_shot_iterator()
        with self.fails(ZeroDivisionError):
            numbers.map(lambda x: 1 // 0)
        with self.fails(ValueError, "'w'", "outside"):
            numbers.map(lambda x: tf.get_variable("w", [2]))
        leaked = []
        numbers.map(lambda x: leaked.append(x) or x)
        with self.fails(ValueError, "another graph"):
            tf.add(tf.constant(1, tf.int64), leaked[0])

    def test_a_graph_that_is_finalized(self):
        graph = tf.get_default_graph()
        a = tf.constant(1.0)
        total = a + 1.0
        graph.finalize()
        for add in (lambda: tf.constant(2.0), lambda: a * 2.0, lambda: tf.gradients(total, a), lambda: tf.Variable(0.0)):
            with self.fails(RuntimeError, "Graph is finalized and cannot be modified"):
                add()
        with tf.Session() as sess:
            self.assertEqual(sess.run(total), 2.0)

    def test_malformed_graphs(self):
        with self.fails(TypeError, "GraphDef"):
            tf.import_graph_def("graph")
        with self.fails(ValueError, "missing"):
            tf.import_graph_def(tf.GraphDef(), return_elements=["missing"])
        message = tf.GraphDef()
        node = message.node.add(name="y", op="Identity")
        node.input.append("x")
        node.attr["T"].type = 1
        with self.fails(ValueError, "'y'", "'x'"):
            tf.import_graph_def(message)


class Running(Graphs):
    def test_feeds(self):
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        i = tf.placeholder(tf.int32, [], name="i")
        y = x + tf.cast(i, tf.float32)
        with tf.Session() as sess:
            with self.fails(ValueError, "(3,)", "x:0", "(?, 2)"):
                sess.run(y, {x: [1.0, 2.0, 3.0], i: 1})
            with self.fails(ValueError, "(2, 3)", "x:0", "(?, 2)"):
                sess.run(y, {x: np.ones([2, 3], np.float32), i: 1})
            with self.fails(ValueError, "x:0", "could not convert"):
                sess.run(y, {x: [["a", "b"]], i: 1})
            with self.fails(TypeError, "int64"):
                sess.run(y, {x: [[1.0, 2.0]], i: 2**40})
            with self.fails(TypeError, "tf.Tensor"):
                sess.run(y, {x: tf.ones([1, 2]), i: 1})
            with self.fails(TypeError, "feed_dict", "nothing"):
                sess.run(y, {"nothing:0": 1})
            with self.fails(TypeError, "dict"):
                sess.run(y, [1, 2])
            with self.fails(tf.errors.InvalidArgumentError, "x", "placeholder"):
                sess.run(y, {i: 1})
            self.assertEqual(sess.run(y, {x: [[1, 2]], i: 1}).tolist(), [[2.0, 3.0]])

    def test_arrays_of_all_forms(self):
        """However an array lies in memory, its values are fed."""
        x, i = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int32, [])
        y, values = x * 2.0, np.arange(8, dtype=np.float32).reshape(4, 2)
        across = np.ndarray([4, 2], np.float32, bytearray(b"." + values.tobytes()), 1)
        with tf.Session() as sess:
            for given in (
                values, values[::-1], values[:, ::-1], np.asfortranarray(values), across, values.astype(">f4"), values[:0],
                np.broadcast_to(np.float32(3.0), [2, 2]), np.frombuffer(values.tobytes(), np.float32).reshape(4, 2),
            ):
                self.assertEqual(sess.run(y, {x: given}).tolist(), (given * 2).tolist())
            self.assertEqual(sess.run(i + 1, {i: np.array(4, np.int32)}), 5)

    def test_fetches(self):
        with tf.Graph().as_default():
            other = tf.constant(1.0)
        tf.constant(1.0, name="c")
        with tf.Session() as sess:
            with self.fails(ValueError, "belongs to another graph"):
                sess.run(other)
            with self.fails(TypeError, "int"):
                sess.run(3)
            with self.fails(TypeError, "None"):
                sess.run(None)
            with self.fails(ValueError, "missing"):
                sess.run("missing:0")
            with self.fails(ValueError, "5"):
                sess.run("c:5")
            with self.fails(ValueError, "session"):
                with tf.Graph().as_default():
                    tf.constant(1.0).eval(session=sess)

    def test_values_that_are_not_there(self):
        v = tf.Variable(1.0, name="v")
        with tf.Session() as sess:
            with self.fails(tf.errors.FailedPreconditionError, "uninitialized value v"):
                sess.run(v)
            iterator = tf.data.Dataset.range(1).make_initializable_iterator()
            element = iterator.get_next()
            with self.fails(tf.errors.FailedPreconditionError, "initializ"):
                sess.run(element)
            sess.run(iterator.initializer)
            sess.run(element)
            with self.fails(tf.errors.OutOfRangeError, "End of sequence"):
                sess.run(element)

    def test_generators_that_give_something_else(self):
        for wrong, words in (["text"], "int32"), ([[1, 2, 3]], "shape (3,)"), ([(1, 2)], "shape (2,)"):
            element = tf.data.Dataset.from_generator(lambda: iter(wrong), tf.int32, []).make_one_shot_iterator().get_next()
            with tf.Session() as sess, self.fails(tf.errors.InvalidArgumentError, words):
                sess.run(element)

    def test_errors_of_steps_name_the_node_and_the_line(self):
        x = tf.placeholder(tf.float32, name="x")
        line = sys._getframe().f_lineno + 1
        y = tf.check_numerics(tf.log(x), "not a number", name="checked")
        with tf.Session() as sess, self.fails(tf.errors.InvalidArgumentError, "checked", f"{os.path.basename(__file__)}:{line}"):
            sess.run(y, {x: -1.0})

    def test_after_close(self):
        a = tf.constant(1.0)
        sess = tf.Session()
        sess.run(a)
        sess.close()
        sess.close()
        with self.fails(RuntimeError, "closed"):
            sess.run(a)

    def test_no_session(self):
        with self.fails(ValueError, "session"):
            tf.constant(1.0).eval()

    def test_a_device_that_is_not_there(self):
        with tf.device("/job:nobody/task:7"):
            a = tf.constant(1.0)
        with self.fails(tf.errors.InvalidArgumentError, "/job:nobody"):
            with tf.Session() as sess:
                sess.run(a)

    def test_a_queue_that_stays_empty(self):
        queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]])
        with tf.Session() as sess:
            begin = time.monotonic()
            with self.fails(tf.errors.DeadlineExceededError):
                sess.run(queue.dequeue(), options=tf.RunOptions(timeout_in_ms=200))
            self.assertLess(time.monotonic() - begin, 5)
            sess.run(queue.close())
            with self.fails(tf.errors.OutOfRangeError, "closed"):
                sess.run(queue.dequeue())

    def test_a_session_is_closed_while_it_runs(self):
        item = tf.FIFOQueue(3, [tf.float32], shapes=[[]]).dequeue()
        sess = tf.Session()
        raised = []

        def run():
            try:
                sess.run(item)
            except Exception as error:
                raised.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        time.sleep(0.2)
        sess.close()
        thread.join(5)
        self.assertFalse(thread.is_alive())
        self.assertIsInstance(raised[0], (tf.errors.CancelledError, RuntimeError))


class Threads(Graphs):
    def test_many_threads_see_whole_values(self):
        # Small enough that numpy keeps the interpreter's lock while it writes. A Python without that lock may be half through with
        # writing when a step begins, but whatever runs in the step sees the same.
        whole = getattr(sys, "_is_gil_enabled", lambda: True)()
        shared = np.zeros(400, np.float32)
        x = tf.placeholder(tf.float32, [400])
        low, high, both = tf.reduce_min(x), tf.reduce_max(x), x + x
        wrong, counts = [], []
        end = time.monotonic() + 10

        def write():
            number = 0
            while time.monotonic() < end:
                number += 1
                shared[:] = number % 1000

        def run(sess):
            count = 0
            while time.monotonic() < end and not wrong:
                a, b, c = sess.run([low, high, both], {x: shared})
                if (c.min(), c.max()) != (2 * a, 2 * b) or whole and a != b:
                    wrong.append((a, b, c))
                count += 1
            counts.append(count)

        with tf.Session() as sess:
            threads = [threading.Thread(target=run, args=(sess,)) for _ in range(10)] + [threading.Thread(target=write)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(30)
        self.assertEqual(wrong, [])
        self.assertEqual(len(counts), 10)
        self.assertTrue(all(count > 0 for count in counts), counts)

    def test_what_is_fetched_is_the_programs_own(self):
        v = tf.Variable(tf.ones([4]))
        with tf.Session() as sess:
            sess.run(v.initializer)
            first = sess.run(v)
            first[:] = 7.0
            self.assertEqual(sess.run(v).tolist(), [1.0] * 4)
            fed = np.ones(4, np.float32)
            sess.run(tf.assign(v, fed))
            fed[:] = 9.0
            self.assertEqual(sess.run(v).tolist(), [1.0] * 4)


FORKED = """
import os, signal
import tensorfleet.v1 as tf
a = tf.constant([1.0, 2.0]) * 2.0
sess = tf.Session()
sess.run(a)
server = tf.train.Server.create_local_server()
for wrong in (
    lambda: sess.run(a), sess.close, lambda: tf.Session().run(a), lambda: tf.Session(server.target), server.join,
    tf.train.Server.create_local_server, lambda: tf.Session.reset(server.target),
):
    child = os.fork()
    if child == 0:
        # Whoever waits for a thread of the parent waits for ever.
        signal.alarm(30)
        try:
            wrong()
        except RuntimeError as error:
            os.write(1, f"{error}\\n".encode())
            os._exit(7)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7, status
print(sess.run(a).tolist())
"""

FORKED_BEFORE = """
import os
import tensorfleet.v1 as tf
a = tf.constant([1.0, 2.0]) * 2.0
child = os.fork()
with tf.Session() as sess:
    # One write, so that the lines of the two do not mix.
    os.write(1, f"{sess.run(a).tolist()}\\n".encode())
if child:
    assert os.waitpid(child, 0)[1] == 0
"""

# Ctrl-C half a second after the wait begins; the time from the signal to the exception is printed.
INTERRUPTED = """
import os, signal, threading, time
import tensorfleet.v1 as tf
{prepare}
sent = []
def send():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.5, send).start()
try:
    {wait}
except KeyboardInterrupt:
    print(time.monotonic() - sent[0])
"""


class Processes(unittest.TestCase):
    def run_python(self, program, seconds=60):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=seconds)
        return done.returncode, done.stdout, done.stderr

    def test_a_child_that_was_forked_off(self):
        code, out, err = self.run_python(FORKED, 300)
        self.assertEqual(code, 0, out + err)
        self.assertEqual(out.count("forked off after a session was opened"), 7, out)
        self.assertIn("[2.0, 4.0]", out)

    def test_a_child_that_was_forked_off_before(self):
        code, out, err = self.run_python(FORKED_BEFORE)
        self.assertEqual((code, out), (0, "[2.0, 4.0]\n[2.0, 4.0]\n"), err)

    def interrupted(self, prepare, wait):
        code, out, err = self.run_python(INTERRUPTED.format(prepare=prepare, wait=wait))
        self.assertEqual(code, 0, err)
        self.assertLess(float(out.split()[-1]), 0.5, out + err)

    def test_ctrl_c_ends_a_dequeue(self):
        self.interrupted(
            "item = tf.FIFOQueue(1, [tf.float32]).dequeue()\nsess = tf.Session()", "sess.run(item)")

    def test_ctrl_c_ends_a_long_step(self):
        self.interrupted(
            "end = tf.while_loop(lambda i: i < 2000000000, lambda i: i + 1, [tf.constant(0)])\nsess = tf.Session()",
            "sess.run(end)")

    def test_ctrl_c_ends_a_server(self):
        self.interrupted("server = tf.train.Server.create_local_server()", "server.join()")

    def test_ctrl_c_ends_the_wait_for_a_task_that_never_comes(self):
        self.interrupted(
            "server = tf.train.Server({'worker': ['localhost:0', 'localhost:1']}, job_name='worker', task_index=0, start=True)\n"
            "with tf.device('/job:worker/task:1'):\n    a = tf.constant(1.0)\n", "tf.Session(server.target).run(a)")

    def test_ctrl_c_ends_the_wait_for_a_server_that_does_not_answer(self):
        self.interrupted(
            "import socket\nsilent = socket.create_server(('127.0.0.1', 0))",
            "tf.Session.reset(f'grpc://127.0.0.1:{silent.getsockname()[1]}')")

    def test_ctrl_c_ends_a_coordinator(self):
        self.interrupted(
            "coord = tf.train.Coordinator()\nthread = threading.Thread(target=time.sleep, args=(3,), daemon=True)\nthread.start()",
            "coord.wait_for_stop()")

    def test_ctrl_c_ends_the_wait_for_threads_of_a_queue(self):
        self.interrupted(
            "queue = tf.FIFOQueue(1, [tf.float32])\nrunner = tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * 2)\n"
            "sess, coord = tf.Session(), tf.train.Coordinator()\nthreads = runner.create_threads(sess, coord=coord, start=True)",
            "coord.join(threads)")

    def test_ctrl_c_ends_a_supervised_step(self):
        self.interrupted(
            "item = tf.FIFOQueue(1, [tf.float32]).dequeue()\nsv = tf.train.Supervisor()\nsess = sv.prepare_or_wait_for_session()",
            "sess.run(item)")

    def test_ctrl_c_ends_a_supervisor_that_is_no_chief(self):
        self.interrupted(
            "v = tf.Variable(0.0)\nsv = tf.train.Supervisor(is_chief=False, recovery_wait_secs=30)",
            "sv.prepare_or_wait_for_session()")

    def test_ctrl_c_ends_a_monitored_step(self):
        self.interrupted(
            "item = tf.FIFOQueue(1, [tf.float32]).dequeue()\ntf.train.get_or_create_global_step()\n"
            "sess = tf.train.MonitoredSession()", "sess.run(item)")

    def test_the_alias_is_refused_where_tensorflow_is_loaded(self):
        from tensorfleet import alias

        with mock.patch.dict(sys.modules, {"tensorflow": types.ModuleType("tensorflow")}):
            with self.assertRaisesRegex(ImportError, "already"):
                alias.install_alias()


class OtherThreads(unittest.TestCase):
    """Ctrl-C ends what the main thread waits for, and leaves the steps of other threads alone."""

    PROGRAM = """
import os, signal, threading, time
import tensorfleet.v1 as tf

with tf.Graph().as_default():
    empty, other = tf.FIFOQueue(1, tf.int32), tf.FIFOQueue(1, tf.int32)
    put, blocked, taken = other.enqueue(7), empty.dequeue(), other.dequeue()
    sess = tf.Session()
got = []
thread = threading.Thread(target=lambda: got.append(int(sess.run(taken))))
thread.start()
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.time()
try:
    sess.run(blocked)
except KeyboardInterrupt:
    print("ended in time" if time.time() - begin < 5 else "ended late")
sess.run(put)
thread.join(10)
print(got)
"""

    def test_their_steps_go_on(self) -> None:
        with processes.Folder() as folder:
            output = folder.start("threads", self.PROGRAM, alias=False).finish(60)
        self.assertEqual(output.split("\n")[:2], ["ended in time", "[7]"])


if __name__ == "__main__":
    unittest.main()
