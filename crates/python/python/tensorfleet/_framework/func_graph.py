"""Bodies of functions: graphs whose arguments are placeholders, and which take what they use of other graphs along as further
arguments.
"""

from __future__ import annotations

import contextlib
import itertools
from typing import Any, Callable, Iterable, Iterator

from tensorfleet._framework import errors
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.graph import Graph, Operation, Tensor, get_default_graph
from tensorfleet._framework.tensor_shape import TensorShape

# Operations that are there for what they do: a function does them although no result needs them.
_EFFECTS = ("Assert", "Print", "PrintV2", "Assign", "AssignAdd", "AssignSub", "AssignVariableOp", "AssignAddVariableOp",
            "AssignSubVariableOp", "QueueEnqueueV2", "QueueEnqueueManyV2", "LookupTableInsertV2", "WriteFile")
_numbers = itertools.count()


class FuncGraph(Graph):
    """The body of a function of an outer graph. A tensor of the outer graph that is used here is captured: it becomes an argument.
    """

    def __init__(self, outer: Graph) -> None:
        super().__init__()
        self.outer_graph = outer
        self.inputs: list[Tensor] = []
        #: The tensors of the outer graph that the body uses, and the argument that each became.
        self.captures: dict[Tensor, Tensor] = {}
        self._seed = outer.seed
        self._core.set_seed(outer.seed)

    @property
    def building_function(self) -> bool:
        """Whether the graph is the body of a function."""
        return True

    def add_argument(self, dtype: DType, shape: TensorShape, name: str) -> Tensor:
        """Adds an argument, outside of the scopes that the body is in."""
        number = dtype.base_dtype.as_datatype_enum
        dims = None if shape.ndims is None else shape.as_list()
        scopes = [self._core.enter_no_control_dependencies(), self._core.enter_no_colocation(), self._core.enter_name("")]
        try:
            return self.create_op("Placeholder", [], {"dtype": number, "shape": dims}, name)._outputs[0]
        finally:
            for scope in reversed(scopes):
                scope.leave()

    def capture(self, tensor: Tensor) -> Tensor:
        """The tensor of the body that stands for a tensor, whatever graph around the body that is of."""
        if tensor.graph is self:
            return tensor
        found = self.captures.get(tensor)
        if found is None:
            if tensor.graph is not self.outer_graph and not isinstance(self.outer_graph, FuncGraph):
                super()._foreign(tensor)
            if tensor.dtype._is_ref_dtype:
                raise ValueError(
                    f"The function uses the reference {tensor.name!r} of a variable: only its value can be used in a function"
                )
            name = "captured_" + tensor.op.name.replace("/", "_").lower()
            found = self.captures[tensor] = self.add_argument(tensor.dtype, tensor.shape, name)
        return found

    def _foreign(self, tensor: Tensor) -> tuple[int, int]:
        return self.capture(tensor)._place

    def captured_outside(self) -> list[Tensor]:
        """The captured tensors as the outer graph has them: what calls the function with."""
        return [self.outer_graph._tensor(self.outer_graph._place_of(tensor)) for tensor in self.captures]

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> Iterator[None]:
        """Operations built within run after these. What is outside of the body has run before it."""
        if control_inputs is not None:
            control_inputs = [value for value in control_inputs if getattr(value, "graph", self) is self]
        with super().control_dependencies(control_inputs):
            yield

    @contextlib.contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Operations built within share a device with another, if that is in the body."""
        if op is not None and getattr(op, "graph", self) is not self:
            yield
            return
        with super().colocate_with(op, ignore_existing):
            yield

    def _effects(self) -> list[Operation]:
        operations = self.get_operations()
        # What stands in a branch or a loop may not run at all, so nothing can wait for it.
        if any(op.type in ("Switch", "RefSwitch", "Enter") for op in operations):
            return []
        return [op for op in operations if op.type in _EFFECTS]

    def define(self, name: str, results: list[Tensor]) -> str:
        """Adds the function with these results to the outer graph and returns its name."""
        with self.as_default(), super().control_dependencies(self._effects()):
            results = [self.create_op("Identity", [tensor], {}, "Identity")._outputs[0] for tensor in results]
        arguments = [tensor._place for tensor in [*self.inputs, *self.captures.values()]]
        full = f"__inference_{name}_{next(_numbers)}"
        try:
            self.outer_graph._core.add_function(full, self._core, arguments, [tensor._place for tensor in results])
        except errors.OpError as error:
            raise ValueError(f"{name} cannot be a function of a graph: {error.message}") from None
        return full


def build_function(
    name: str, arguments: list[tuple[DType, TensorShape]], function: Callable[[list[Tensor]], list[Tensor]]
) -> tuple[str, list[Tensor]]:
    """Builds a function of the default graph: `function` is called with its arguments and gives its results.

    Returns the function's name and the tensors of the default graph that it captured, which are its last arguments.
    """
    outer = get_default_graph()
    body = FuncGraph(outer)
    with body.as_default():
        body.inputs = [body.add_argument(dtype, shape, f"args_{i}") for i, (dtype, shape) in enumerate(arguments)]
        results = [body._tensor(body._place_of(tensor)) for tensor in function(list(body.inputs))]
    return body.define(name, results), body.captured_outside()
