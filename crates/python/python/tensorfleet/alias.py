"""``import tensorflow`` finds this package: for ``python -m tensorfleet``, for ``TENSORFLEET_ALIAS=1`` in the environment, and
for programs that call :func:`install_alias` themselves."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
from types import ModuleType
from typing import Sequence

from tensorfleet import _source_tree

__all__ = ["install_alias", "remove_alias", "ENVIRONMENT_VARIABLE"]

ENVIRONMENT_VARIABLE = "TENSORFLEET_ALIAS"

class _Loader(importlib.abc.Loader):
    """Puts the module that a name stands for in the place of the one that was being made."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        # Python fills in these of a module that a loader gives it; they stay those of the real one.
        self._kept = {name: getattr(self.module, name, None) for name in ("__spec__", "__loader__", "__package__")}
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        for name, value in self._kept.items():
            setattr(module, name, value)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds ``tensorflow`` and what is in it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != "tensorflow" and not fullname.startswith("tensorflow."):
            return None
        return importlib.machinery.ModuleSpec(fullname, _Loader(_module(fullname)), is_package=True)


def _module(fullname: str) -> ModuleType:
    """The module that a name of TensorFlow's stands for."""
    below = fullname[len("tensorflow.") :]
    if not below:
        return importlib.import_module("tensorfleet.v1")
    real = _source_tree.leaf(below)
    if real is not None:
        return _source_tree.load(real)
    try:
        return importlib.import_module(f"tensorfleet.v1.{below}")
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("tensorfleet.v1"):
            raise
    if _source_tree.is_branch(below):
        return _source_tree.Branch(below)
    raise ModuleNotFoundError(_source_tree.refusal(below), name=fullname)


_finder: _Finder | None = None


def install_alias() -> None:
    """From here on ``import tensorflow`` finds this package, in this process and in Python processes that it starts.

    :raises ImportError: if the real TensorFlow has been imported already.
    """
    global _finder
    loaded = sys.modules.get("tensorflow")
    if loaded is not None and not getattr(loaded, "__name__", "").startswith("tensorfleet"):
        raise ImportError(
            "TensorFlow itself has been imported already, so 'tensorflow' cannot stand for tensorfleet in this process: "
            "install the alias before the first 'import tensorflow'"
        )
    if _finder is None:
        _finder = _Finder()
        sys.meta_path.insert(0, _finder)
    os.environ[ENVIRONMENT_VARIABLE] = "1"


def remove_alias() -> None:
    """Undoes :func:`install_alias`: what comes after finds the real TensorFlow, if there is one."""
    global _finder
    if _finder is not None:
        sys.meta_path.remove(_finder)
        _finder = None
    for name in [name for name in sys.modules if name == "tensorflow" or name.startswith("tensorflow.")]:
        del sys.modules[name]
    os.environ.pop(ENVIRONMENT_VARIABLE, None)
