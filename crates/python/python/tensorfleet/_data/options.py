"""Options of datasets. They steer TensorFlow's own optimizer of pipelines, so they are taken and change nothing here."""

from __future__ import annotations

from typing import Any


class OptionGroup:
    """A group of options: whatever is set in it can be read again, and what is not is None."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


class Options(OptionGroup):
    """Options of a dataset, for `Dataset.with_options`.

    >>> options = Options()
    >>> options.experimental_deterministic = False
    >>> options.experimental_deterministic, options.experimental_slack
    (False, None)
    """

    def __init__(self) -> None:
        self.experimental_optimization = OptionGroup()
        self.experimental_threading = OptionGroup()
        self.experimental_distribute = OptionGroup()
        self.autotune = OptionGroup()
        self.threading = OptionGroup()

    def merge(self, options: Options) -> Options:
        """The options of both; where both say something, those of the other."""
        merged = Options()
        merged.__dict__.update(self.__dict__)
        merged.__dict__.update({key: value for key, value in options.__dict__.items() if not isinstance(value, OptionGroup)})
        return merged
