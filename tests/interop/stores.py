"""Paths in stores: a real S3 server (moto), a web server, ps that share no place with the chief, and TensorFlow's client.

usage: stores.py PATH_OF_TENSORFLEET_BINARY PATH_OF_THE_EXAMPLE_against_server PYTHON_WITH_MOTO [CASE..]
"""

import contextlib
import functools
import http.client
import http.server
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import numpy as np

from blobs import serving_blobs
from checks import run_cases
from server import serving, start, tf

v1 = tf.compat.v1
BINARY, AGAINST_SERVER, PYTHON_WITH_MOTO = map(os.path.abspath, sys.argv[1:4])
SECRET = "a-secret-that-nobody-may-see"
HERE = tempfile.TemporaryDirectory(prefix="tensorfleet-stores-")
# Nothing of the machine's own accounts, and nobody beyond loopback.
for name in [name for name in os.environ if name.startswith(("AWS_", "GOOGLE_", "AZURE_"))]:
    del os.environ[name]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def s3_server():
    """Runs moto on loopback with the bucket `bucket`, and tells the environment."""
    port = free_port()
    command = "from moto.server import main; import sys; main(sys.argv[1:])"
    process = start([PYTHON_WITH_MOTO, "-c", command, "-H", "127.0.0.1", "-p", str(port)], stderr=subprocess.DEVNULL)
    endpoint = f"http://127.0.0.1:{port}"
    os.environ.update(
        AWS_ACCESS_KEY_ID="somebody", AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION="us-east-1", AWS_ENDPOINT_URL=endpoint)
    try:
        for _ in range(600):
            try:
                request = urllib.request.Request(f"{endpoint}/bucket", method="PUT")
                urllib.request.urlopen(request, timeout=5).close()
                break
            except OSError:
                assert process.poll() is None, "moto ended"
                threading.Event().wait(0.1)
        yield endpoint
    finally:
        process.terminate()
        process.wait(10)


def run(*command, code=0, timeout=120, **environment):
    environment = {name: value for name, value in {**os.environ, **environment}.items() if value is not None}
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment)
    assert done.returncode == code, (command, done.returncode, done.stdout, done.stderr)
    assert SECRET not in done.stdout + done.stderr
    return done.stdout


def tensorfleet(*arguments, **options):
    return run(BINARY, *arguments, **options)


def formats():
    """Every format, in a store: parts, lists, replaced files."""
    run(AGAINST_SERVER, "all", "s3://bucket/formats")
    with s3_uploads() as pending:
        assert not pending, pending


@contextlib.contextmanager
def s3_uploads():
    """The uploads that were begun and not ended, which the server keeps."""
    with urllib.request.urlopen(os.environ["AWS_ENDPOINT_URL"] + "/bucket?uploads", timeout=10) as answer:
        yield [line for line in answer.read().decode().split("<") if line.startswith("Key>")]


class Relay(http.server.BaseHTTPRequestHandler):
    """Passes on to the server of S3 what is said in Google's words for the same things."""

    protocol_version = "HTTP/1.1"

    def relay(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        words = {name.lower().replace("x-goog-", "x-amz-"): value for name, value in self.headers.items()}
        for own in ("host", "connection"):
            words.pop(own, None)
        # The server wants to be told who asks, and believes it.
        words["authorization"] = "AWS4-HMAC-SHA256 Credential=somebody/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
        other = http.client.HTTPConnection(os.environ["AWS_ENDPOINT_URL"].removeprefix("http://"), timeout=30)
        with contextlib.closing(other):
            other.request(self.command, self.path, body, words)
            answer = other.getresponse()
            content = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "content-length", "date", "server", "transfer-encoding"):
                self.send_header(name, value)
        length = answer.getheader("Content-Length") if self.command == "HEAD" else len(content)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = relay

    def log_message(self, *_):
        pass


def google():
    """`gs://` speaks to the same server, as to an emulator."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Relay)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    run(AGAINST_SERVER, "all", "gs://bucket/google", STORAGE_EMULATOR_HOST=f"127.0.0.1:{server.server_address[1]}")
    server.shutdown()


def azure():
    """`az://` speaks to a few lines of our own, which know what blobs are."""
    run(AGAINST_SERVER, "all", "az://container/azure", **serving_blobs())


def errors():
    """What is missing, forbidden or away is an error with a code, soon, and without secrets."""
    fail = functools.partial(run, AGAINST_SERVER, "fail")
    said = fail("s3://bucket/none")
    assert said.startswith("NOT_FOUND: Unsuccessful TensorSliceReader constructor"), said
    said = fail("s3://no-such-bucket/model")
    assert said.startswith("NOT_FOUND: "), said
    said = fail("s3://bucket/x", AWS_ENDPOINT_URL=f"http://127.0.0.1:{free_port()}")
    assert said.startswith("UNAVAILABLE: s3://bucket/x.index: ") and "refused" in said, said
    nobody = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None, "AWS_METADATA_ENDPOINT": f"http://127.0.0.1:{free_port()}"}
    said = fail("s3://bucket/x", **nobody)
    assert said.startswith(("UNAVAILABLE: s3://bucket/x.index: ", "UNAUTHENTICATED: s3://bucket/x.index: ")), said
    assert fail("hdfs://x/y").startswith("UNIMPLEMENTED: hdfs://x/y.index: File system scheme 'hdfs' not implemented")
    assert fail("https://me:password@host/x").startswith("INVALID_ARGUMENT: ")
    said = run(BINARY, "ckpt", "ls", "s3://no-such-bucket/run", code=1)
    return said.strip()


def without_authorities():
    """A machine that knows no authority's certificate, as an image that has nothing but the program: only TLS needs one."""
    nothing = {"SSL_CERT_FILE": os.devnull, "SSL_CERT_DIR": "/nowhere"}
    run(AGAINST_SERVER, "all", "s3://bucket/plain", **nothing)
    said = run(AGAINST_SERVER, "fail", "https://127.0.0.1:1/x", **nothing)
    assert said.startswith("FAILED_PRECONDITION: ") and "SSL_CERT_FILE" in said, said


def train_and_look():
    """`train --logdir s3://` goes on where it was; `ckpt` and the event files read it."""
    logdir = "s3://bucket/runs/softmax"
    train = functools.partial(
        tensorfleet, "train", "--model", "softmax", "--ps", "2", "--workers", "1", "--logdir", logdir, TMPDIR=HERE.name)
    out = train("--steps", "30")
    assert f"checkpoint: {logdir}/model.ckpt-3" in out, out
    earlier = out.split("checkpoint: ")[1].split()[0]
    out = train("--steps", "60")
    assert f"checkpoint: {logdir}/model.ckpt-6" in out, out
    listed = json.loads(tensorfleet("ckpt", "ls", logdir, "--json"))
    assert len(listed["checkpoints"] if isinstance(listed, dict) else listed) >= 2, listed
    shown = tensorfleet("ckpt", "show", logdir)
    assert "global_step" in shown, shown
    tensorfleet("ckpt", "verify", logdir)
    copy = os.path.join(HERE.name, "copy", "model")
    newest = out.split("checkpoint: ")[1].split()[0]
    tensorfleet("ckpt", "convert", newest, "--to", "v2", "--out", copy)
    tensorfleet("ckpt", "convert", copy, "--to", "v2", "--out", "s3://bucket/copies/model")
    assert json.loads(tensorfleet("ckpt", "diff", newest, "s3://bucket/copies/model", "--json")) == []
    differing = json.loads(tensorfleet("ckpt", "diff", earlier, "s3://bucket/copies/model", "--json", code=1))
    assert "global_step" in [tensor["name"] for tensor in differing], differing
    reader = tf.train.load_checkpoint(copy)
    assert reader.get_tensor("global_step") >= 60


def tensorflow_client():
    """Ops of TensorFlow's client on a server of ours: files, patterns, records, checkpoints; within file roots."""
    with serving(BINARY, "--file_root", "s3://bucket/ops") as target, tf.Graph().as_default():
        write = tf.io.write_file("s3://bucket/ops/a/hello", "hi")
        read, found = tf.io.read_file("s3://bucket/ops/a/hello"), tf.io.matching_files("s3://bucket/ops/*/h?llo")
        outside = [tf.io.read_file(path) for path in ("s3://bucket/formats/x", "/etc/passwd", "s3://bucket/ops/../x", "http://127.0.0.1/x")]
        missing = tf.io.read_file("s3://bucket/ops/missing")
        w = v1.get_variable("w", initializer=np.arange(12, dtype=np.float32).reshape(3, 4))
        clear, saver = w.assign(tf.zeros([3, 4])), v1.train.Saver([w], sharded=True)
        names = saver.saver_def
        with v1.Session(target) as session:
            session.run(write)
            assert session.run(read) == b"hi"
            assert session.run(found).tolist() == [b"s3://bucket/ops/a/hello"]
            for refused in outside:
                try:
                    session.run(refused)
                    raise AssertionError(refused.name)
                except tf.errors.PermissionDeniedError as error:
                    assert "s3://bucket/ops" in error.message, error.message
            try:
                session.run(missing)
                raise AssertionError("missing")
            except tf.errors.NotFoundError as error:
                assert "\ns3://bucket/ops/missing; " in error.message, error.message
            session.run(w.initializer)
            prefix = "s3://bucket/ops/model/m-1"
            assert session.run(names.save_tensor_name, {names.filename_tensor_name: prefix}).decode() == prefix
            session.run(clear)
            session.run(names.restore_op_name, {names.filename_tensor_name: prefix})
            assert session.run(w).tolist() == np.arange(12).reshape(3, 4).tolist()


def stores_away():
    """Steps whose store refuses or never answers: they end by themselves or by the client's deadline, and the server goes on."""
    def fetch(session, op, **options):
        begin = time.monotonic()
        try:
            session.run(op, options=v1.RunOptions(**options))
            raise AssertionError(op.name)
        except tf.errors.OpError as error:
            assert SECRET not in error.message, error.message
            return type(error), time.monotonic() - begin

    with socket.socket() as silent, tf.Graph().as_default():
        # Connections come about, and nobody ever takes them.
        silent.bind(("127.0.0.1", 0))
        silent.listen(64)
        hanging = f"http://127.0.0.1:{silent.getsockname()[1]}"
        away = tf.io.read_file("s3://bucket/x")
        hangs = [tf.io.read_file(f"{hanging}/x"), tf.io.matching_files("az://container/*"), tf.io.write_file("az://container/x", "x")]
        environment = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{free_port()}", "AZURE_STORAGE_ENDPOINT": hanging,
                       "AZURE_STORAGE_ACCOUNT_NAME": "account", "AZURE_STORAGE_ACCOUNT_KEY": "YWJj"}
        with changed(environment), serving(BINARY) as target, v1.Session(target) as session:
            kind, seconds = fetch(session, away)
            assert kind is tf.errors.UnavailableError and seconds < 30, (kind, seconds)
            for op in hangs:
                kind, seconds = fetch(session, op, timeout_in_ms=500)
                # What the op says of its end may come before what the step says.
                ended = kind in (tf.errors.DeadlineExceededError, tf.errors.CancelledError)
                assert ended and seconds < 10, (op.name, kind, seconds)
            assert session.run(tf.constant(7)) == 7


@contextlib.contextmanager
def changed(environment):
    before = {name: os.environ.get(name) for name in environment}
    os.environ.update(environment)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


class Web(http.server.SimpleHTTPRequestHandler):
    """Files of a folder; gives parts of them only if `parts` is set."""

    parts = True

    def do_GET(self):
        path, asked = self.translate_path(self.path), self.headers.get("Range")
        if not (self.parts and asked and os.path.isfile(path)):
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                super().do_GET()
            return
        content = open(path, "rb").read()
        first, last = (int(number) for number in asked.removeprefix("bytes=").split("-"))
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.end_headers()
        self.wfile.write(content[first : last + 1])

    def log_message(self, *_):
        pass


def web_servers():
    """Reading from web servers, also such as give no parts of a file, and refusing to write."""
    folder = os.path.join(HERE.name, "web")
    os.makedirs(os.path.join(folder, "deep er"))
    with tf.io.TFRecordWriter(os.path.join(folder, "deep er", "records")) as writer:
        for number in range(1000):
            writer.write(f"record {number}".encode() * 100)
    v = {"w": np.arange(1 << 18, dtype=np.float32)}
    np.savez(os.path.join(folder, "w.npz"), **v)
    tensorfleet("ckpt", "from-npz", os.path.join(folder, "w.npz"), os.path.join(folder, "model"))
    for parts in (True, False):
        handler = functools.partial(type("Handler", (Web,), {"parts": parts}), directory=folder)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        lines = run(AGAINST_SERVER, "read", f"{url}/deep%20er/records").splitlines()
        assert len(lines) == 1000 and lines[7] == "record 7" * 100
        tensorfleet("ckpt", "verify", f"{url}/model")
        said = run(AGAINST_SERVER, "fail", f"{url}/none")
        assert said.startswith("NOT_FOUND: "), said
        run(BINARY, "ckpt", "convert", f"{url}/model", "--to", "v2", "--out", f"{url}/copy", code=1)
        server.shutdown()


def through_the_chief():
    """`train --save_through_chief`: the chief writes and reads every checkpoint, and TensorFlow reads them."""
    logdir = os.path.join(HERE.name, "through")
    train = functools.partial(
        tensorfleet, "train", "--model", "mlp", "--ps", "2", "--workers", "2", "--save_through_chief", "--logdir", logdir)
    for steps in (40, 80):
        newest = train("--steps", str(steps)).split("checkpoint: ")[1].split()[0]
        tensorfleet("ckpt", "verify", newest)
        assert tf.train.load_checkpoint(newest).get_tensor("global_step") >= steps


def the_page():
    """The commands of docs/storage.md, with another place for what they leave on the disk and fewer steps."""
    page = pathlib.Path(__file__).resolve().parents[2].joinpath("docs", "storage.md").read_text()
    blocks = [block.split("```")[0] for block in page.split("```sh\n")[1:]]
    assert len(blocks) == 2, blocks
    lines = [line for block in blocks for line in block.splitlines()]
    os.makedirs(os.path.join(HERE.name, "page"))
    path, count = f"{os.path.dirname(BINARY)}:{os.environ['PATH']}", 0
    with serving(BINARY) as target:
        for line in lines:
            line = line.replace("/tmp/", f"{HERE.name}/page/").replace("localhost:2222", target.removeprefix("grpc://"))
            if line.startswith("export "):
                # The names are the page's, what they are is the test's.
                assert {word.split("=")[0] for word in line.split()[1:]} <= set(os.environ), line
                continue
            assert line.startswith("tensorfleet "), line
            if line.startswith("tensorfleet train "):
                line += " --steps 40"
            if line.startswith("tensorfleet dashboard "):
                serves_a_page(line, path)
            else:
                run("bash", "-c", line, TMPDIR=HERE.name, PATH=path)
            count += 1
    assert count == 6, lines


def serves_a_page(line, path):
    process = start(["bash", "-c", f"exec {line}"], env=os.environ | {"PATH": path})
    try:
        told = next(text for text in process.stdout if "http://" in text)
        with urllib.request.urlopen("http://" + told.split("http://")[1].split("#")[0].strip(), timeout=20) as answer:
            assert answer.status == 200 and b"<html" in answer.read().lower()
    finally:
        process.terminate()
        process.wait(20)


CASES = [formats, google, azure, errors, without_authorities, train_and_look, tensorflow_client, stores_away, web_servers, through_the_chief, the_page]

if __name__ == "__main__":
    with s3_server():
        run_cases("stores.py", [(case.__doc__.split(":")[0].split(".")[0], case) for case in CASES], 240, sys.argv[4:])
