"""The documents' programs, cut out of their texts as they stand, run as processes of a cluster on this machine.

The texts are not ours and not part of the repository: where they are not beside it, these tests say so and are skipped;
test_replica.py runs a program of our own that makes the same calls.
"""

import os
import re
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
