"""Operations that change variables."""

from __future__ import annotations

__all__: list[str] = []
