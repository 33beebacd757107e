"""Readers of files."""

from __future__ import annotations

__all__: list[str] = []
