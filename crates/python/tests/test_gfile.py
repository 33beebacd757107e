"""`tf.gfile` and `tf.compat`."""

import os
import pathlib
import tempfile
import unittest
from pathlib import Path


import numpy as np

from tensorfleet._framework import errors
from tensorfleet.v1 import compat, gfile


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def write(self, path, text=""):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")


class Files(InFolder):
    def test_write_and_read(self):
        with gfile.GFile("f", "w") as file:
            file.write("é\nb\n")
            file.write(b"c")
            self.assertEqual((file.tell(), file.size()), (6, 6))
        with gfile.Open("f", "a") as file:
            file.write("x")
        self.assertEqual(gfile.GFile("f").read(), "é\nb\ncx")
        self.assertEqual(gfile.FastGFile("f", "rb").read(), "é\nb\ncx".encode())
        self.assertEqual(gfile.GFile("f").readlines(), ["é\n", "b\n", "cx"])
        self.assertEqual(list(gfile.GFile("f", "rb")), [b"\xc3\xa9\n", b"b\n", b"cx"])
        self.assertEqual(gfile.GFile("f").read(1), "é")

    def test_positions_are_bytes(self):
        self.write("f", "é\nb\n")
        with gfile.GFile("f", mode="r") as file:
            self.assertEqual((file.readline(), file.tell()), ("é\n", 3))
            file.seek(0)
            self.assertEqual(file.readline(), "é\n")
            file.seek(position=3)
            self.assertEqual([file.readline(), file.readline(), file.readline()], ["b\n", "", ""])
            file.seek(-2, whence=2)
            self.assertEqual(file.read(), "b\n")
            with self.assertRaises(errors.InvalidArgumentError):
                file.seek(0, whence=9)

    def test_opened_when_needed(self):
        gfile.GFile("unused", "w").close()
        self.assertFalse(gfile.Exists("unused"))
        with self.assertRaisesRegex(errors.NotFoundError, "none; No such file"):
            gfile.GFile("none").read()
        with self.assertRaises(errors.NotFoundError):
            gfile.GFile("none/f", "w").write("x")
        with self.assertRaises(errors.FailedPreconditionError):
            gfile.GFile(".").read()
        with self.assertRaisesRegex(errors.InvalidArgumentError, "'q'"):
            gfile.GFile("f", "q")
        with self.assertRaisesRegex(errors.PermissionDeniedError, "f is not open for reading"):
            gfile.GFile("f", "w").read()
        with self.assertRaises(errors.PermissionDeniedError):
            gfile.GFile("f", "r").write("x")
        with self.assertRaises(TypeError):
            gfile.GFile("f", "w").write(3)

    def test_both_ways(self):
        with gfile.GFile("f", "w+") as file:
            file.write("abc")
            file.seek(1)
            self.assertEqual(file.read(), "bc")


class Folders(InFolder):
    def test_make_list_and_remove(self):
        gfile.MakeDirs("m/n/o")
        gfile.MakeDirs("m/n/o")
        gfile.MkDir("m")
        self.write("m/f")
        self.assertEqual(gfile.ListDirectory("m"), ["f", "n"])
        self.assertTrue(gfile.IsDirectory("m"))
        self.assertFalse(gfile.IsDirectory("m/f"))
        self.assertEqual(
            (gfile.Exists("m"), gfile.Exists(b"m/f"), gfile.Exists(pathlib.Path("x"))), (True, True, False)
        )
        self.assertEqual(list(gfile.Walk("m")), [("m", ["n"], ["f"]), ("m/n", ["o"], []), ("m/n/o", [], [])])
        self.assertEqual([path for path, _, _ in gfile.Walk("m", in_order=False)], ["m/n/o", "m/n", "m"])
        self.assertEqual(list(gfile.Walk("none")), [])
        for error, work in [
            (errors.NotFoundError, lambda: gfile.MkDir("none/x")),
            (errors.FailedPreconditionError, lambda: gfile.MakeDirs("m/f/x")),
            (errors.FailedPreconditionError, lambda: gfile.MakeDirs("m/f")),
            (errors.NotFoundError, lambda: gfile.ListDirectory("none")),
            (errors.NotFoundError, lambda: gfile.Remove("none")),
            (errors.FailedPreconditionError, lambda: gfile.Remove("m")),
            (errors.NotFoundError, lambda: gfile.DeleteRecursively("none")),
            (errors.NotFoundError, lambda: gfile.Stat("none")),
        ]:
            with self.assertRaises(error):
                work()
        gfile.Remove("m/f")
        gfile.DeleteRecursively("m")
        self.assertFalse(gfile.Exists("m"))

    def test_glob(self):
        for path in ("m/f1", "m/f2", "m/g", "w", ".h"):
            self.write(path)
        self.assertEqual(gfile.Glob("m/f*"), ["m/f1", "m/f2"])
        self.assertEqual(gfile.Glob(["m/[g-h]", "w"]), ["m/g", "w"])
        self.assertEqual(gfile.Glob("*"), ["./.h", "./m", "./w"])
        self.assertEqual(gfile.Glob("*/g"), ["./m/g"])
        self.assertEqual(gfile.Glob("none/*"), [])

    def test_copy_and_rename(self):
        self.write("a", "1")
        self.write("b", "2")
        gfile.Copy("a", "c")
        with self.assertRaises(errors.AlreadyExistsError):
            gfile.Copy("a", "b")
        gfile.Copy("a", "b", overwrite=True)
        self.assertEqual(gfile.GFile("b").read(), "1")
        with self.assertRaises(errors.AlreadyExistsError):
            gfile.Rename("a", "b")
        gfile.Rename("a", "b", overwrite=True)
        gfile.Rename("b", "d")
        self.assertEqual(gfile.ListDirectory("."), ["c", "d"])
        with self.assertRaisesRegex(errors.NotFoundError, "none"):
            gfile.Copy("none", "x")
        with self.assertRaisesRegex(errors.NotFoundError, "none"):
            gfile.Rename("none", "x")

    def test_stat(self):
        self.write("f", "abc")
        status = gfile.Stat("f")
        self.assertEqual((status.length, status.is_directory), (3, False))
        self.assertEqual(status.mtime_nsec, os.stat("f").st_mtime_ns)
        self.assertTrue(gfile.Stat(".").is_directory)


class Compat(unittest.TestCase):
    def test_strings(self):
        self.assertEqual([compat.as_bytes(text) for text in ("é", b"a", bytearray(b"q"))], [b"\xc3\xa9", b"a", b"q"])
        self.assertEqual((compat.as_text(b"\xc3\xa9"), compat.as_str("a"), compat.as_str_any(3)), ("é", "a", "3"))
        self.assertEqual(compat.path_to_str(pathlib.PurePosixPath("a/b")), "a/b")
        for function in (compat.as_bytes, compat.as_text):
            with self.assertRaisesRegex(TypeError, "got 3"):
                function(3)

    def test_numbers(self):
        self.assertIsInstance(np.int32(1), compat.integral_types)
        self.assertIsInstance(np.float32(1), compat.real_types)
        self.assertIsInstance(1j, compat.complex_types)
        self.assertNotIsInstance(1.5, compat.integral_types)
        self.assertTrue(compat.forward_compatible(2019, 1, 1))


if __name__ == "__main__":
    unittest.main()
