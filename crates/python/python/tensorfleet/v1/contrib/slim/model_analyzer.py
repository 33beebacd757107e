"""How large a model is (`slim.model_analyzer`)."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.tensor_shape import as_shape

__all__ = ["analyze_vars", "tensor_description"]


def tensor_description(var: Any) -> str:
    """The type and the shape of a tensor: `(float32_ref 3x4)`."""
    dims = "x".join("?" if dim is None else str(dim) for dim in as_shape(var.shape).as_list())
    return f"({var.dtype.name} {dims})"


def analyze_vars(variables: Any, print_info: bool = False) -> tuple[int, int]:
    """How many elements and how many bytes variables have; each is printed if asked."""
    elements = size = 0
    if print_info:
        print("---------")
        print("Variables: name (type shape) [size]")
        print("---------")
    for variable in variables:
        count = variable.shape.num_elements() or 0
        bytes_ = count * variable.dtype.base_dtype.size
        elements, size = elements + count, size + bytes_
        if print_info:
            print(f"{variable.name} {tensor_description(variable)} [{count}, bytes: {bytes_}]")
    if print_info:
        print(f"Total size of variables: {elements}")
        print(f"Total bytes of variables: {size}")
    return elements, size
