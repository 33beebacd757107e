"""The entry point of programs (`tf.app`): parse the flags, run `main`, exit with what it returns."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

from . import flags

__all__ = ["flags", "run"]


def run(main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None) -> NoReturn:
    """Run a program: parse flags, call `main` with the arguments that are not flags, and exit with its result.

    Args:
      main: the function to call. By default the `main` of the script that Python was started with.
      argv: the program's name and arguments; by default those of the process.
    """
    argv = list(sys.argv if argv is None else argv)
    try:
        rest = flags.FLAGS._parse_flags(args=argv[1:])
    except flags.Error as error:
        print(f"{argv[0] if argv else 'program'}: {error}\nPass --help to see the flags.", file=sys.stderr)
        sys.exit(2)
    if main is None:
        main = getattr(sys.modules["__main__"], "main", None)
        if main is None:
            raise ValueError("tf.app.run: the script has no function main, and none was given")
    sys.exit(main(argv[:1] + rest))
