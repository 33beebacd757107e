"""``import tensorflow`` finds this package: for ``python -m tensorfleet``, for ``TENSORFLEET_ALIAS=1`` in the environment, and
for programs that call :func:`install_alias` themselves."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from types import ModuleType
from typing import Sequence

__all__ = ["install_alias", "remove_alias", "ENVIRONMENT_VARIABLE"]

ENVIRONMENT_VARIABLE = "TENSORFLEET_ALIAS"

# Paths of TensorFlow's own source tree that programs import from, and where the same names are here.
_MOVED = {
    "tensorflow.compat.v1": "tensorfleet.v1",
    "tensorflow.compat.v2": "tensorfleet.v1",
    "tensorflow.python.platform.gfile": "tensorfleet.v1.gfile",
    "tensorflow.python.platform.flags": "tensorfleet.v1.flags",
    "tensorflow.python.platform.app": "tensorfleet.v1.app",
    "tensorflow.python.platform.tf_logging": "tensorfleet.v1.logging",
    "tensorflow.contrib.learn.python.learn.datasets": "tensorfleet.v1.contrib.learn.datasets",
    "tensorflow.contrib.learn.python.learn.datasets.mnist": "tensorfleet.v1.contrib.learn.datasets.mnist",
    "tensorflow.python.framework.dtypes": "tensorfleet.v1.dtypes",
    "tensorflow.python.framework.errors": "tensorfleet.v1.errors",
    "tensorflow.python.training": "tensorfleet.v1.train",
}


def _here(name: str) -> str:
    """The module of this package that a name of TensorFlow's stands for."""
    if name in _MOVED:
        return _MOVED[name]
    if name == "tensorflow":
        return "tensorfleet.v1"
    for moved, here in _MOVED.items():
        if name.startswith(moved + "."):
            return here + name[len(moved):]
    return "tensorfleet.v1" + name[len("tensorflow"):]


class _Loader(importlib.abc.Loader):
    """Puts the module that a name stands for in the place of the one that was being made."""

    def __init__(self, real: str) -> None:
        self.real = real

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.real)
        # Python fills in these of a module that a loader gives it; they stay those of the real one.
        self._kept = module.__spec__, module.__loader__, module.__package__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__, module.__loader__, module.__package__ = self._kept


class _Finder(importlib.abc.MetaPathFinder):
    """Finds ``tensorflow`` and what is in it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != "tensorflow" and not fullname.startswith("tensorflow."):
            return None
        real = _here(fullname)
        try:
            found = importlib.util.find_spec(real)
        except ModuleNotFoundError:
            found = None
        if found is None:
            raise ModuleNotFoundError(
                f"tensorfleet has no module {fullname!r}; docs/python.md lists what is there and what to use instead",
                name=fullname,
            )
        spec = importlib.machinery.ModuleSpec(fullname, _Loader(real), is_package=True)
        return spec


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
