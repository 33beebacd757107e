"""Conditionals, loops, groups and what runs before what."""

from __future__ import annotations

__all__: list[str] = []
