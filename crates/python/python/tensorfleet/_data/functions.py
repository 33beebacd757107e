"""Functions that datasets apply to their elements, built of the Python functions that users write."""

from __future__ import annotations

from typing import Any, Callable

from tensorfleet._data import structure
from tensorfleet._framework.func_graph import build_function
from tensorfleet._framework.graph import Tensor


class ElementFunction:
    """A function of elements: its name in the graph's library, the tensors that it uses from outside, and what it gives."""

    def __init__(self, what: str, function: Callable[..., Any], *specs: Any) -> None:
        if not callable(function):
            raise TypeError(f"{what} takes a function, not {function!r} of type {type(function).__name__}")
        leaves = [leaf for spec in specs for leaf in structure.flatten(spec)]
        arguments = [leaf.carried for leaf in leaves]
        self.result: Any = None

        def body(tensors: list[Tensor]) -> list[Tensor]:
            packed = structure.pack(tuple(specs), [_wrap(leaf, tensor) for leaf, tensor in zip(leaves, tensors)])
            # Only plain tuples are taken apart into arguments.
            called = packed[0] if len(specs) == 1 and type(packed[0]) is tuple else packed
            result = function(*called)
            if isinstance(result, list):
                result = tuple(result)
            if result is None:
                raise TypeError(f"The function given to {what} returned None: it must return the elements of the new dataset")
            self.result = structure.to_tensors(result, "Const")
            return structure.variants(self.result)

        name = getattr(function, "__name__", type(function).__name__).strip("<>")
        name = "".join(c if c.isalnum() else "_" for c in f"Dataset_{what}_{name}")
        self.name, self.captures = build_function(name, arguments, body)
        self.spec = structure.spec_of(self.result)

    @property
    def capture_types(self) -> list[Any]:
        """The types of what it uses from outside."""
        return [tensor.dtype for tensor in self.captures]

    def element_spec_of_dataset(self, what: str) -> Any:
        """What the elements of the datasets are that it makes; TypeError if it makes none."""
        if not isinstance(self.spec, structure.DatasetSpec):
            raise TypeError(f"The function given to {what} must return a `Dataset` object, but it returned {self.result!r}")
        return self.spec.element_spec


def _wrap(spec: Any, tensor: Tensor) -> Any:
    """What user code sees of an argument."""
    if isinstance(spec, structure.DatasetSpec):
        from tensorfleet._data.dataset import Dataset

        return Dataset(tensor, spec.element_spec)
    return spec.of_variant(tensor) if isinstance(spec, structure.SparseTensorSpec) else tensor
