"""Checkpoints as files: which there are, which is the newest, and what is in them."""

from __future__ import annotations

import glob
import os
import re
import tempfile
from typing import Any

import numpy as np

from tensorfleet import _core
from tensorfleet._framework import dtypes, errors, places, values
from tensorfleet._framework.messages import CheckpointState, message_to_text, parse_text


def _text(path: Any) -> str:
    return path.decode() if isinstance(path, bytes) else os.fspath(path)


def _is_whole(path: str) -> bool:
    return os.path.isabs(path) or places.is_url(path)


def _state_file(folder: str, latest_filename: str | None) -> str:
    return os.path.join(folder, latest_filename or "checkpoint")


def write_atomically(path: str, content: bytes) -> None:
    """Writes a file that is there whole or not at all."""
    if places.is_url(path):
        return places.write(path, content)
    folder = os.path.dirname(path) or "."
    handle, temporary = tempfile.mkstemp(prefix=os.path.basename(path) + ".tmp", dir=folder)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def generate_checkpoint_state_proto(
    save_dir: str, model_checkpoint_path: str, all_model_checkpoint_paths: Any = None, all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: float | None = None,
) -> Any:
    """What the `checkpoint` file of a folder says, as a message; the newest checkpoint is the last of all."""
    newest, every = _text(model_checkpoint_path), [_text(path) for path in all_model_checkpoint_paths or []]
    if newest not in every:
        every.append(newest)
    times = list(all_model_checkpoint_timestamps or [])
    if times and len(times) != len(every):
        raise ValueError(f"each checkpoint has one timestamp: paths {every}, timestamps {times}")
    if not os.path.isabs(save_dir):
        # Relative paths are relative to the folder.
        newest = newest if os.path.isabs(newest) else os.path.relpath(newest, save_dir)
        every = [path if os.path.isabs(path) else os.path.relpath(path, save_dir) for path in every]
    state = CheckpointState(model_checkpoint_path=newest, all_model_checkpoint_paths=every)
    state.all_model_checkpoint_timestamps.extend(times)
    if last_preserved_timestamp is not None:
        state.last_preserved_timestamp = last_preserved_timestamp
    return state


def update_checkpoint_state(
    save_dir: str, model_checkpoint_path: str, all_model_checkpoint_paths: Any = None, latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Any = None, last_preserved_timestamp: float | None = None, save_relative_paths: bool = False,
) -> None:
    """Writes which checkpoint of a folder is the newest."""
    if save_relative_paths:
        def shorten(path: str) -> str:
            return os.path.relpath(path, save_dir) if os.path.isabs(path) else os.path.relpath(path, save_dir)

        every = [shorten(_text(path)) for path in all_model_checkpoint_paths or []]
        state = CheckpointState(model_checkpoint_path=shorten(_text(model_checkpoint_path)), all_model_checkpoint_paths=every)
        if not every:
            state.all_model_checkpoint_paths.append(state.model_checkpoint_path)
        state.all_model_checkpoint_timestamps.extend(all_model_checkpoint_timestamps or [])
    else:
        state = generate_checkpoint_state_proto(
            save_dir, model_checkpoint_path, all_model_checkpoint_paths, all_model_checkpoint_timestamps, last_preserved_timestamp)
    path = _state_file(save_dir, latest_filename)
    if path == state.model_checkpoint_path:
        raise RuntimeError(
            f"'{model_checkpoint_path}' is the file of the checkpoint state itself: choose another save path"
        )
    write_atomically(path, message_to_text(state).encode())


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> Any:
    """What the `checkpoint` file of a folder says, or None if there is none or it cannot be read."""
    folder = _text(checkpoint_dir)
    try:
        state = CheckpointState()
        parse_text(places.read(_state_file(folder, latest_filename)).decode(), state)
    except (OSError, ValueError, errors.NotFoundError):
        return None
    if not state.model_checkpoint_path:
        return None
    if not _is_whole(state.model_checkpoint_path):
        state.model_checkpoint_path = os.path.join(folder, state.model_checkpoint_path)
    for i, path in enumerate(state.all_model_checkpoint_paths):
        if not _is_whole(path):
            state.all_model_checkpoint_paths[i] = os.path.join(folder, path)
    return state


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Whether there is a checkpoint with a prefix, of either format."""
    return _core.checkpoint_exists(_text(checkpoint_prefix))


def meta_graph_path(checkpoint_prefix: str, suffix: str = "meta") -> str:
    """The file of the graph beside a checkpoint; the pattern of a checkpoint in several files is left out."""
    return re.sub(r"-(\?+|\d+)-of-\d+$", "", checkpoint_prefix) + "." + suffix


def _first_format_files(prefix: str) -> list[str]:
    """The files of a checkpoint of the first format: one, or those of a pattern."""
    base, pattern, count = prefix.partition("-?????-of-")
    if pattern:
        return places.glob((base if places.is_url(base) else glob.escape(base)) + pattern + count)
    return [prefix] if places.isfile(prefix) else []


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """The prefix of the newest checkpoint in a folder, or None."""
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is not None and state.model_checkpoint_path:
        if checkpoint_exists(state.model_checkpoint_path):
            return state.model_checkpoint_path
        from tensorfleet.v1 import logging

        logging.error("no files of checkpoint %s are there", state.model_checkpoint_path)
    return None


def get_checkpoint_mtimes(checkpoint_prefixes: Any) -> list[float]:
    """When each checkpoint was written; those that do not exist are left out."""
    times = []
    for prefix in checkpoint_prefixes:
        for path in (_text(prefix) + ".index", *_first_format_files(_text(prefix))):
            if places.exists(path):
                times.append(places.getmtime(path))
                break
    return times


def remove_checkpoint(checkpoint_prefix: Any, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta") -> None:
    """Removes the files of a checkpoint."""
    prefix = _text(checkpoint_prefix)
    # Without its index the rest is no checkpoint.
    paths = [prefix + ".index", meta_graph_path(prefix, meta_graph_suffix), *_first_format_files(prefix)]
    escaped = prefix if places.is_url(prefix) else glob.escape(prefix)
    for path in paths + places.glob(escaped + ".data-?????-of-?????"):
        try:
            places.remove(path)
        except (OSError, errors.OpError):
            pass


class CheckpointReader:
    """Reads the tensors of a checkpoint without a graph."""

    def __init__(self, filepattern: Any) -> None:
        prefix = _text(filepattern)
        if not checkpoint_exists(prefix):
            raise errors.NotFoundError(
                None, None, f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {prefix}")
        self._core = _core.CheckpointReader(prefix)
        self._entries = {name: (dtypes.from_number(number), shape) for name, number, shape in self._core.entries()}

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shapes of the tensors by name."""
        return {name: list(shape) for name, (_, shape) in self._entries.items()}

    def get_variable_to_dtype_map(self) -> dict[str, Any]:
        """The types of the tensors by name."""
        return {name: dtype for name, (dtype, _) in self._entries.items()}

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a tensor of a name."""
        return tensor_str in self._entries

    def get_tensor(self, tensor_str: str) -> Any:
        """The value of a tensor."""
        if tensor_str not in self._entries:
            raise errors.NotFoundError(None, None, f"Key {tensor_str} not found in checkpoint")
        return values.unpack(self._core.tensor(tensor_str))

    def debug_string(self) -> bytes:
        """A line of text for each tensor."""
        lines = [f"{name} (DT_{dtype.name.upper()}) {list(shape)}" for name, (dtype, shape) in self._entries.items()]
        return "\n".join(lines).encode()


def NewCheckpointReader(filepattern: Any) -> CheckpointReader:
    """Reads the tensors of a checkpoint without a graph."""
    return CheckpointReader(filepattern)


def _prefix_of(path: Any) -> str:
    path = _text(path)
    if places.isdir(path):
        newest = latest_checkpoint(path)
        if newest is None:
            raise ValueError(f"{path} holds neither a file 'checkpoint' nor checkpoints")
        return newest
    return re.sub(r"\.(index|data-\d{5}-of-\d{5})$", "", path)


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A reader of a checkpoint, or of the newest one of a folder."""
    return CheckpointReader(_prefix_of(ckpt_dir_or_file))


def load_variable(ckpt_dir_or_file: Any, name: str) -> np.ndarray:
    """The value of a tensor of a checkpoint."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Names and shapes of the tensors of a checkpoint, by name."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
