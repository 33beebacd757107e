"""Tensors as saved models describe them."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.convert import SparseTensor, convert_to_tensor
from tensorfleet._framework.graph import Graph, get_default_graph
from tensorfleet._framework.messages import TensorInfo


def build_tensor_info(tensor: Any) -> Any:
    """The name, type and shape of a tensor, as a message."""
    if isinstance(tensor, SparseTensor):
        info = TensorInfo(dtype=tensor.dtype.base_dtype.as_datatype_enum)
        info.tensor_shape.CopyFrom(tensor.shape.as_proto())
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
        return info
    tensor = convert_to_tensor(tensor)
    info = TensorInfo(name=tensor.name, dtype=tensor.dtype.base_dtype.as_datatype_enum)
    info.tensor_shape.CopyFrom(tensor.shape.as_proto())
    return info


def get_tensor_from_tensor_info(tensor_info: Any, graph: Graph | None = None, import_scope: str | None = None) -> Any:
    """The tensor of a graph that a message describes."""
    graph = graph or get_default_graph()

    def find(name: str) -> Any:
        return graph.get_tensor_by_name(f"{import_scope}/{name}" if import_scope else name)

    if tensor_info.WhichOneof("encoding") == "coo_sparse":
        sparse = tensor_info.coo_sparse
        return SparseTensor(
            find(sparse.indices_tensor_name), find(sparse.values_tensor_name), find(sparse.dense_shape_tensor_name))
    return find(tensor_info.name)
