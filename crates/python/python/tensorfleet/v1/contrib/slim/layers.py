"""Layers (`slim.layers`)."""

from __future__ import annotations

from tensorfleet.v1.contrib.layers import *
