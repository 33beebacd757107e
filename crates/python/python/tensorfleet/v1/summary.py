"""`tf.summary`: what TensorBoard shows of a run."""

from __future__ import annotations

import re
from typing import Any

from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor, get_default_graph, name_scope
from tensorfleet._framework.messages import Event, SessionLog, Summary, SummaryDescription, SummaryMetadata
from tensorfleet._framework.variables import GraphKeys
from tensorfleet._train.summary_writer import FileWriter, FileWriterCache

__all__ = [
    "Event", "FileWriter", "FileWriterCache", "SessionLog", "Summary", "SummaryDescription", "all_v2_summary_ops", "audio",
    "get_summary_description", "histogram", "image", "merge", "merge_all", "scalar", "tensor_summary", "text",
]


def _clean(name: str) -> str:
    """A tag that can be the name of a node."""
    cleaned = re.sub(r"[^-/\w\.]", "_", name).lstrip("/")
    if cleaned != name:
        from tensorfleet.v1 import logging

        logging.info("%s cannot name a summary; %s takes its place", name, cleaned)
    return cleaned


def _collect(tensor: Tensor, collections: Any) -> Tensor:
    for key in [GraphKeys.SUMMARIES] if collections is None else collections:
        tensor.graph.add_to_collection(key, tensor)
    return tensor


class _Scope:
    """The scope of a summary's nodes, and its tag: with the family in front, if there is one."""

    def __init__(self, name: str, family: str | None, default_name: str, values: list[Any]) -> None:
        name = _clean(name)
        self._family = None if family is None else _clean(family)
        scope = name if self._family is None else f"{self._family}/{name}"
        self._entered = name_scope(scope, default_name, values)

    def __enter__(self) -> tuple[str, str]:
        scope = self._entered.__enter__()
        tag = scope.rstrip("/")
        return (tag if self._family is None else f"{self._family}/{tag}"), scope

    def __exit__(self, *error: Any) -> None:
        self._entered.__exit__(*error)


def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """A summary of one number.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     Summary.FromString(sess.run(tf.summary.scalar("loss", 0.5))).value[0].tag
    'loss'
    """
    with _Scope(name, family, "ScalarSummary", [tensor]) as (tag, scope):
        return _collect(one("ScalarSummary", tag, tensor, name=scope), collections)


def histogram(name: str, values: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """A summary of how many values are how large."""
    with _Scope(name, family, "HistogramSummary", [values]) as (tag, scope):
        return _collect(one("HistogramSummary", tag, values, name=scope), collections)


def image(name: str, tensor: Any, max_outputs: int = 3, collections: Any = None, family: str | None = None) -> Tensor:
    """A summary of images: a tensor of four dimensions with one, three or four channels."""
    with _Scope(name, family, "ImageSummary", [tensor]) as (tag, scope):
        return _collect(one("ImageSummary", tag, tensor, max_images=max_outputs, name=scope), collections)


def audio(
    name: str, tensor: Any, sample_rate: Any, max_outputs: int = 3, collections: Any = None, family: str | None = None
) -> Tensor:
    """A summary of sound."""
    with _Scope(name, family, "AudioSummary", [tensor]) as (tag, scope):
        rate = convert_to_tensor(sample_rate, dtype="float32", name="sample_rate")
        return _collect(
            one("AudioSummaryV2", tag, tensor, rate, max_outputs=max_outputs, name=scope), collections)


def tensor_summary(
    name: str, tensor: Any, summary_description: Any = None, collections: Any = None, summary_metadata: Any = None,
    family: str | None = None, display_name: str | None = None,
) -> Tensor:
    """A summary of a whole tensor."""
    metadata = summary_metadata if summary_metadata is not None else SummaryMetadata()
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    with _Scope(name, family, "TensorSummary", [tensor]) as (tag, scope):
        return _collect(
            one("TensorSummaryV2", tag, tensor, metadata.SerializeToString(), name=scope), collections)


def text(name: str, tensor: Any, collections: Any = None) -> Tensor:
    """A summary of strings."""
    tensor = convert_to_tensor(tensor)
    if tensor.dtype.base_dtype.name != "string":
        raise ValueError(f"{tensor.name} is of {tensor.dtype.name}, where strings are needed")
    metadata = SummaryMetadata()
    metadata.plugin_data.plugin_name = "text"
    return tensor_summary(name=name, tensor=tensor, summary_metadata=metadata, collections=collections)


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Tensor:
    """All values of several summaries in one."""
    inputs = [convert_to_tensor(value) for value in inputs]
    with name_scope(name, "Merge", inputs):
        merged = one("MergeSummary", inputs, name=name or "MergeSummary")
    return _collect(merged, [] if collections is None else collections)


def merge_all(key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None) -> Tensor | None:
    """All summaries of the default graph in one; None if there are none."""
    summaries = get_default_graph().get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None


def all_v2_summary_ops() -> list[Any]:
    """Summaries of TensorFlow 2, of which there are none."""
    return []


def get_summary_description(node_def: Any) -> Any:
    """What a node of a tensor summary says of itself."""
    if node_def.op != "TensorSummary":
        raise ValueError(f"{node_def.op} is no summary, so it has no description")
    description = node_def.attr["description"].s
    return SummaryDescription(type_hint=description.decode() if isinstance(description, bytes) else description)
