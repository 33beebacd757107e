"""One call that makes a training operation: `tf.contrib.layers.optimize_loss`."""

from __future__ import annotations

import inspect
from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.convert import IndexedSlices, constant, convert_to_tensor
from tensorfleet._framework.graph import get_default_graph
from tensorfleet._framework.init_ops import Constant
from tensorfleet._framework.variable_scope import get_variable, variable_scope
from tensorfleet._framework.variables import GraphKeys
from tensorfleet._ops import array_ops, math_ops, random_ops

__all__ = ["OPTIMIZER_CLS_NAMES", "OPTIMIZER_SUMMARIES", "optimize_loss"]

OPTIMIZER_SUMMARIES = ["learning_rate", "loss", "gradients", "gradient_norm", "global_gradient_norm"]


def _train() -> Any:
    from tensorfleet.v1 import train

    return train


def _momentum(learning_rate: Any) -> Any:
    return _train().MomentumOptimizer(learning_rate, momentum=0.9)


OPTIMIZER_CLS_NAMES = {
    "Adagrad": lambda rate: _train().AdagradOptimizer(rate), "Adam": lambda rate: _train().AdamOptimizer(rate),
    "Ftrl": lambda rate: _train().FtrlOptimizer(rate), "Momentum": _momentum,
    "RMSProp": lambda rate: _train().RMSPropOptimizer(rate), "SGD": lambda rate: _train().GradientDescentOptimizer(rate),
}


def optimize_loss(
    loss: Any, global_step: Any, learning_rate: Any, optimizer: Any, gradient_noise_scale: Any = None,
    gradient_multipliers: Any = None, clip_gradients: Any = None, learning_rate_decay_fn: Any = None, update_ops: Any = None,
    variables: Any = None, name: str | None = None, summaries: Any = None, colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Any:
    """The operation that makes a step of training, and then gives the loss.

    The optimizer is a name ("SGD", "Adam", "Adagrad", "Ftrl", "Momentum", "RMSProp"), a class, a function of the learning rate,
    or an object.
    """
    from tensorfleet._ops import control_flow
    from tensorfleet.v1 import summary

    loss = convert_to_tensor(loss)
    graph = get_default_graph()
    with variable_scope(name, "OptimizeLoss", [loss, global_step]):
        if global_step is None:
            global_step = _train().get_global_step()
        if update_ops is None:
            update_ops = list(dict.fromkeys(graph.get_collection(GraphKeys.UPDATE_OPS)))
        if update_ops:
            loss = control_flow.with_dependencies(list(update_ops), loss)
        rate: Any = None
        if learning_rate is not None:
            if isinstance(learning_rate, (int, float)):
                if learning_rate < 0.0:
                    raise ValueError(f"learning_rate is {learning_rate}, but it cannot be below zero")
                rate = get_variable(
                    "learning_rate", [], trainable=False, initializer=Constant(float(learning_rate)), dtype=dtypes.float32
                )
            else:
                rate = learning_rate
        if summaries is None:
            summaries = ["loss", "learning_rate", "global_gradient_norm"]
        for kind in summaries:
            if kind not in OPTIMIZER_SUMMARIES:
                raise ValueError(f"there is no summary {kind!r}; there are {OPTIMIZER_SUMMARIES}")
        if learning_rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError("learning_rate_decay_fn needs a global_step")
            rate = learning_rate_decay_fn(rate, global_step)
        if learning_rate is not None and "learning_rate" in summaries:
            summary.scalar("learning_rate", rate)
        opt = _optimizer(optimizer, rate)
        gradients = opt.compute_gradients(
            loss, graph.get_collection(GraphKeys.TRAINABLE_VARIABLES) if variables is None else variables,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gradient_noise_scale is not None:
            gradients = [(None if g is None else _noisy(g, gradient_noise_scale), v) for g, v in gradients]
        if gradient_multipliers is not None:
            gradients = [(_multiplied(g, v, gradient_multipliers), v) for g, v in gradients]
        if "global_gradient_norm" in summaries or "gradient_norm" in summaries:
            summary.scalar("global_norm/gradient_norm", math_ops.global_norm([g for g, _ in gradients if g is not None]))
        if isinstance(clip_gradients, (int, float)):
            gradients = _clipped(gradients, clip_gradients)
        elif callable(clip_gradients):
            gradients = clip_gradients(gradients)
        elif clip_gradients is not None:
            raise ValueError(f"clip_gradients is {type(clip_gradients).__name__}; give a number or a function")
        if "loss" in summaries:
            summary.scalar("loss", loss)
        for gradient, variable in gradients:
            values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
            if values is not None and "gradients" in summaries:
                summary.histogram(f"gradients/{variable.op.name}", values)
        updates = opt.apply_gradients(gradients, global_step=global_step if increment_global_step else None, name="train")
        return control_flow.with_dependencies([updates], loss)


def _optimizer(optimizer: Any, rate: Any) -> Any:
    if isinstance(optimizer, str):
        if optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError(f"there is no optimizer {optimizer!r}; there are {sorted(OPTIMIZER_CLS_NAMES)}")
        if rate is None:
            raise ValueError(f"an optimizer given by its name, {optimizer}, needs a learning_rate")
        return OPTIMIZER_CLS_NAMES[optimizer](rate)
    if inspect.isclass(optimizer):
        made: Any = optimizer
        return made(learning_rate=rate)
    if hasattr(optimizer, "compute_gradients"):
        return optimizer
    if callable(optimizer):
        return optimizer(rate) if rate is not None else optimizer()
    raise ValueError(f"optimizer is {optimizer!r}; give a name, an Optimizer, its class or a function")


def _noisy(gradient: Any, scale: Any) -> Any:
    values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
    noisy = values + random_ops.truncated_normal(array_ops.shape(values)) * scale
    return IndexedSlices(noisy, gradient.indices, gradient.dense_shape) if isinstance(gradient, IndexedSlices) else noisy


def _multiplied(gradient: Any, variable: Any, multipliers: Any) -> Any:
    factor = multipliers.get(variable, multipliers.get(variable.name))
    if gradient is None or factor is None:
        return gradient
    factor = constant(factor, dtype=dtypes.float32) if isinstance(factor, (int, float)) else factor
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
    return gradient * math_ops.cast(factor, gradient.dtype)


def _clipped(pairs: Any, limit: float) -> list[Any]:
    gradients, variables = [g for g, _ in pairs], [v for _, v in pairs]
    clipped, _ = math_ops.clip_by_global_norm(gradients, limit)
    return list(zip(clipped, variables))
