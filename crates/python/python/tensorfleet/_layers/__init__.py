"""Layers: objects that hold variables and build operations, and functions that make and apply one in a call."""
