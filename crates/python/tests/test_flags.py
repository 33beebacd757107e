"""Flags, `tf.app.run` and `tf.logging`."""

import contextlib
import io
import logging as python_logging
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from unittest import mock

from tensorfleet.v1 import app, flags, logging


def defined():
    """Flags of all kinds, apart from those of the process."""
    values = flags.FlagValues()
    flags.DEFINE_string("job_name", "worker", "One of ps and worker", flag_values=values)
    flags.DEFINE_integer("task_index", None, "Index of the task", values)
    flags.DEFINE_float(flag_name="learning_rate", default_value=1, docstring="Rate", flag_values=values)
    flags.DEFINE_boolean("sync_replicas", False, "Wait for all", flag_values=values)
    flags.DEFINE_bool("cache", True, "Keep data", flag_values=values)
    flags.DEFINE_list("ps_hosts", "a:1,b:2", "Hosts", flag_values=values)
    flags.DEFINE_enum("mode", "train", ["train", "eval"], "What to do", flag_values=values)
    flags.DEFINE_multi_string("note", None, "Notes", flag_values=values)
    flags.DEFINE_multi_integer("size", [1, 2], "Sizes", flag_values=values)
    return values


class Parsing(unittest.TestCase):
    def parse(self, *args):
        values = defined()
        self.rest = values._parse_flags(args=list(args))
        return values

    def test_defaults(self):
        with mock.patch.object(sys, "argv", ["program"]):
            values = defined()
            self.assertFalse(values.is_parsed())
            self.assertEqual(values.job_name, "worker")
            self.assertTrue(values.is_parsed())
        self.assertIsNone(values.task_index)
        self.assertEqual(repr(values.learning_rate), "1.0")
        self.assertIs(values.sync_replicas, False)
        self.assertEqual(values.ps_hosts, ["a:1", "b:2"])
        self.assertEqual(values.size, [1, 2])
        self.assertIsNone(values.note)

    def test_forms(self):
        values = self.parse(
            "--job_name=ps", "--task_index", "3", "-learning_rate", "-0.5", "--sync_replicas", "--nocache"
        )
        self.assertEqual(
            (values.job_name, values.task_index, values.learning_rate, values.sync_replicas, values.cache),
            ("ps", 3, -0.5, True, False),
        )
        values = self.parse(
            "--sync_replicas=True", "--cache", "false", "--mode", "eval", "--ps_hosts=x:1, y:2", "--job_name="
        )
        self.assertEqual((values.sync_replicas, values.cache, values.mode), (True, False, "eval"))
        self.assertEqual((values.ps_hosts, values.job_name), (["x:1", "y:2"], ""))
        values = self.parse("--note=a", "--note", "b", "--size=7", "--task_index=0x10")
        self.assertEqual((values.note, values.size, values.task_index), (["a", "b"], [7], 16))
        self.assertEqual(self.parse("--task", "4").task_index, 4)

    def test_other_arguments_are_left(self):
        values = self.parse("file", "--unknown=1", "-x", "--job_name", "ps", "--", "--task_index=3")
        self.assertEqual(values.job_name, "ps")
        self.assertIsNone(values.task_index)
        self.assertEqual(self.rest, ["file", "--unknown=1", "-x", "--task_index=3"])
        self.assertEqual(defined()(["program", "--job_name=ps", "rest"]), ["program", "rest"])

    def test_wrong_values_name_the_flag(self):
        for args, problem in [
            (["--task_index=a"], "--task_index.*'a'"),
            (["--learning_rate", "fast"], "--learning_rate.*'fast'"),
            (["--sync_replicas=maybe"], "--sync_replicas.*'maybe'"),
            (["--mode=test"], "--mode.*'test'.*train, eval"),
            (["--task_index"], "--task_index needs a value"),
            (["--task_index", "--job_name=ps"], "--task_index needs a value"),
            (["--nocache=1"], "nocache"),
        ]:
            with self.subTest(args), self.assertRaisesRegex(flags.IllegalFlagValueError, problem):
                self.parse(*args)

    def test_names_that_old_programs_reach_for(self):
        values = self.parse("--job_name=ps")
        self.assertEqual(values.__dict__["__flags"]["job_name"], "ps")
        self.assertEqual(dict(sorted(getattr(values, "__flags").items()))["job_name"], "ps")
        self.assertIs(getattr(values, "__parsed"), True)
        self.assertEqual(values.flag_values_dict()["job_name"], "ps")
        self.assertEqual(values["job_name"].value, "ps")
        self.assertTrue(values["job_name"].present)
        self.assertFalse(values["task_index"].present)
        self.assertIn("mode", values)
        self.assertEqual(len(list(values)), 9)

    def test_assignment(self):
        values = self.parse("--job_name=ps")
        values.job_name = "other"
        values.new = 3
        # A definition after parsing is found at the next access; what was assigned stays.
        flags.DEFINE_string("late", "l", "Late", flag_values=values)
        self.assertEqual((values.late, values.job_name, values.new), ("l", "other", 3))
        del values.late
        with self.assertRaisesRegex(AttributeError, "'late'.*job_name"):
            values.late
        values.set_default("mode", "eval")
        self.assertEqual(values.mode, "eval")

    def test_late_flags_are_looked_for_in_the_same_arguments(self):
        values = self.parse("--late=7")
        flags.DEFINE_integer("late", 1, "Late", flag_values=values)
        self.assertEqual(values.late, 7)

    def test_two_definitions(self):
        values = defined()
        flags.DEFINE_string("job_name", "worker", "Again", flag_values=values)
        with self.assertRaisesRegex(flags.DuplicateFlagError, "job_name.*'worker'.*'ps'"):
            flags.DEFINE_string("job_name", "ps", "Otherwise", flag_values=values)
        with self.assertRaises(TypeError):
            flags.DEFINE_string("x", flag_values=values)
        with self.assertRaisesRegex(TypeError, "nonsense"):
            flags.DEFINE_string("x", "", "", nonsense=1, flag_values=values)

    def test_required(self):
        values = defined()
        flags.mark_flag_as_required("task_index", values)
        with self.assertRaisesRegex(flags.IllegalFlagValueError, "task_index"):
            values._parse_flags(args=[])
        values._parse_flags(args=["--task_index=0"])
        self.assertEqual(values.task_index, 0)
        with self.assertRaises(flags.UnrecognizedFlagError):
            flags.mark_flag_as_required("none", values)
        bounded = flags.FlagValues()
        flags.DEFINE_integer("n", 1, "", bounded, lower_bound=0, required=True)
        with self.assertRaisesRegex(flags.IllegalFlagValueError, "from 0 to inf"):
            bounded._parse_flags(args=["--n=-1"])

    def test_help(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), self.assertRaises(SystemExit) as ended:
            self.parse("--help")
        self.assertEqual(ended.exception.code, 0)
        self.assertIn("--job_name: One of ps and worker", printed.getvalue())
        self.assertIn("--[no]sync_replicas", printed.getvalue())


class Run(unittest.TestCase):
    def script(self, text, *args):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "script.py")
            path.write_text(textwrap.dedent(text))
            return subprocess.run([sys.executable, path, *args], capture_output=True, text=True, timeout=60)

    PROGRAM = """
        from tensorfleet.v1 import app, flags
        flags.DEFINE_integer("task_index", 0, "Index")
        FLAGS = flags.FLAGS
        def main(argv):
            print(FLAGS.task_index, argv[1:])
            return 3
        if __name__ == "__main__":
            app.run()
    """

    def test_finds_main_and_exits_with_its_result(self):
        done = self.script(self.PROGRAM, "--task_index=5", "other", "--more")
        self.assertEqual((done.stdout, done.returncode), ("5 ['other', '--more']\n", 3), done.stderr)

    def test_wrong_flag(self):
        done = self.script(self.PROGRAM, "--task_index=x")
        self.assertEqual(done.returncode, 2)
        self.assertIn("flag --task_index cannot be 'x'", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_given_main_and_arguments(self):
        with self.assertRaises(SystemExit) as ended:
            app.run(main=lambda argv: argv, argv=["p", "a", "b"])
        self.assertEqual(ended.exception.code, ["p", "a", "b"])


class Logging(unittest.TestCase):
    def lines(self, work):
        printed = io.StringIO()
        root, before = python_logging.getLogger(), logging.get_verbosity()
        handlers, root.handlers = root.handlers, []
        try:
            with contextlib.redirect_stderr(printed):
                work()
        finally:
            root.handlers = handlers
            logging.set_verbosity(before)
        return printed.getvalue().splitlines()

    def test_levels(self):
        levels = (logging.DEBUG, logging.INFO, logging.WARN, logging.ERROR, logging.FATAL)
        self.assertEqual(levels, (10, 20, 30, 40, 50))

        def work():
            logging.info("not shown")
            logging.warn("step %d", 3)
            logging.set_verbosity(logging.INFO)
            self.assertEqual(logging.get_verbosity(), logging.INFO)
            logging.info("100%")
            logging.debug("not shown")
            logging.error("e")
            logging.fatal("f")
            logging.log(logging.INFO, "l %s", 1)
            logging.log_if(logging.INFO, "yes", True)
            logging.log_if(logging.INFO, "no", False)
            logging.vlog(1, "not shown")
            logging.flush()

        shown = ["WARNING:step 3", "INFO:100%", "ERROR:e", "CRITICAL:f", "INFO:l 1", "INFO:yes"]
        self.assertEqual(self.lines(work), [line.replace(":", ":tensorflow:", 1) for line in shown])

    def test_counted(self):
        def work():
            for i in range(5):
                logging.log_first_n(logging.WARN, "first %d", 2, i)
                logging.log_every_n(logging.WARN, "every %d", 3, i)

        shown = ["first 0", "every 0", "first 1", "every 3"]
        self.assertEqual(self.lines(work), [f"WARNING:tensorflow:{line}" for line in shown])

    def test_logging_of_the_program_comes_first(self):
        with self.assertLogs(level="WARNING") as caught:
            logging.warning("once")
        self.assertEqual(caught.records[0].funcName, "test_logging_of_the_program_comes_first")


if __name__ == "__main__":
    unittest.main()
