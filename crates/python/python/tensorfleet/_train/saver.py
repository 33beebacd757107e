"""Savers: the variables of a model to checkpoints and back."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

from tensorfleet._framework import errors, places
from tensorfleet._framework.apply import definitions
from tensorfleet._framework.graph import Graph, get_default_graph
from tensorfleet._framework.messages import SaverDef
from tensorfleet._framework.variables import GraphKeys, Variable
from tensorfleet._train import checkpoints
from tensorfleet._train.checkpoints import checkpoint_exists, latest_checkpoint
from tensorfleet._train.global_step import global_step as read_global_step


def _named_variables(var_list: Any) -> list[tuple[str, Variable]]:
    """Names in the checkpoint, and variables."""
    if isinstance(var_list, dict):
        given = list(var_list.items())
    else:
        given = [(None, variable) for variable in var_list]
    named: list[tuple[str, Variable]] = []
    for name, value in given:
        if hasattr(value, "_get_variable_list"):
            parts = value._get_variable_list()
        else:
            parts = value if isinstance(value, (list, tuple)) else [value]
        for part in parts:
            if not isinstance(part, Variable):
                raise TypeError(f"{part!r} is to be saved, but it is no variable")
            info = part._get_save_slice_info()
            own = part.op.name if info is None else info.full_name
            named.append((own if name is None else name, part))
    seen: dict[tuple[str, str], Variable] = {}
    for name, part in named:
        info = part._get_save_slice_info()
        key = (name, "" if info is None else info.spec)
        if key in seen:
            raise ValueError(f"more than one variable has the same name: {name}")
        seen[key] = part
    return named


class Saver:
    """Saves variables to checkpoints and restores them.

    With `save_through="/job:worker/task:0"` that task writes and reads all files, a few tensors at a time; the others, parameter
    servers that share no place with it, need none.

    >>> import tempfile, tensorfleet.v1 as tf
    >>> folder = tempfile.mkdtemp()
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     w = tf.Variable(3.0, name="w")
    ...     saver = tf.train.Saver()
    ...     sess.run(w.initializer)
    ...     path = saver.save(sess, folder + "/model.ckpt", global_step=7)
    ...     w.assign(0.0).op.run()
    ...     saver.restore(sess, path)
    ...     os.path.basename(path), sess.run(w)
    ('model.ckpt-7', np.float32(3.0))
    """

    def __init__(
        self, var_list: Any = None, reshape: bool = False, sharded: bool = False, max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0, name: str | None = None, restore_sequentially: bool = False,
        saver_def: Any = None, builder: Any = None, defer_build: bool = False, allow_empty: bool = False,
        write_version: int = SaverDef.V2, pad_step_number: bool = False, save_relative_paths: bool = False,
        filename: str | None = None, save_through: str | None = None,
    ) -> None:
        if defer_build and var_list:
            raise ValueError("defer_build=True chooses the variables later, so it does not go with a var_list")
        self._var_list, self._reshape, self._sharded, self._through = var_list, reshape, sharded, save_through
        self._max_to_keep, self._keep_hours = max_to_keep or 0, keep_checkpoint_every_n_hours
        self._name, self._allow_empty, self._pad, self._relative = name, allow_empty, pad_step_number, save_relative_paths
        self._last_checkpoints: list[tuple[str, float]] = []
        self._is_built = self._is_empty = False
        # One save at a time, so that the newest in the list is the newest on disk.
        self._saving = threading.Lock()
        self._next_kept = time.time() + keep_checkpoint_every_n_hours * 3600
        self.saver_def: Any = None
        if write_version == SaverDef.V1 and "SaveSlices" not in definitions():
            from tensorfleet.v1 import logging

            logging.warn("the runtime does not write checkpoints of version 1: this saver writes version 2")
            write_version = SaverDef.V2
        self._write_version = write_version
        if saver_def is not None:
            self.saver_def = SaverDef.FromString(saver_def.SerializeToString())
            self._max_to_keep, self._keep_hours = self.saver_def.max_to_keep, self.saver_def.keep_checkpoint_every_n_hours
            self._sharded, self._write_version = self.saver_def.sharded, self.saver_def.version
            self._next_kept = time.time() + self._keep_hours * 3600
            self._is_built = True
        elif not defer_build:
            self.build()

    def build(self) -> None:
        """Adds the nodes that save and restore, if that was deferred."""
        if self._is_built:
            return
        self._is_built = True
        graph = get_default_graph()
        variables = self._var_list
        if variables is None:
            variables = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
        named = _named_variables(variables)
        if not named:
            if not self._allow_empty:
                raise ValueError("No variables to save, and allow_empty is False")
            self._is_empty = True
            return
        graph = named[0][1].graph
        filename, save, restore = graph._core.build_saver(
            [(name, variable._shared_name) for name, variable in named], self._name or "save", self._sharded, self._reshape,
            self._write_version == SaverDef.V1, self._through)
        self.saver_def = SaverDef(
            filename_tensor_name=filename, save_tensor_name=save, restore_op_name=restore, max_to_keep=self._max_to_keep,
            sharded=self._sharded, keep_checkpoint_every_n_hours=self._keep_hours, version=self._write_version)

    # The list of checkpoints

    @property
    def last_checkpoints(self) -> list[str]:
        """The checkpoints that it will remove in time, oldest first."""
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints: Any) -> None:
        """Counts these as the checkpoints that were written last."""
        if not isinstance(last_checkpoints, list):
            raise TypeError(f"last_checkpoints is a list of paths, not {last_checkpoints!r}")
        self._last_checkpoints = [(path, float("inf")) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: Any) -> None:
        """Counts these, pairs of a path and a time, as the checkpoints that were written last."""
        if not isinstance(last_checkpoints_with_time, list):
            raise TypeError(f"last_checkpoints_with_time is a list of pairs, not {last_checkpoints_with_time!r}")
        self._last_checkpoints = last_checkpoints_with_time

    def recover_last_checkpoints(self, checkpoint_paths: Any) -> None:
        """Counts checkpoints of an earlier run among its own, as far as they exist."""
        there = [path for path in checkpoint_paths if checkpoint_exists(path)]
        self.set_last_checkpoints_with_time(list(zip(there, checkpoints.get_checkpoint_mtimes(there))))

    def _record(self, path: str) -> list[tuple[str, float]]:
        """Puts a checkpoint into the list, and gives those that leave it."""
        if self._max_to_keep <= 0:
            return []
        self._last_checkpoints = [kept for kept in self._last_checkpoints if kept[0] != path] + [(path, time.time())]
        leaving = self._last_checkpoints[:-self._max_to_keep]
        self._last_checkpoints = self._last_checkpoints[-self._max_to_keep:]
        return leaving

    def _remove(self, leaving: list[tuple[str, float]], suffix: str) -> None:
        for path, written in leaving:
            if written > self._next_kept:
                self._next_kept += self._keep_hours * 3600
                continue
            checkpoints.remove_checkpoint(path, meta_graph_suffix=suffix)

    # Saving and restoring

    def save(
        self, sess: Any, save_path: Any, global_step: Any = None, latest_filename: str | None = None,
        meta_graph_suffix: str = "meta", write_meta_graph: bool = True, write_state: bool = True,
        strip_default_attrs: bool = False, save_debug_info: bool = False,
    ) -> str | None:
        """Writes a checkpoint, whose name ends in the step if there is one, and gives its path."""
        self._check_built("save")
        with self._saving:
            return self._save(sess, save_path, global_step, latest_filename, meta_graph_suffix, write_meta_graph, write_state)

    def _save(
        self, sess: Any, save_path: Any, global_step: Any, latest_filename: str | None, meta_graph_suffix: str,
        write_meta_graph: bool, write_state: bool,
    ) -> str | None:
        save_path, latest_filename = os.fspath(save_path), latest_filename or "checkpoint"
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' is a file's name alone, without folders")
        prefix = save_path
        if global_step is not None:
            if not isinstance(global_step, int):
                global_step = int(global_step) if not _is_node(global_step) else read_global_step(sess, global_step)
            prefix = f"{save_path}-{global_step:08d}" if self._pad else f"{save_path}-{global_step}"
        elif os.path.basename(save_path) == latest_filename and not self._sharded:
            raise ValueError(f"latest_filename '{latest_filename}' and save_path '{save_path}' would be one file")
        graph: Graph = sess.graph
        folder = os.path.dirname(prefix)
        if not self._is_empty:
            try:
                saved = sess.run(self.saver_def.save_tensor_name, {self.saver_def.filename_tensor_name: prefix})
            except (errors.FailedPreconditionError, errors.NotFoundError) as error:
                if folder and not places.is_url(folder) and not os.path.isdir(folder):
                    raise ValueError(f"the folder of {prefix} is not there, so nothing can be saved in it") from error
                raise
            # A checkpoint of the first format in several files is named by a pattern for these.
            prefix = os.fsdecode(saved)
            if write_state:
                leaving = self._record(prefix)
                checkpoints.update_checkpoint_state(
                    folder, prefix, self.last_checkpoints, latest_filename, [time for _, time in self._last_checkpoints],
                    save_relative_paths=self._relative)
                self._remove(leaving, meta_graph_suffix)
        if write_meta_graph:
            from tensorfleet._train.meta_graph import export_meta_graph_bytes

            if folder:
                places.makedirs(folder)
            checkpoints.write_atomically(
                checkpoints.meta_graph_path(prefix, meta_graph_suffix), export_meta_graph_bytes(graph, self.saver_def))
        return None if self._is_empty else prefix

    def restore(self, sess: Any, save_path: Any) -> None:
        """Gives the variables the values of a checkpoint."""
        self._check_built("restore")
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("there is no checkpoint to restore: save_path is None")
        prefix = os.fspath(save_path)
        if not checkpoint_exists(prefix):
            raise ValueError(f"{prefix} is not a valid checkpoint")
        from tensorfleet.v1 import logging

        logging.info("Restoring parameters from %s", prefix)
        try:
            sess.run(self.saver_def.restore_op_name, {self.saver_def.filename_tensor_name: prefix})
        except errors.NotFoundError as error:
            raise _explained(error, "a name in the graph that the checkpoint does not have") from None
        except errors.InvalidArgumentError as error:
            raise _explained(error, "another graph than this one having written the checkpoint") from None

    def _check_built(self, what: str) -> None:
        if not self._is_built:
            raise RuntimeError(f"`build()` should be called before {what} if defer_build==True")

    # As messages

    def as_saver_def(self) -> Any:
        """The saver as a message."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The saver as a message, as meta graphs have it."""
        return self.saver_def

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """The saver of a message, whose nodes the graph has."""
        made = SaverDef.FromString(saver_def.SerializeToString())
        if import_scope:
            for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
                setattr(made, field, f"{import_scope}/{getattr(made, field)}")
        return Saver(saver_def=made)

    def export_meta_graph(
        self, filename: str | None = None, collection_list: Any = None, as_text: bool = False, export_scope: str | None = None,
        clear_devices: bool = False, clear_extraneous_savers: bool = False, strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> Any:
        """The default graph with its collections as a message, which is also written to a file if there is a name for it."""
        from tensorfleet._train.meta_graph import export_meta_graph

        return export_meta_graph(
            filename=filename, saver_def=self.saver_def, collection_list=collection_list, as_text=as_text,
            export_scope=export_scope, clear_devices=clear_devices)


def _is_node(value: Any) -> bool:
    return isinstance(value, str) or hasattr(value, "_as_graph_element") or hasattr(value, "op")


def _explained(error: errors.OpError, why: str) -> errors.OpError:
    """The same error, with what it usually means."""
    kind: Any = type(error)
    explained: errors.OpError = kind(
        error.node_def, error.op,
        f"Restoring from checkpoint failed, most likely because of {why}. The error was: {error.message}",
    )
    return explained


__all__ = ["Saver", "latest_checkpoint"]
