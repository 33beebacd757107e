"""Optimizers that pull weights towards zero or keep them there, put together from their ops."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import apply_op, one
from tensorfleet._framework.convert import convert_to_tensor, constant
from tensorfleet._framework.variables import Variable
from tensorfleet._ops.arithmetic_ops import cast
from tensorfleet._train.optimizer import Optimizer


class _Proximal(Optimizer):
    """What is the same for both: a step, and then a step towards zero."""

    _op = ""
    _slot: str | None = None

    def __init__(self, learning_rate: Any, l1: Any, l2: Any, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._l1, self._l2 = learning_rate, l1, l2

    def _prepare(self) -> None:
        self._learning_rate_tensor = convert_to_tensor(self._call_if_callable(self._learning_rate), name="learning_rate")
        self._l1_tensor = convert_to_tensor(self._l1, name="l1_regularization_strength")
        self._l2_tensor = convert_to_tensor(self._l2, name="l2_regularization_strength")

    def _numbers(self, var: Variable) -> list[Any]:
        dtype = var.dtype.base_dtype
        numbers = (self._learning_rate_tensor, self._l1_tensor, self._l2_tensor)
        return [number if number.dtype.base_dtype == dtype else one("Cast", number, DstT=dtype) for number in numbers]

    def _changed(self, var: Variable) -> list[Any]:
        slots = [] if self._slot is None else [self.get_slot(var, self._slot).handle]  # type: ignore[union-attr]
        return [var.handle, *slots]

    def _apply_dense(self, grad: Any, var: Variable) -> Any:
        prefix = "ResourceApply" if var._is_resource else "Apply"
        return apply_op(prefix + self._op, *self._changed(var), *self._numbers(var), grad, use_locking=self._use_locking)

    def _apply_sparse(self, grad: Any, var: Variable) -> Any:
        prefix = "ResourceSparseApply" if var._is_resource else "SparseApply"
        return apply_op(prefix + self._op, *self._changed(var), *self._numbers(var), grad.values, grad.indices,
                        use_locking=self._use_locking)


class ProximalGradientDescentOptimizer(_Proximal):
    """Gradient descent that pulls weights towards zero."""

    _op = "ProximalGradientDescent"

    def __init__(
        self, learning_rate: Any, l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0,
        use_locking: bool = False, name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(learning_rate, l1_regularization_strength, l2_regularization_strength, use_locking, name)


class ProximalAdagradOptimizer(_Proximal):
    """Adagrad that pulls weights towards zero."""

    _op, _slot = "ProximalAdagrad", "accumulator"

    def __init__(
        self, learning_rate: Any, initial_accumulator_value: float = 0.1, l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0, use_locking: bool = False, name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value is {initial_accumulator_value}, but it must be above zero")
        super().__init__(learning_rate, l1_regularization_strength, l2_regularization_strength, use_locking, name)
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            if self.get_slot(var, "accumulator") is None:
                with var.graph.colocate_with(var.op):
                    value = constant(self._initial_accumulator_value, dtype=var.dtype.base_dtype, shape=var.shape)
                self._get_or_make_slot(var, value, "accumulator", self._name)


class AdagradDAOptimizer(Optimizer):
    """Adagrad with dual averaging: weights follow from all gradients so far, which keeps many of them at zero with `l1`."""

    def __init__(
        self, learning_rate: Any, global_step: Any, initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0, use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        initial = initial_gradient_squared_accumulator_value
        if initial <= 0.0:
            raise ValueError(f"initial_gradient_squared_accumulator_value is {initial}, but it must be above zero")
        super().__init__(use_locking, name)
        self._learning_rate, self._global_step, self._initial = learning_rate, global_step, initial
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            with var.graph.colocate_with(var.op):
                zeros, initial = (constant(value, var.dtype.base_dtype, var.shape) for value in (0.0, self._initial))
            self._get_or_make_slot(var, zeros, "gradient_accumulator", self._name)
            self._get_or_make_slot(var, initial, "gradient_squared_accumulator", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = convert_to_tensor(self._learning_rate, name="learning_rate")
        # A copy beside the worker's other numbers: the step itself is read once.
        with self._learning_rate_tensor.graph.colocate_with(self._learning_rate_tensor.op):
            self._step_here = one("Identity", self._global_step) + 1

    def _numbers(self, var: Variable) -> list[Any]:
        with var.graph.device(var.device):
            step = one("Identity", self._step_here)
        rest = (cast(number, var.dtype.base_dtype) for number in (self._learning_rate_tensor, self._l1, self._l2))
        return [*rest, step]

    def _changed(self, var: Variable) -> list[Any]:
        slots = (self.get_slot(var, name) for name in ("gradient_accumulator", "gradient_squared_accumulator"))
        return [var.handle, *(slot.handle for slot in slots if slot is not None)]

    def _apply_dense(self, grad: Any, var: Variable) -> Any:
        prefix, numbers = "ResourceApply" if var._is_resource else "Apply", self._numbers(var)
        return apply_op(prefix + "AdagradDA", *self._changed(var), grad, *numbers, use_locking=self._use_locking)

    def _apply_sparse(self, grad: Any, var: Variable) -> Any:
        prefix, numbers = "ResourceSparseApply" if var._is_resource else "SparseApply", self._numbers(var)
        return apply_op(prefix + "AdagradDA", *self._changed(var), grad.values, grad.indices, *numbers,
                        use_locking=self._use_locking)
