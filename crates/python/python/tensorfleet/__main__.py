"""``python -m tensorfleet script.py --flags``: runs a TensorFlow program on this package."""

from __future__ import annotations

import os
import runpy
import sys

from tensorfleet import __version__
from tensorfleet.alias import install_alias

_USAGE = """usage: python -m tensorfleet [-m MODULE | SCRIPT] [ARGUMENT...]

Runs a Python program in which 'import tensorflow' finds tensorfleet; Python processes that it starts do so too.

  SCRIPT       a file
  -m MODULE    a module
  --version    print the version and end
"""


def main() -> None:
    """Runs the program that the command line names."""
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_USAGE, end="")
        sys.exit(0 if arguments else 2)
    if arguments[0] == "--version":
        print(f"tensorfleet {__version__}")
        return
    as_module = arguments[0] == "-m"
    if as_module:
        arguments = arguments[1:]
    if not arguments or arguments[0].startswith("-"):
        sys.exit(f"python -m tensorfleet: a program is expected, not {' '.join(sys.argv[1:])!r}\n{_USAGE}")
    if not as_module and not os.path.exists(arguments[0]):
        sys.exit(f"python -m tensorfleet: there is no file {arguments[0]!r}")
    install_alias()
    sys.argv = arguments
    if as_module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main()
