"""The documents' programs, cut out of their texts as they stand, run as processes of a cluster on this machine.

The texts are not ours and not part of the repository: where they are not beside it, these tests say so and are skipped;
test_replica.py runs a program of our own that makes the same calls.
"""

import os
import re
import textwrap
import unittest
from pathlib import Path

import processes

DOCUMENTS = Path(os.environ.get("TENSORFLEET_DOCUMENTS", "documents"))


def text(number: str) -> str:
    """The text of a document."""
    found = sorted(DOCUMENTS.glob(f"{number}_*.txt"))
    if not found:
        raise unittest.SkipTest(f"the documents are not here: {DOCUMENTS}")
    return found[0].read_text(encoding="utf-8")


def fenced(document: str) -> list[str]:
    """The blocks between lines of three backquotes."""
    return re.findall(r"^ ?```[a-z]*\n(.*?)^ *```", document, re.MULTILINE | re.DOTALL)


def indented_program(document: str) -> str:
    """A program that stands indented by four spaces, from its imports to its end."""
    lines = document.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("    import "))
    end = next(i for i, line in enumerate(lines) if line.strip() == "tf.app.run()")
    return "\n".join(line[4:] if line.startswith("    ") else line.strip() for line in lines[begin : end + 1]) + "\n"


# What the second document leaves out: its module of data, and its network.
READDATA = '''
import tensorfleet.v1 as tf
from tensorflow.examples.tutorials.mnist import input_data

def get_batch(train, batch_size, num_epochs):
    digits = input_data.read_data_sets("data", one_hot=True)
    part = digits.train if train else digits.test
    images, labels = tf.constant(part.images[:1200]), tf.constant(part.labels[:1200])
    if num_epochs is not None:
        images, labels = tf.train.limit_epochs(images, num_epochs), labels
    return tf.train.batch([images, labels], batch_size, capacity=5000, enqueue_many=True)
'''
HEAD = '''
import tempfile
import time
import tensorfleet.v1 as tf
import readdata

BATCH_SIZE, TRAINING_STEPS = 10, 100
'''
NETWORK = '''
        global_step = tf.Variable(0, name="global_step", trainable=False)
        w = tf.Variable(tf.truncated_normal([784, 10], stddev=0.1, seed=1))
        b = tf.Variable(tf.zeros([10]))

        def logits(images):
            return tf.matmul(images, w) + b

        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=logits(x), labels=y_))
        train_step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)
        right = tf.equal(tf.argmax(logits(text_x), 1), tf.argmax(text_y, 1))
        accuracy = tf.reduce_mean(tf.cast(right, tf.float32))

'''


def indented(block: str, spaces: int) -> str:
    """A block, of which the first line may have lost its indentation, at another one."""
    first, *rest = block.splitlines()
    if len(first) - len(first.lstrip()) > 1:
        return textwrap.indent(textwrap.dedent(block), " " * spaces) + "\n"
    return textwrap.indent(textwrap.dedent("\n".join([" " * _least(rest) + first.strip(), *rest])), " " * spaces) + "\n"


def _least(lines: list[str]) -> int:
    return min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)


def digits_program(document: str) -> str:
    """The second document's program, put together from its pieces."""
    flags, server, network, supervisor, training = fenced(document)[:5]
    main = indented(server, 4) + indented(network, 4) + NETWORK + indented(supervisor, 8) + indented(training, 8)
    return HEAD + flags + "\n\ndef main(_):\n" + main + '\n\nif __name__ == "__main__":\n    tf.app.run()\n'


class Documents(unittest.TestCase):
    def test_hello_world(self) -> None:
        """The first document's interpreter session, answer included."""
        session = next(block for block in fenced(text("000")) if "create_local_server" in block)
        lines = [line[4:] for line in session.splitlines() if line.startswith(">>> ")]
        self.assertIn("sess.run(c)", lines[-1])
        program = "\n".join(lines[:-1]) + "\nprint(sess.run(c))\n"
        with processes.Folder() as folder:
            hello = folder.start("hello", program)
            output = hello.finish(30)
        # Python 3 shows bytes with a prefix.
        self.assertEqual(output.strip(), "b'Hello, distributed TensorFlow!'")

    def test_softmax_on_two_ps_and_two_workers(self) -> None:
        """The third document's program, with its 2,000 steps."""
        program = next(block for block in fenced(text("002")) if "read_data_sets" in block)
        # The document's folder for checkpoints belongs to root.
        with processes.Folder() as folder:
            program = program.replace('"/opt/tensor"', repr(str(folder.path / "logs")))
            ps, workers = processes.addresses(2), processes.addresses(2)
            flags = ["--ps_hosts=" + ",".join(ps), "--worker_hosts=" + ",".join(workers)]
            servers = [folder.start(f"ps{i}", program, *flags, "--job_name=ps", f"--task_index={i}") for i in range(2)]
            tasks = [folder.start(f"worker{i}", program, *flags, "--job_name=worker", f"--task_index={i}") for i in range(2)]
            outputs = [task.finish(120) for task in tasks]
            for server in servers:
                self.assertIsNone(server.process.poll(), "a parameter server ended before it was stopped")
        for index, output in enumerate(outputs):
            self.assertIn(f"Cluster job: worker, task_index: {index}, target: grpc://", output)
            self.assertRegex(output, rf"Step \d+ in task {index}\n")
            self.assertIn("done.", output)
        accuracy = float(re.search(r"accuracy: ([0-9.]+)", outputs[1]).group(1))
        self.assertGreater(accuracy, 0.85)

    def test_digits_from_queues(self) -> None:
        """The second document's program, put together from its pieces: queues begin and end in every step."""
        program = digits_program(text("001"))
        ps, workers = processes.addresses(1), processes.addresses(1)
        with processes.Folder() as folder:
            (folder.path / "readdata.py").write_text(READDATA)
            flags = ["--ps_hosts=" + ps[0], "--worker_hosts=" + workers[0]]
            folder.start("ps", program, *flags, "--job_name=ps", "--task_index=0")
            output = folder.start("worker", program, *flags, "--job_name=worker", "--task_index=0").finish(120)
        self.assertIn("Worker 0: Session initialization  complete.", output)
        self.assertRegex(output, r"Worker 0: traing step 100 dome \(global step:(99|100)\)")
        accuracy = float(re.search(r"validation accuracy using average model is ([0-9.]+)\.", output).group(1))
        self.assertGreater(accuracy, 0.3)

    def replicas(self, *extra: str) -> list[str]:
        """The fifth document's program on one parameter server and two workers, to its end."""
        program = indented_program(text("004"))
        ps, workers = processes.addresses(1), processes.addresses(2)
        with processes.Folder() as folder:
            flags = ["--ps_hosts=" + ps[0], "--worker_hosts=" + ",".join(workers), "--train_steps=200", *extra]
            flags.append(f"--data_dir={folder.path / 'data'}")
            folder.start("ps", program, *flags, "--job_name=ps", "--task_index=0")
            tasks = [folder.start(f"worker{i}", program, *flags, "--job_name=worker", f"--task_index={i}") for i in range(2)]
            return [task.finish(120) for task in tasks]

    def check_replicas(self, outputs: list[str]) -> None:
        for index, output in enumerate(outputs):
            self.assertIn(f"job name = worker\ntask index = {index}\n", output)
            self.assertIn(f"Worker {index}: Session initialization complete.", output)
            self.assertRegex(output, rf"Worker {index}: training step \d+ done \(global step: \d+\)")
            self.assertRegex(output, r"Training elapsed time: [0-9.]+ s")
            self.assertRegex(output, r"After 200 training step\(s\), validation cross entropy = [0-9.e+]+")

    def test_replicas_asynchronously(self) -> None:
        self.check_replicas(self.replicas())

    def test_replicas_in_step(self) -> None:
        """In this mode TensorFlow 2.21 hangs; here every worker ends."""
        outputs = self.replicas("--sync_replicas=True")
        self.check_replicas(outputs)
        self.assertIn("Starting chief queue runner and running init_tokens_op", outputs[0])


if __name__ == "__main__":
    unittest.main()
