"""Sets of settings, and placement by size (`tf.contrib.training`)."""

from __future__ import annotations

import json
from typing import Any

from tensorfleet._train.device_setter import GreedyLoadBalancingStrategy, byte_size_load_fn
from tensorfleet.v1._refused import refusing

__all__ = ["GreedyLoadBalancingStrategy", "HParams", "byte_size_load_fn"]


class HParams:
    """Settings by name.

    >>> settings = HParams(rate=0.1, layers=[1, 2])
    >>> settings.parse("rate=0.5,layers=[3,4]").rate
    0.5
    >>> settings.layers
    [3, 4]
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        self._names: list[str] = []
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a setting."""
        if getattr(self, name, None) is not None:
            raise ValueError(f"{name} cannot name a further hyperparameter: the name is taken")
        self._names.append(name)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Changes a setting, of which the value keeps its type."""
        if name not in self._names:
            raise KeyError(f"there is no hyperparameter {name!r}; there are {sorted(self._names)}")
        setattr(self, name, _as_kind(name, getattr(self, name), value))

    def del_hparam(self, name: str) -> None:
        """Takes a setting away."""
        if name in self._names:
            self._names.remove(name)
            delattr(self, name)

    def parse(self, values: str) -> HParams:
        """Changes settings by a text such as `rate=0.1,layers=[1,2]`."""
        for name, value in _pairs(values):
            self.set_hparam(name, value)
        return self

    def override_from_dict(self, values_dict: dict[str, Any]) -> HParams:
        """Changes settings by a dict."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def parse_json(self, values_json: str) -> HParams:
        """Changes settings by the text of a JSON object."""
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> dict[str, Any]:
        """All settings."""
        return {name: getattr(self, name) for name in self._names}

    def get(self, key: str, default: Any = None) -> Any:
        """A setting, or a default."""
        return getattr(self, key) if key in self._names else default

    def to_json(self, **kwargs: Any) -> str:
        """The settings as the text of a JSON object."""
        return json.dumps(self.values(), **kwargs)

    def __contains__(self, key: str) -> bool:
        return key in self._names

    def __str__(self) -> str:
        return str(sorted(self.values().items()))

    def __repr__(self) -> str:
        return f"HParams({self})"


def _pairs(text: str) -> list[tuple[str, Any]]:
    import re

    pairs = []
    for match in re.finditer(r"\s*([a-zA-Z_]\w*)\s*=\s*(\[[^\]]*\]|[^,\[\]]*)\s*(?:,|$)", text):
        name, value = match.group(1), match.group(2).strip()
        pairs.append((name, [item.strip() for item in value[1:-1].split(",") if item.strip()] if value.startswith("[") else value))
    if text.strip() and not pairs:
        raise ValueError(f"{text!r} is not a list of hyperparameters")
    return pairs


def _as_kind(name: str, old: Any, value: Any) -> Any:
    if isinstance(old, list):
        like = old[0] if old else None
        return [_as_kind(name, like, item) for item in (value if isinstance(value, list) else [value])]
    if old is None or isinstance(value, type(old)) and not isinstance(value, bool):
        return value
    if isinstance(old, bool):
        if isinstance(value, str) and value.lower() in ("true", "false", "1", "0"):
            return value.lower() in ("true", "1")
        return bool(value)
    try:
        return type(old)(value)
    except (TypeError, ValueError):
        raise ValueError(f"hyperparameter {name!r} is of type {type(old).__name__}, which {value!r} is not") from None


__getattr__ = refusing("tf.contrib.training", "tf.train")
