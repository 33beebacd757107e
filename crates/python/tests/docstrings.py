"""Runs the examples in the docstrings of every module of the package."""

import doctest
import importlib
import pkgutil
import sys

import tensorfleet


def main() -> int:
    failed = attempted = 0
    for found in pkgutil.walk_packages(tensorfleet.__path__, "tensorfleet."):
        if found.name.endswith("__main__"):
            continue
        result = doctest.testmod(importlib.import_module(found.name), optionflags=doctest.NORMALIZE_WHITESPACE)
        failed, attempted = failed + result.failed, attempted + result.attempted
    print(f"{attempted - failed} passed, {failed} failed")
    return 1 if failed or not attempted else 0


if __name__ == "__main__":
    sys.exit(main())
