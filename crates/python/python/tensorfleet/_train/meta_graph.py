"""Meta graphs: a graph with its collections, in one message."""

from __future__ import annotations

import os
from typing import Any

from tensorfleet._framework import places
from tensorfleet._framework.graph import Graph, Operation, Tensor, get_default_graph
from tensorfleet._framework.messages import (
    GraphDef, MetaGraphDef, QueueRunnerDef, SaverDef, VariableDef, message_to_text, parse_text,
)
from tensorfleet._framework.variables import GraphKeys, SaveSliceInfo, Variable, known_variables

_OF_VARIABLES = {
    GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES, GraphKeys.MODEL_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES, GraphKeys.METRIC_VARIABLES, GraphKeys.GLOBAL_STEP, GraphKeys.WEIGHTS, GraphKeys.BIASES,
    GraphKeys.CONCATENATED_VARIABLES, "resources_variables",
}


def _as_message(value: Any) -> bytes | None:
    """The bytes of a member of a collection that is a message, else None."""
    if isinstance(value, Variable):
        made = value.to_proto()
        info = value._get_save_slice_info()
        if info is not None:
            made.save_slice_info_def.full_name = info.full_name
            made.save_slice_info_def.full_shape.extend(info.full_shape)
            made.save_slice_info_def.var_offset.extend(info.var_offset)
            made.save_slice_info_def.var_shape.extend(info.var_shape)
        return made.SerializeToString()
    if hasattr(value, "to_proto"):
        made = value.to_proto()
        return made.SerializeToString() if hasattr(made, "SerializeToString") else None
    return None


def _put_collection(meta: Any, key: str, values: list[Any]) -> None:
    from tensorfleet.v1 import logging

    place = meta.collection_def[key]
    for value in values:
        if hasattr(value, "to_any"):
            place.any_list.value.append(value.to_any())
            continue
        message = _as_message(value)
        if message is not None:
            place.bytes_list.value.append(message)
        elif isinstance(value, (Tensor, Operation)) or hasattr(value, "_as_graph_element"):
            place.node_list.value.append(value.name)
        elif isinstance(value, (str, bytes)):
            place.bytes_list.value.append(value.encode() if isinstance(value, str) else value)
        elif isinstance(value, bool) or not isinstance(value, (int, float)):
            logging.warn("the collection %r is left out of the meta graph: it holds %r", key, type(value).__name__)
            del meta.collection_def[key]
            return
        elif isinstance(value, int):
            place.int64_list.value.append(value)
        else:
            place.float_list.value.append(value)


def _without_graph(graph: Graph, saver_def: Any, collection_list: Any, meta_info_def: Any) -> Any:
    meta = MetaGraphDef()
    if meta_info_def is not None:
        meta.meta_info_def.CopyFrom(meta_info_def)
    meta.meta_info_def.tensorflow_version = meta.meta_info_def.tensorflow_version or "1.15.0"
    meta.meta_info_def.tensorflow_git_version = meta.meta_info_def.tensorflow_git_version or "tensorfleet"
    if saver_def is not None:
        meta.saver_def.CopyFrom(saver_def)
    for key in sorted(graph.get_all_collection_keys() if collection_list is None else collection_list):
        values = graph.get_collection(key)
        if values:
            _put_collection(meta, key, values)
    return meta


def export_meta_graph_bytes(graph: Graph, saver_def: Any = None) -> bytes:
    """A graph with its collections, as the bytes of a message."""
    meta = _without_graph(graph, saver_def, None, None).SerializeToString()
    nodes = graph._core.graph_def()
    length, size = bytearray(), len(nodes)
    while size >= 0x80:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    length.append(size)
    # The fields of a message may come in any order, and the graph is field 2.
    return meta + b"\x12" + bytes(length) + nodes


def export_meta_graph(
    filename: str | None = None, meta_info_def: Any = None, graph_def: Any = None, saver_def: Any = None,
    collection_list: Any = None, as_text: bool = False, graph: Graph | None = None, export_scope: str | None = None,
    clear_devices: bool = False, clear_extraneous_savers: bool = False, strip_default_attrs: bool = False,
    save_debug_info: bool = False, **kwargs: Any,
) -> Any:
    """A graph with its collections as a message, which is also written to a file if there is a name for it."""
    graph = graph or get_default_graph()
    if export_scope is not None:
        raise NotImplementedError("tensorfleet exports whole graphs: export_scope is not offered")
    meta = _without_graph(graph, saver_def, collection_list, meta_info_def)
    meta.graph_def.CopyFrom(graph.as_graph_def() if graph_def is None else graph_def)
    if clear_devices:
        for node in meta.graph_def.node:
            node.device = ""
    if filename:
        write_message(filename, meta, as_text)
    return meta


def write_message(path: str, message: Any, as_text: bool) -> None:
    """Writes a message to a file, whose folder is made if it is missing."""
    from tensorfleet._train.checkpoints import write_atomically

    folder = os.path.dirname(path)
    if folder:
        places.makedirs(folder)
    write_atomically(path, message_to_text(message).encode() if as_text else message.SerializeToString())


def write_graph(graph_or_graph_def: Any, logdir: str, name: str, as_text: bool = True) -> str:
    """Writes a graph to a file, as text unless told otherwise, and gives its path.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> os.path.basename(write_graph(Graph(), folder, "graph.pbtxt"))
    'graph.pbtxt'
    """
    message = graph_or_graph_def.as_graph_def() if isinstance(graph_or_graph_def, Graph) else graph_or_graph_def
    path = os.path.join(logdir, name)
    write_message(path, message, as_text)
    return path


def read_meta_graph_file(filename: str) -> Any:
    """The meta graph of a file, in either form."""
    if not places.exists(filename):
        raise OSError(f"there is no file {filename}")
    content = places.read(filename)
    try:
        return MetaGraphDef.FromString(content)
    except Exception as error:
        try:
            return parse_text(content.decode(), MetaGraphDef())
        except Exception:
            raise OSError(f"{filename} does not hold a MetaGraphDef: {error}") from None


def _scoped(name: str, scope: str | None) -> str:
    if not scope or not name:
        return name
    if name.startswith("^"):
        return f"^{scope}/{name[1:]}"
    if name.startswith("loc:@"):
        return f"loc:@{scope}/{name[5:]}"
    return f"{scope}/{name}"


def import_nodes(graph: Graph, graph_def: Any, scope: str | None, clear_devices: bool, input_map: Any = None) -> None:
    """Adds the nodes of a message, under a scope if there is one."""
    if scope or clear_devices or input_map:
        graph_def = GraphDef.FromString(graph_def.SerializeToString())
        names = {}
        for key, tensor in (input_map or {}).items():
            names[key.removesuffix(":0")] = (tensor.name if isinstance(tensor, Tensor) else str(tensor)).removesuffix(":0")
        kept = []
        for node in graph_def.node:
            if node.name in names:
                continue
            kept.append(node)
            node.name = _scoped(node.name, scope)
            for i, name in enumerate(node.input):
                node.input[i] = names[name] if name in names else _scoped(name, scope)
            if "_class" in node.attr:
                place = node.attr["_class"].list.s
                for i, name in enumerate(place):
                    place[i] = _scoped(name.decode(), scope).encode()
            if clear_devices:
                node.device = ""
        if len(kept) < len(graph_def.node):
            trimmed = GraphDef(versions=graph_def.versions, library=graph_def.library)
            trimmed.node.extend(kept)
            graph_def = trimmed
    graph._core.import_graph_def(graph_def.SerializeToString())


def variable_from_proto(graph: Graph, definition: Any, scope: str | None = None) -> Variable:
    """The variable of a message, whose nodes the graph has."""
    handle = graph.get_tensor_by_name(_scoped(definition.variable_name, scope))
    name = handle.op.name
    if name in known_variables(graph):
        return known_variables(graph)[name]
    initializer = graph.get_operation_by_name(_scoped(definition.initializer_name, scope))
    snapshot = graph.get_tensor_by_name(_scoped(definition.snapshot_name or f"{definition.variable_name[:-2]}/read:0", scope))
    initial = definition.initial_value_name
    value = graph.get_tensor_by_name(_scoped(initial, scope)) if initial else initializer.inputs[1]
    made = Variable._from_nodes(
        graph, name, handle, value, initializer, snapshot, bool(definition.trainable), bool(definition.is_resource))
    graph._core.adopt_variable(
        name, made._is_resource, handle._place, value._place, initializer._id, snapshot._place, made._trainable)
    info = definition.save_slice_info_def
    if info.full_name:
        made._set_save_slice_info(SaveSliceInfo(
            info.full_name, list(info.full_shape), list(info.var_offset), list(info.var_shape)))
    return made


def import_scoped_meta_graph(
    meta_graph_or_file: Any, clear_devices: bool = False, graph: Graph | None = None, import_scope: str | None = None,
    input_map: Any = None, unbound_inputs_col_name: str = "unbound_inputs", restore_collections_predicate: Any = None,
) -> dict[str, Variable]:
    """Adds a meta graph to a graph, with its collections, and gives its variables by name."""
    from tensorfleet._train.queue_runner import QueueRunner
    from tensorfleet._train.saver import Saver

    graph = graph or get_default_graph()
    meta = meta_graph_or_file if hasattr(meta_graph_or_file, "graph_def") else read_meta_graph_file(meta_graph_or_file)
    import_nodes(graph, meta.graph_def, import_scope, clear_devices, input_map)
    variables: dict[str, Variable] = {}
    with graph.as_default():
        for key in sorted(meta.collection_def):
            if restore_collections_predicate is not None and not restore_collections_predicate(key):
                continue
            collection = meta.collection_def[key]
            kind = collection.WhichOneof("kind")
            if kind == "bytes_list" and key in (GraphKeys.COND_CONTEXT, GraphKeys.WHILE_CONTEXT):
                continue
            if kind == "node_list":
                for name in collection.node_list.value:
                    graph.add_to_collection(key, graph.as_graph_element(_scoped(name, import_scope)))
            elif kind == "int64_list":
                for number in collection.int64_list.value:
                    graph.add_to_collection(key, int(number))
            elif kind == "float_list":
                for number in collection.float_list.value:
                    graph.add_to_collection(key, float(number))
            elif kind == "bytes_list":
                for content in collection.bytes_list.value:
                    value: Any = content
                    if key in _OF_VARIABLES:
                        value = variable_from_proto(graph, VariableDef.FromString(content), import_scope)
                        variables[value.op.name] = value
                    elif key == GraphKeys.QUEUE_RUNNERS:
                        value = QueueRunner(queue_runner_def=QueueRunnerDef.FromString(content), import_scope=import_scope)
                    elif key == GraphKeys.SAVERS:
                        value = Saver.from_proto(SaverDef.FromString(content), import_scope)
                    graph.add_to_collection(key, value)
    return variables


def import_meta_graph(
    meta_graph_or_file: Any, clear_devices: bool = False, import_scope: str | None = None, **kwargs: Any
) -> Any:
    """Adds a meta graph to the default graph, and gives a saver for it; None if it has no variables."""
    from tensorfleet._train.saver import Saver

    meta = meta_graph_or_file if hasattr(meta_graph_or_file, "graph_def") else read_meta_graph_file(meta_graph_or_file)
    kwargs.pop("return_elements", None)
    graph = get_default_graph()
    variables = import_scoped_meta_graph(meta, clear_devices, graph, import_scope, **kwargs)
    if meta.HasField("saver_def"):
        saver_def, scope = meta.saver_def, import_scope or ""
        # A saver of nodes under another scope saves under the old names.
        return Saver(saver_def=saver_def, name=scope) if not scope else Saver.from_proto(saver_def, scope)
    return Saver() if variables or graph.get_collection(GraphKeys.GLOBAL_VARIABLES) else None
