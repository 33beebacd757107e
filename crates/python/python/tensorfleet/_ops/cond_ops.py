"""Conditions."""
from typing import Any
def cond(*a: Any, **k: Any) -> Any: raise NotImplementedError
