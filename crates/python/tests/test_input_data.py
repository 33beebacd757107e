"""MNIST: reading, batches as TensorFlow 1.x makes them, where files are looked for, and the download."""

import contextlib
import gzip
import hashlib
import http.server
import io
import os
import struct
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock
from urllib.error import URLError


import numpy as np

from tensorfleet.v1.examples.tutorials.mnist import _mnist_files, input_data

FILES = (input_data.TRAIN_IMAGES, input_data.TRAIN_LABELS, input_data.TEST_IMAGES, input_data.TEST_LABELS)


def idx(values):
    """Values as a file of the database, not compressed."""
    return struct.pack(f">{1 + values.ndim}I", 2048 + values.ndim, *values.shape) + values.astype(np.uint8).tobytes()


def small_database(train=20, test=6, rows=2, columns=3):
    """Files of a database with few small images, by name."""
    contents = {}
    for images, labels, count in ((FILES[0], FILES[1], train), (FILES[2], FILES[3], test)):
        contents[images] = idx(np.arange(count * rows * columns).reshape(count, rows, columns) % 256)
        contents[labels] = idx(np.arange(count) % 10)
    return contents


class WithFolders(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.home = self.folder / "home"
        self.enterContext(mock.patch.dict(os.environ, {"HOME": str(self.home)}))
        os.environ.pop("TENSORFLEET_MNIST", None)
        self.contents = small_database()
        self.enterContext(contextlib.redirect_stdout(io.StringIO()))

    def fill(self, name, compress=True):
        folder = self.folder / name
        folder.mkdir(parents=True)
        for file, data in self.contents.items():
            (folder / file).write_bytes(gzip.compress(data) if compress else data)
        return folder


class Reading(WithFolders):
    def test_parts(self):
        data = input_data.read_data_sets(self.fill("d"), validation_size=5)
        self.assertEqual((data.train.num_examples, data.validation.num_examples, data.test.num_examples), (15, 5, 6))
        self.assertEqual((data.train.images.shape, data.train.images.dtype), ((15, 6), np.float32))
        # The first training image is the sixth of the file.
        expected = (np.arange(30, 36).astype(np.float32) * np.float32(1 / 255)).tolist()
        self.assertEqual(data.train.images[0].tolist(), expected)
        self.assertEqual(data.validation.labels.tolist(), [0, 1, 2, 3, 4])

    def test_options(self):
        data = input_data.read_data_sets(
            str(self.fill("d")), one_hot=True, dtype=np.uint8, reshape=False, validation_size=0, seed=1
        )
        self.assertEqual((data.train.images.shape, data.train.images.dtype), ((20, 2, 3, 1), np.uint8))
        self.assertEqual((data.train.labels.shape, data.train.labels.dtype), ((20, 10), np.float64))
        self.assertEqual(data.train.labels[3].tolist(), [0, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        with self.assertRaisesRegex(ValueError, "validation_size is 21"):
            input_data.read_data_sets(self.folder / "d", validation_size=21)
        with self.assertRaisesRegex(TypeError, "float64"):
            input_data.read_data_sets(self.folder / "d", dtype=np.float64, validation_size=0)

    def test_fake_data(self):
        data = input_data.read_data_sets("nowhere", fake_data=True, one_hot=True)
        images, labels = data.train.next_batch(2)
        self.assertEqual((len(images), len(images[0]), labels[0]), (2, 784, [1] + [0] * 9))
        self.assertEqual(data.test.num_examples, 10000)

    def test_damaged_files(self):
        folder = self.fill("d")
        good = (folder / FILES[0]).read_bytes()
        for data, problem in [
            (good[:-20], "damaged"),
            (b"", "too short"),
            (idx(np.zeros(30)), "kind 2049"),
            (self.contents[FILES[0]][:-1], "119 bytes"),
        ]:
            (folder / FILES[0]).write_bytes(data)
            with self.subTest(problem), self.assertRaisesRegex(ValueError, f"{FILES[0]}.*{problem}"):
                input_data.read_data_sets(folder)


class Batches(unittest.TestCase):
    def data_set(self, count=10, **options):
        images = np.arange(count * 4, dtype=np.uint8).reshape(count, 2, 2, 1)
        return input_data.DataSet(images, np.arange(count), dtype=np.uint8, **options)

    def test_order_of_file_without_shuffling(self):
        data = self.data_set()
        batches = [data.next_batch(4, shuffle=False)[1].tolist() for _ in range(3)]
        self.assertEqual(batches, [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 0, 1]])
        self.assertEqual(data.epochs_completed, 1)

    def test_shuffled_by_numpy(self):
        # The order by the rule: a shuffle before the first batch, another of the result after each epoch.
        np.random.seed(5)
        expected, order = [], np.arange(10)
        for _ in range(4):
            places = np.arange(10)
            np.random.shuffle(places)
            order = order[places]
            expected.extend(order.tolist())
        data = self.data_set(seed=5)
        labels, epochs = [], []
        for _ in range(11):
            images, batch = data.next_batch(3)
            self.assertEqual(images[:, 0].tolist(), (batch * 4).tolist())
            labels.extend(batch.tolist())
            epochs.append(data.epochs_completed)
        self.assertEqual(labels, expected[:33])
        self.assertEqual(epochs, [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3])

    def test_batches_that_end_with_the_epoch(self):
        data = self.data_set()
        for done in (0, 0, 1, 1, 2):
            self.assertEqual(len(data.next_batch(5)[0]), 5)
            self.assertEqual(data.epochs_completed, done)

    def test_batches_larger_than_the_data(self):
        data = self.data_set()
        labels = data.next_batch(25, shuffle=False)[1]
        self.assertEqual(labels.tolist(), [*range(10), *range(10), *range(5)])
        self.assertEqual(data.epochs_completed, 2)
        with self.assertRaisesRegex(ValueError, "-1"):
            data.next_batch(-1)

    def test_batches_are_copies(self):
        data = self.data_set()
        data.next_batch(4, shuffle=False)[0][:] = 77
        self.assertEqual(data.images[0].tolist(), [0, 1, 2, 3])

    def test_more_labels_than_images(self):
        with self.assertRaisesRegex(ValueError, "2 images but 3 labels"):
            input_data.DataSet(np.zeros((2, 2, 2, 1)), np.zeros(3))


class Places(WithFolders):
    def test_folder_then_variable_then_cache(self):
        find = lambda: os.path.dirname(_mnist_files.find_or_download(FILES[0], self.folder / "d"))
        cache = self.fill("home/.cache/tensorfleet/mnist")
        self.assertEqual(find(), str(cache))
        os.environ["TENSORFLEET_MNIST"] = str(self.fill("v", compress=False))
        with mock.patch.object(_mnist_files, "_download", side_effect=AssertionError):
            (self.folder / "v" / FILES[0]).rename(self.folder / "v" / FILES[0].removesuffix(".gz"))
            self.assertEqual(find(), str(self.folder / "v"))
        self.fill("d")
        self.assertEqual(find(), str(self.folder / "d"))

    def test_another_database_is_not_taken_from_the_cache(self):
        self.fill("home/.cache/tensorfleet/mnist")
        with mock.patch.object(_mnist_files, "_download") as download:
            _mnist_files.find_or_download(FILES[0], self.folder / "d", "http://fashion.example/")
        download.assert_called_once_with(f"http://fashion.example/{FILES[0]}", str(self.folder / "d" / FILES[0]), None)

    def test_no_network(self):
        with mock.patch("urllib.request.urlopen", side_effect=URLError("no network")):
            with self.assertRaises(OSError) as raised:
                input_data.read_data_sets(self.folder / "d")
        for part in (FILES[0], str(self.folder / "d"), "TENSORFLEET_MNIST", ".cache", "no network"):
            self.assertIn(part, str(raised.exception))


class Download(WithFolders):
    def setUp(self):
        super().setUp()
        self.served = {name: gzip.compress(data) for name, data in self.contents.items()}
        self.claimed_length = None
        test = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                data = test.served.get(self.path.rpartition("/")[2])
                if data is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(test.claimed_length or len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        # The address has the name of a place of the database, so that digests are compared.
        self.url = f"http://127.0.0.1:{server.server_port}/cvdf-datasets/mnist/"
        digests = {name: hashlib.sha256(data).hexdigest() for name, data in self.contents.items()}
        self.enterContext(mock.patch.object(_mnist_files, "_DIGESTS", digests))
        self.enterContext(mock.patch.dict(os.environ, {"no_proxy": "127.0.0.1"}))

    def names(self):
        return sorted(path.name for path in (self.folder / "d").iterdir())

    def test_all_files_come(self):
        data = input_data.read_data_sets(self.folder / "d", validation_size=0, source_url=self.url)
        self.assertEqual(data.train.num_examples, 20)
        self.assertEqual(self.names(), sorted(FILES))
        # The second time nothing is fetched.
        self.served.clear()
        again = input_data.read_data_sets(self.folder / "d", validation_size=0, source_url=self.url)
        self.assertEqual(again.test.num_examples, 6)

    def test_other_content_is_refused(self):
        for data in (gzip.compress(self.contents[FILES[1]]), b"<html>not found</html>"):
            self.served[FILES[0]] = data
            with self.assertRaisesRegex(ValueError, f"is not {FILES[0]}"):
                input_data.read_data_sets(self.folder / "d", source_url=self.url)
            self.assertEqual(self.names(), [])

    def test_broken_off(self):
        self.claimed_length = 100_000
        with self.assertRaisesRegex(OSError, "of 100000 bytes.*TENSORFLEET_MNIST"):
            input_data.read_data_sets(self.folder / "d", source_url=self.url)
        self.assertEqual(self.names(), [])

    def test_missing(self):
        self.served.clear()
        with self.assertRaisesRegex(OSError, "404"):
            input_data.read_data_sets(self.folder / "d", source_url=self.url)
        self.assertEqual(self.names(), [])


class TheDatabase(unittest.TestCase):
    def test_digests_and_sizes(self):
        folder = os.environ.get("TENSORFLEET_MNIST") or Path(__file__).resolve().parents[3] / "data" / "mnist"
        if not Path(folder, FILES[0]).is_file():
            self.skipTest(f"the database is not in {folder}, and TENSORFLEET_MNIST does not say where it is")
        for name, digest in _mnist_files._DIGESTS.items():
            data = gzip.decompress(Path(folder, name).read_bytes())
            self.assertEqual(hashlib.sha256(data).hexdigest(), digest, name)
        with contextlib.redirect_stdout(io.StringIO()):
            data = input_data.read_data_sets(folder)
        self.assertEqual([part.num_examples for part in data], [55000, 5000, 10000])
        self.assertEqual(data.test.labels[:5].tolist(), [7, 2, 1, 0, 4])


if __name__ == "__main__":
    unittest.main()
