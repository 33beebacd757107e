"""Where the four files of MNIST are, and their download."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import zlib
from typing import Any

DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"

VARIABLE = "TENSORFLEET_MNIST"
CACHE = os.path.join("~", ".cache", "tensorfleet", "mnist")

# Places that have the database itself, not another one in its format.
_MNIST_PLACES = ("cvdf-datasets/mnist", "yann.lecun.com/exdb/mnist", "ossci-datasets.s3.amazonaws.com/mnist")

# SHA-256 of what the compressed files hold: mirrors compress the same bytes differently.
_DIGESTS = {
    "train-images-idx3-ubyte.gz": "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    "train-labels-idx1-ubyte.gz": "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    "t10k-images-idx3-ubyte.gz": "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    "t10k-labels-idx1-ubyte.gz": "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
}

_TIMEOUT_SECONDS = 30
_CHUNK = 1 << 16


def find_or_download(name: str, folder: str | os.PathLike, source_url: str = DEFAULT_SOURCE_URL) -> str:
    """The path of a file of the database, which is downloaded into the folder if it is nowhere.

    Raises:
      OSError: it is nowhere and cannot be downloaded; the message says what to do.
      ValueError: what was downloaded is not the file.
    """
    is_mnist = any(place in source_url for place in _MNIST_PLACES)
    folders = [os.fspath(folder)]
    if is_mnist:
        # Files of another database in the same format are only looked for where the program says.
        folders += [os.environ.get(VARIABLE, ""), os.path.expanduser(CACHE)]
    for place in filter(None, folders):
        for candidate in (name, name.removesuffix(".gz")):
            path = os.path.join(place, candidate)
            if os.path.isfile(path):
                return path
    target = os.path.join(folder, name)
    url = source_url.rstrip("/") + "/" + name
    try:
        _download(url, target, _DIGESTS.get(name) if is_mnist else None)
    except OSError as error:
        raise OSError(
            f"{name} is not here and {url} cannot be downloaded: {error}. Put the file into {os.path.abspath(folder)}, "
            f"or into a folder that the environment variable {VARIABLE} names, or into {CACHE}"
        ) from error
    return target


def _download(url: str, target: str, digest: str | None) -> None:
    """Fetch a file, write it beside its place, check it and rename it."""
    # Needed by few programs, and slow to load.
    from http.client import HTTPException
    from urllib.request import urlopen

    folder, name = os.path.split(target)
    folder = folder or "."
    os.makedirs(folder, exist_ok=True)
    part = None
    try:
        with urlopen(url, timeout=_TIMEOUT_SECONDS) as response:
            total = int(response.headers.get("Content-Length") or 0)
            with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{name}.", delete=False) as out:
                part = out.name
                size = _copy(response, out, name, total, digest)
        if total and size != total:
            raise OSError(f"the connection ended after {size} of {total} bytes")
        # Readable for others, as a file that was opened by its name would be.
        os.chmod(part, 0o644)
        os.replace(part, target)
        part = None
    except HTTPException as error:
        raise OSError(f"the server's answer broke off: {error!r}") from error
    finally:
        if part is not None:
            os.unlink(part)
    print("Successfully downloaded", name, size, "bytes.")


def _copy(response: Any, out: Any, name: str, total: int, digest: str | None) -> int:
    """Copy with progress; compares the digest of the uncompressed bytes at the end. Returns the number of bytes."""
    unpacker = zlib.decompressobj(wbits=31)
    found = hashlib.sha256()
    size = 0
    show_progress = sys.stderr.isatty()
    while chunk := response.read(_CHUNK):
        out.write(chunk)
        size += len(chunk)
        if digest:
            try:
                found.update(unpacker.decompress(chunk))
            except zlib.error as error:
                raise ValueError(f"what {response.url} sends is not {name}: {error}") from None
        if show_progress:
            done = f"{100 * size // total}%" if total else f"{size} bytes"
            print(f"\rDownloading {name}: {done}", end="", file=sys.stderr, flush=True)
    if show_progress:
        print(file=sys.stderr)
    if digest and not (total and size < total) and found.hexdigest() != digest:
        raise ValueError(
            f"what {response.url} sends is not {name}: its content has the SHA-256 {found.hexdigest()}, not {digest}"
        )
    return size
