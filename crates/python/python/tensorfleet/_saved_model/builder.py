"""Writing saved models."""

from __future__ import annotations

import os
import shutil
from typing import Any

from tensorfleet._framework.apply import apply_op
from tensorfleet._framework.convert import constant_value
from tensorfleet._framework.graph import get_default_graph
from tensorfleet._framework.messages import AssetFileDef, SavedModel, message_class
from tensorfleet._saved_model import constants
from tensorfleet._train.meta_graph import export_meta_graph, write_message
from tensorfleet._train.saver import Saver


class SavedModelBuilder:
    """Writes a model with its variables to a folder, for others to serve.

    >>> import tempfile, tensorfleet.v1 as tf
    >>> folder = os.path.join(tempfile.mkdtemp(), "model")
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     tf.Variable(3.0, name="w").initializer.run()
    ...     builder = tf.saved_model.builder.SavedModelBuilder(folder)
    ...     builder.add_meta_graph_and_variables(sess, [tf.saved_model.tag_constants.SERVING])
    ...     os.path.basename(builder.save())
    'saved_model.pb'
    """

    def __init__(self, export_dir: Any) -> None:
        self._export_dir = os.fspath(export_dir)
        if os.path.isdir(self._export_dir) and os.listdir(self._export_dir):
            raise AssertionError(
                f"the export directory {self._export_dir} is there and has files in it: choose another, or empty it"
            )
        os.makedirs(self._export_dir, exist_ok=True)
        self._saved_model = SavedModel(saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION)
        self._has_saved_variables = False

    def add_meta_graph_and_variables(
        self, sess: Any, tags: Any, signature_def_map: Any = None, assets_collection: Any = None, legacy_init_op: Any = None,
        clear_devices: bool = False, main_op: Any = None, strip_default_attrs: bool = False, saver: Any = None,
        assets_list: Any = None,
    ) -> None:
        """Adds the graph of a session, and writes the values of its variables."""
        if self._has_saved_variables:
            raise AssertionError("the variables are saved already: add further graphs by `add_meta_graph()`")
        folder = os.path.join(self._export_dir, constants.VARIABLES_DIRECTORY)
        os.makedirs(folder, exist_ok=True)
        with sess.graph.as_default():
            saver = self._prepared(saver, assets_collection, legacy_init_op, main_op, assets_list)
            saver.save(sess, os.path.join(folder, constants.VARIABLES_FILENAME), write_meta_graph=False, write_state=False)
            self._add(saver, tags, signature_def_map, clear_devices)
        self._has_saved_variables = True

    def add_meta_graph(
        self, tags: Any, signature_def_map: Any = None, assets_collection: Any = None, legacy_init_op: Any = None,
        clear_devices: bool = False, main_op: Any = None, strip_default_attrs: bool = False, saver: Any = None,
        assets_list: Any = None,
    ) -> None:
        """Adds the default graph, whose variables have the values that were written before."""
        if not self._has_saved_variables:
            raise AssertionError("the variables are not saved yet: begin with `add_meta_graph_and_variables()`")
        saver = self._prepared(saver, assets_collection, legacy_init_op, main_op, assets_list)
        self._add(saver, tags, signature_def_map, clear_devices)

    def _prepared(self, saver: Any, assets: Any, legacy_init_op: Any, main_op: Any, assets_list: Any) -> Any:
        graph = get_default_graph()
        self._copy_assets(assets if assets is not None else assets_list)
        init_op = main_op if main_op is not None else legacy_init_op
        if init_op is not None:
            graph.clear_collection(constants.MAIN_OP_KEY)
            graph.add_to_collection(constants.MAIN_OP_KEY, init_op)
        else:
            graph.clear_collection(constants.MAIN_OP_KEY)
            graph.add_to_collection(constants.MAIN_OP_KEY, apply_op("NoOp", name="init"))
        return saver or Saver(sharded=True, allow_empty=True)

    def _copy_assets(self, assets: Any) -> None:
        graph = get_default_graph()
        graph.clear_collection(constants.ASSETS_KEY)
        for tensor in assets or ():
            value = constant_value(tensor)
            if value is None or value.dtype.kind not in "SO":
                raise ValueError(f"Asset filepath tensors are constant strings: {tensor.name} is not")
            path = value.item().decode()
            name = os.path.basename(path)
            folder = os.path.join(self._export_dir, constants.ASSETS_DIRECTORY)
            os.makedirs(folder, exist_ok=True)
            shutil.copyfile(path, os.path.join(folder, name))
            definition = AssetFileDef(filename=name)
            definition.tensor_info.name = tensor.name
            graph.add_to_collection(constants.ASSETS_KEY, _Asset(definition))

    def _add(self, saver: Any, tags: Any, signatures: Any, clear_devices: bool) -> None:
        meta = export_meta_graph(saver_def=saver.saver_def, clear_devices=clear_devices)
        for asset in get_default_graph().get_collection(constants.ASSETS_KEY):
            meta.asset_file_def.append(asset.definition)
        meta.meta_info_def.tags.extend(tags)
        for key, signature in (signatures or {}).items():
            _check_signature(key, signature)
            meta.signature_def[key].CopyFrom(signature)
        self._saved_model.meta_graphs.append(meta)

    def save(self, as_text: bool = False) -> str:
        """Writes the model's file and gives its path."""
        name = constants.SAVED_MODEL_FILENAME_PBTXT if as_text else constants.SAVED_MODEL_FILENAME_PB
        path = os.path.join(self._export_dir, name)
        write_message(path, self._saved_model, as_text)
        return path


class _Asset:
    """A file beside the model, in a collection."""

    def __init__(self, definition: Any) -> None:
        self.definition = definition

    def to_any(self) -> Any:
        """As messages of any kind are kept in collections."""
        kind = "type.googleapis.com/tensorflow.AssetFileDef"
        return message_class("Any")(type_url=kind, value=self.definition.SerializeToString())


def _check_signature(key: str, signature: Any) -> None:
    for side in (signature.inputs, signature.outputs):
        for name, info in side.items():
            if info.WhichOneof("encoding") is None or not info.dtype:
                raise AssertionError(f"The tensor {name!r} of the signature {key!r} has no name or no type")


def simple_save(session: Any, export_dir: Any, inputs: Any, outputs: Any, legacy_init_op: Any = None) -> None:
    """Writes the model of a session, for serving: from these tensors to those, by name."""
    from tensorfleet._saved_model import signature_constants, signature_def_utils, tag_constants

    builder = SavedModelBuilder(export_dir)
    signature = signature_def_utils.predict_signature_def(inputs, outputs)
    builder.add_meta_graph_and_variables(
        session, tags=[tag_constants.SERVING], signature_def_map={signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        assets_collection=get_default_graph().get_collection("asset_filepaths"), main_op=legacy_init_op, clear_devices=True)
    builder.save()
