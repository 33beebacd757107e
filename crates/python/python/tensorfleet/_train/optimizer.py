"""What all optimizers have in common, and what authors of optimizers build on."""

from __future__ import annotations

from typing import Any, Callable

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import apply_op, one
from tensorfleet._framework.convert import IndexedSlices, convert_to_tensor
from tensorfleet._framework.graph import Graph, Operation, Tensor, get_default_graph
from tensorfleet._framework.variables import GraphKeys, Variable, find_variable
from tensorfleet._train.mirror import mirrored

_VALID = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128)


def flat_variables(variables: Any) -> list[Variable]:
    """The variables of a list in which there may be lists and partitioned variables."""
    flat: list[Variable] = []
    for variable in variables if isinstance(variables, (list, tuple)) else [variables]:
        if isinstance(variable, (list, tuple)):
            flat.extend(flat_variables(variable))
        elif isinstance(variable, Variable):
            flat.append(variable)
        elif hasattr(variable, "_get_variable_list"):
            flat.extend(variable._get_variable_list())
        else:
            raise TypeError(f"Argument is not a tf.Variable: {variable!r}")
    return flat


class Optimizer:
    """Changes variables along the gradients of a loss.

    A class of one's own overrides `_apply_dense` and `_apply_sparse` (or `_resource_apply_dense` and `_resource_apply_sparse`),
    and `_create_slots`, `_prepare` and `_finish` where it needs them.

    >>> import tensorfleet.v1 as tf
    >>> class Halving(tf.train.Optimizer):
    ...     def __init__(self):
    ...         super().__init__(False, "Halving")
    ...     def _apply_dense(self, grad, var):
    ...         return var.assign(var * 0.5)
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     w = tf.Variable(8.0)
    ...     train = Halving().minimize(w * w)
    ...     sess.run(w.initializer)
    ...     sess.run(train)
    ...     sess.run(w)
    np.float32(4.0)
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("an optimizer needs a name")
        self._use_locking, self._name = use_locking, name
        self._slots: dict[str, dict[Any, Variable]] = {}
        self._non_slot_dict: dict[Any, Variable] = {}

    def get_name(self) -> str:
        """The name of the scope that its nodes are in."""
        return self._name

    # Gradients

    def minimize(
        self, loss: Any, global_step: Variable | None = None, var_list: Any = None, gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None, colocate_gradients_with_ops: bool = False, name: str | None = None,
        grad_loss: Any = None,
    ) -> Operation:
        """The operation that makes `loss` smaller, and then adds one to `global_step`."""
        grads_and_vars = self.compute_gradients(
            loss, var_list=var_list, gate_gradients=gate_gradients, aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops, grad_loss=grad_loss,
        )
        if all(gradient is None for gradient, _ in grads_and_vars):
            raise ValueError(
                f"No gradients provided for any variable: none of {[str(variable) for _, variable in grads_and_vars]} "
                f"reaches the loss {loss} through ops that have a gradient"
            )
        return self.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def compute_gradients(
        self, loss: Any, var_list: Any = None, gate_gradients: int = GATE_OP, aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False, grad_loss: Any = None,
    ) -> list[tuple[Any, Variable]]:
        """Pairs of gradients and variables: those of `var_list`, or all that are trained. A gradient is None if the loss does not
        depend on the variable."""
        if callable(loss):
            raise TypeError("a loss that is a function is for eager execution, which tensorfleet does not have: give a tensor")
        if gate_gradients not in (Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH):
            raise ValueError(
                f"gate_gradients is {gate_gradients}; it can be Optimizer.GATE_NONE, GATE_OP or GATE_GRAPH"
            )
        loss = convert_to_tensor(loss)
        self._assert_valid_dtypes([loss])
        graph = loss.graph
        if var_list is None:
            var_list = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
        variables = flat_variables(var_list)
        if not variables:
            raise ValueError("No variables to optimize: var_list is empty, or the graph has none that can be trained")
        from tensorfleet._ops.gradient_ops import gradients

        found = gradients(
            loss, [variable.handle for variable in variables], grad_ys=grad_loss,
            gate_gradients=gate_gradients == Optimizer.GATE_OP,
            aggregation_method=aggregation_method, colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gate_gradients == Optimizer.GATE_GRAPH and any(gradient is not None for gradient in found):
            from tensorfleet._ops.control_flow import tuple as tuple_of  # type: ignore[attr-defined]

            found = tuple_of(found)
        pairs = list(zip(found, variables))
        self._assert_valid_dtypes([variable for gradient, variable in pairs if gradient is not None])
        return pairs

    def _assert_valid_dtypes(self, tensors: Any) -> None:
        valid = self._valid_dtypes()
        for tensor in tensors:
            dtype = tensor.dtype.base_dtype
            if dtype not in valid:
                raise ValueError(f"{tensor.name} is of {dtype!r}, and this optimizer takes {list(valid)}")

    def _valid_dtypes(self) -> Any:
        return _VALID

    # Steps

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Variable | None = None, name: str | None = None
    ) -> Operation:
        """The operation that changes variables along these gradients, and then adds one to `global_step`."""
        pairs = checked_pairs(grads_and_vars)
        graph = pairs[0][1].graph
        with graph.as_default():
            with graph.control_dependencies(None):
                self._create_slots([variable for gradient, variable in pairs if gradient is not None])
            with graph.name_scope(name or self._name) as scope:
                self._prepare()
                updates = []
                for gradient, variable in pairs:
                    if gradient is None:
                        continue
                    with graph.name_scope(f"update_{variable.op.name}"), graph.colocate_with(variable.op):
                        updates.append(self._update(gradient, variable))
                if global_step is None:
                    train = self._finish(updates, scope)
                else:
                    with graph.control_dependencies([self._finish(updates, "update")]), graph.colocate_with(global_step.op):
                        train = _count_step(global_step, scope)
        note_train_op(graph, train)
        return train

    def _update(self, gradient: Any, variable: Variable) -> Any:
        if isinstance(gradient, IndexedSlices):
            if variable._is_resource:
                update = self._resource_apply_sparse_duplicate_indices(gradient.values, variable, gradient.indices)
            else:
                update = self._apply_sparse_duplicate_indices(gradient, variable)
        elif variable._is_resource:
            update = self._resource_apply_dense(gradient, variable)
        else:
            update = self._apply_dense(gradient, variable)
        if variable.constraint is not None:
            with variable.graph.control_dependencies([update]):
                return variable.assign(variable.constraint(variable))
        return update

    def _create_slots(self, var_list: list[Variable]) -> None:
        """Makes what is kept for each variable."""

    def _prepare(self) -> None:
        """Makes the tensors that all updates need."""

    def _apply_dense(self, grad: Tensor, var: Variable) -> Any:
        """The operation that changes a variable."""
        raise NotImplementedError(f"{type(self).__name__} does not override _apply_dense")

    def _resource_apply_dense(self, grad: Tensor, handle: Variable) -> Any:
        """The operation that changes a variable that is a resource."""
        return self._apply_dense(grad, handle)

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Any:
        """The operation that changes rows of a variable; each row comes once."""
        raise NotImplementedError(f"{type(self).__name__} does not override _apply_sparse")

    def _resource_apply_sparse(self, grad: Tensor, handle: Variable, indices: Tensor) -> Any:
        """The operation that changes rows of a variable that is a resource; each row comes once."""
        return self._apply_sparse(IndexedSlices(grad, indices), handle)

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Variable) -> Any:
        values, indices = _unique_rows(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _resource_apply_sparse_duplicate_indices(self, grad: Tensor, handle: Variable, indices: Tensor) -> Any:
        values, rows = _unique_rows(grad, indices)
        return self._resource_apply_sparse(values, handle, rows)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        """The operation that is done when all updates are."""
        from tensorfleet._ops.control_flow import group  # type: ignore[attr-defined]

        return group(*update_ops, name=name_scope)

    # What is kept

    def get_slot_names(self) -> list[str]:
        """The names of what is kept for each variable."""
        return sorted(self._slots)

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """What is kept for a variable under a name, or None."""
        return self._slots.get(name, {}).get(var)

    def variables(self) -> list[Variable]:
        """All variables that it made in the default graph, by name."""
        graph = get_default_graph()
        made = [slot for slots in self._slots.values() for slot in slots.values()] + list(self._non_slot_dict.values())
        return sorted({variable for variable in made if variable.graph is graph}, key=lambda variable: variable.name)

    def _slot_dict(self, slot_name: str) -> dict[Any, Variable]:
        return self._slots.setdefault(slot_name, {})

    def _make_slot(self, var: Variable, value: Tensor | None, slot_name: str, op_name: str) -> Variable:
        slots = self._slot_dict(slot_name)
        if var not in slots:
            graph = var.graph
            with mirrored(graph):
                made = graph._core.create_slot(var._shared_name, op_name, None if value is None else value._place)
            slots[var] = find_variable(graph, made)
        return slots[var]

    def _get_or_make_slot(self, var: Variable, val: Any, slot_name: str, op_name: str) -> Variable:
        if var in self._slot_dict(slot_name):
            return self._slot_dict(slot_name)[var]
        return self._make_slot(var, convert_to_tensor(val), slot_name, op_name)

    def _get_or_make_slot_with_initializer(
        self, var: Variable, initializer: Callable[..., Any], shape: Any, dtype: Any, slot_name: str, op_name: str
    ) -> Variable:
        if var in self._slot_dict(slot_name):
            return self._slot_dict(slot_name)[var]
        return self._make_slot(var, initializer(shape, dtype=dtype), slot_name, op_name)

    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Variable:
        return self._make_slot(var, None, slot_name, op_name)

    def _create_non_slot_variable(self, initial_value: Any, name: str, colocate_with: Variable) -> Variable:
        key = (name, colocate_with.graph)
        if key not in self._non_slot_dict:
            with colocate_with.graph.as_default(), colocate_with.graph.colocate_with(colocate_with.op):
                self._non_slot_dict[key] = Variable(
                    initial_value, name=name, trainable=False, use_resource=colocate_with._is_resource)
        return self._non_slot_dict[key]

    def _get_non_slot_variable(self, name: str, graph: Graph | None = None) -> Variable | None:
        return self._non_slot_dict.get((name, graph or get_default_graph()))

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) else param


def checked_pairs(grads_and_vars: Any) -> list[tuple[Any, Variable]]:
    """Pairs of gradients and variables, in which gradients are tensors, rows or None."""
    pairs = [tuple(pair) for pair in grads_and_vars]
    if not pairs:
        raise ValueError("apply_gradients was given no variables")
    made: list[tuple[Any, Variable]] = []
    for gradient, variable in pairs:
        if not isinstance(variable, Variable):
            raise TypeError(f"Gradients are applied to variables, not to {variable!r}")
        if gradient is not None and not isinstance(gradient, IndexedSlices):
            with variable.graph.as_default():
                gradient = convert_to_tensor(gradient)
        made.append((gradient, variable))
    if all(gradient is None for gradient, _ in made):
        raise ValueError(f"all gradients are None; the variables are {[variable.name for _, variable in made]}")
    return made


def core_pairs(pairs: list[tuple[Any, Variable]]) -> list[Any]:
    """Pairs of gradients and variables as the core takes them."""
    made: list[Any] = []
    for gradient, variable in pairs:
        if isinstance(gradient, IndexedSlices):
            shape = gradient.dense_shape
            if shape is None:
                with variable.graph.as_default():
                    shape = one("Shape", variable.value())
            made.append(((gradient.values._place, gradient.indices._place, shape._place), variable._shared_name))
        else:
            made.append((None if gradient is None else gradient._place, variable._shared_name))
    return made


def note_train_op(graph: Graph, train: Any) -> None:
    """Puts an operation into the collection of training steps, once."""
    operation = train.op if isinstance(train, Tensor) else train
    collection = graph.get_collection_ref(GraphKeys.TRAIN_OP)
    if operation not in collection:
        collection.append(operation)


def _count_step(counter: Variable, name: str) -> Operation:
    if counter._is_resource:
        one_more = convert_to_tensor(1, dtype=counter.dtype.base_dtype, name="Const")
        return apply_op("AssignAddVariableOp", counter.handle, one_more, name=name, dtype=counter.dtype.base_dtype)
    one_more = convert_to_tensor(1, dtype=counter.dtype.base_dtype, name="value")
    return apply_op("AssignAdd", counter.handle, one_more, name=name)


def _unique_rows(values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]:
    """Rows of the same index added up."""
    unique = apply_op("Unique", indices)
    count = one("Shape", unique.outputs[0])[0]
    return one("UnsortedSegmentSum", values, unique.outputs[1], count), unique.outputs[0]
