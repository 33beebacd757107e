"""Arithmetic, reductions and comparisons."""

from __future__ import annotations

__all__: list[str] = []
