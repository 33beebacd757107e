"""Reading saved models."""

from __future__ import annotations

import os
from typing import Any

from tensorfleet._framework.messages import SavedModel, parse_text
from tensorfleet._saved_model import constants
from tensorfleet._train.meta_graph import import_meta_graph


def _folder_of(export_dir: Any) -> str:
    return export_dir.decode() if isinstance(export_dir, bytes) else os.fspath(export_dir)


def maybe_saved_model_directory(export_dir: Any) -> bool:
    """Whether a folder holds a saved model."""
    folder = _folder_of(export_dir)
    names = (constants.SAVED_MODEL_FILENAME_PB, constants.SAVED_MODEL_FILENAME_PBTXT)
    return any(os.path.exists(os.path.join(folder, name)) for name in names)


contains_saved_model = maybe_saved_model_directory


def parse_saved_model(export_dir: Any) -> Any:
    """The message of a saved model."""
    folder = _folder_of(export_dir)
    binary, text = (os.path.join(folder, name) for name in (
        constants.SAVED_MODEL_FILENAME_PB, constants.SAVED_MODEL_FILENAME_PBTXT))
    if os.path.exists(binary):
        with open(binary, "rb") as stream:
            return SavedModel.FromString(stream.read())
    if os.path.exists(text):
        with open(text, encoding="utf-8") as stream:
            model = SavedModel()
            parse_text(stream.read(), model)
            return model
    raise OSError(
        f"there is no SavedModel in {folder}: neither {constants.SAVED_MODEL_FILENAME_PBTXT} nor "
        f"{constants.SAVED_MODEL_FILENAME_PB}"
    )


def load(sess: Any, tags: Any, export_dir: Any, import_scope: str | None = None, **saver_kwargs: Any) -> Any:
    """Adds the graph of a saved model that has exactly these tags to a session's, gives its variables their values, and gives
    the message of the graph."""
    folder = _folder_of(export_dir)
    model = parse_saved_model(folder)
    wanted = {tags} if isinstance(tags, str) else set(tags)
    found = [meta for meta in model.meta_graphs if set(meta.meta_info_def.tags) == wanted]
    if not found:
        known = [sorted(meta.meta_info_def.tags) for meta in model.meta_graphs]
        raise RuntimeError(
            f"a MetaGraphDef with the tags {sorted(wanted)} could not be found: the SavedModel has {known}"
        )
    meta = found[0]
    with sess.graph.as_default():
        saver = import_meta_graph(meta, import_scope=import_scope, **saver_kwargs)
        prefix = os.path.join(folder, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)
        if saver is not None and os.path.exists(prefix + ".index"):
            saver.restore(sess, prefix)
        feeds = {}
        for asset in meta.asset_file_def:
            name = f"{import_scope}/{asset.tensor_info.name}" if import_scope else asset.tensor_info.name
            feeds[name] = os.path.join(folder, constants.ASSETS_DIRECTORY, asset.filename)
        for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
            if key in meta.collection_def:
                for name in meta.collection_def[key].node_list.value:
                    sess.run(f"{import_scope}/{name}" if import_scope else name, feed_dict=feeds)
                break
    return meta


class SavedModelLoader:
    """A saved model that can be loaded several times."""

    def __init__(self, export_dir: Any) -> None:
        self._export_dir = _folder_of(export_dir)
        self._saved_model = parse_saved_model(self._export_dir)

    @property
    def export_dir(self) -> str:
        """The folder."""
        return self._export_dir

    @property
    def saved_model(self) -> Any:
        """The message of the model."""
        return self._saved_model

    def load(self, sess: Any, tags: Any, import_scope: str | None = None, **saver_kwargs: Any) -> Any:
        """As the function `load`."""
        return load(sess, tags, self._export_dir, import_scope, **saver_kwargs)
