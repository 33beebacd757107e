"""Losses (`slim.losses`): predictions come before labels."""

from __future__ import annotations

from tensorfleet.v1.contrib.losses import *
