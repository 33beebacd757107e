"""Shapes, slices, joining and rearranging of tensors."""

from __future__ import annotations

__all__: list[str] = []
