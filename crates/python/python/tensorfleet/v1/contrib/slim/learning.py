"""Training operations and a training loop (`slim.learning`)."""

from __future__ import annotations

import time
from typing import Any

from tensorfleet._framework.convert import IndexedSlices, convert_to_tensor
from tensorfleet._framework.graph import get_default_graph
from tensorfleet._framework.variables import GraphKeys
from tensorfleet._ops import math_ops
from tensorfleet.v1 import logging
from tensorfleet.v1._refused import refusing

__all__ = ["clip_gradient_norms", "create_train_op", "multiply_gradients", "train", "train_step"]

_USE_GLOBAL_STEP = 0


def clip_gradient_norms(gradients_to_variables: Any, max_norm: float) -> list[Any]:
    """Gradients, each no longer than a norm."""

    def clipped(gradient: Any) -> Any:
        if gradient is None:
            return None
        if isinstance(gradient, IndexedSlices):
            return IndexedSlices(math_ops.clip_by_norm(gradient.values, max_norm), gradient.indices, gradient.dense_shape)
        return math_ops.clip_by_norm(gradient, max_norm)

    return [(clipped(gradient), variable) for gradient, variable in gradients_to_variables]


def multiply_gradients(grads_and_vars: Any, gradient_multipliers: dict[Any, Any]) -> list[Any]:
    """Gradients times the factors of their variables, which are given by variable or by name."""
    made = []
    for gradient, variable in grads_and_vars:
        factor = gradient_multipliers.get(variable, gradient_multipliers.get(variable.op.name))
        if factor is not None and gradient is not None:
            if isinstance(gradient, IndexedSlices):
                gradient = IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
            else:
                gradient = gradient * factor
        made.append((gradient, variable))
    return made


def create_train_op(
    total_loss: Any, optimizer: Any, global_step: Any = _USE_GLOBAL_STEP, update_ops: Any = None, variables_to_train: Any = None,
    transform_grads_fn: Any = None, summarize_gradients: bool = False, gate_gradients: Any = 1, aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False, check_numerics: bool = True, clip_gradient_norm: float = 0,
    gradient_multipliers: Any = None,
) -> Any:
    """The operation that makes a step of training after the updates of the model, and then gives the loss."""
    from tensorfleet._ops import control_flow
    from tensorfleet.v1 import train

    graph = get_default_graph()
    if global_step is _USE_GLOBAL_STEP:
        global_step = train.get_or_create_global_step()
    collected = graph.get_collection(GraphKeys.UPDATE_OPS)
    updates = list(dict.fromkeys(collected if update_ops is None else update_ops))
    if updates:
        with graph.control_dependencies(updates):
            barrier = control_flow.no_op(name="update_barrier")
        total_loss = control_flow.with_dependencies([barrier], convert_to_tensor(total_loss))
    gradients = optimizer.compute_gradients(
        total_loss, variables_to_train if variables_to_train is not None else graph.get_collection(GraphKeys.TRAINABLE_VARIABLES),
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if gradient_multipliers:
        gradients = multiply_gradients(gradients, gradient_multipliers)
    if transform_grads_fn is not None:
        gradients = transform_grads_fn(gradients)
    if clip_gradient_norm > 0:
        gradients = clip_gradient_norms(gradients, clip_gradient_norm)
    step = optimizer.apply_gradients(gradients, global_step=global_step)
    with graph.name_scope("train_op"):
        if check_numerics:
            total_loss = math_ops.check_numerics(total_loss, "LossTensor is inf or nan")
        train_op = control_flow.with_dependencies([step], convert_to_tensor(total_loss))
    graph.add_to_collection(GraphKeys.TRAIN_OP, train_op)
    return train_op


def train_step(sess: Any, train_op: Any, global_step: Any, train_step_kwargs: dict[str, Any]) -> tuple[Any, bool]:
    """One step: the loss, and whether training is to end."""
    start = time.time()
    loss, step = sess.run([train_op, global_step])
    if train_step_kwargs.get("should_log") and step % train_step_kwargs["should_log"] == 0:
        logging.info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, time.time() - start)
    limit = train_step_kwargs.get("should_stop")
    return loss, limit is not None and step >= limit


def train(
    train_op: Any, logdir: str | None, train_step_fn: Any = train_step, train_step_kwargs: Any = None, log_every_n_steps: int = 1,
    graph: Any = None, master: str = "", is_chief: bool = True, global_step: Any = None, number_of_steps: int | None = None,
    init_op: Any = _USE_GLOBAL_STEP, init_feed_dict: Any = None, local_init_op: Any = _USE_GLOBAL_STEP, init_fn: Any = None,
    ready_op: Any = _USE_GLOBAL_STEP, summary_op: Any = _USE_GLOBAL_STEP, save_summaries_secs: int = 600,
    summary_writer: Any = _USE_GLOBAL_STEP, startup_delay_steps: int = 0, saver: Any = None, save_interval_secs: int = 600,
    sync_optimizer: Any = None, session_config: Any = None, session_wrapper: Any = None, trace_every_n_steps: Any = None,
    ignore_live_threads: bool = False,
) -> Any:
    """Runs a training operation until a number of steps is reached; the last loss."""
    from tensorfleet.v1 import train as tf_train

    if train_op is None:
        raise ValueError("train needs a train_op")
    graph = graph or get_default_graph()
    with graph.as_default():
        if global_step is None:
            global_step = tf_train.get_or_create_global_step()
        extra: dict[str, Any] = {}
        for key, value in (
            ("init_op", init_op), ("local_init_op", local_init_op), ("ready_op", ready_op), ("summary_op", summary_op),
        ):
            if value is not _USE_GLOBAL_STEP:
                extra[key] = value
        if saver is not None:
            extra["saver"] = saver
        supervisor = tf_train.Supervisor(
            graph=graph, is_chief=is_chief, logdir=logdir, global_step=global_step, init_feed_dict=init_feed_dict,
            init_fn=init_fn, save_summaries_secs=save_summaries_secs, save_model_secs=save_interval_secs, **extra,
        )
        settings = {"should_stop": number_of_steps, "should_log": log_every_n_steps, **(train_step_kwargs or {})}
        loss = None
        with supervisor.managed_session(master, start_standard_services=logdir is not None, config=session_config) as sess:
            while not supervisor.should_stop():
                loss, stop = train_step_fn(sess, train_op, global_step, settings)
                if stop:
                    logging.info("training ends")
                    if logdir and is_chief and supervisor.saver is not None:
                        supervisor.saver.save(sess, supervisor.save_path, global_step=global_step)
                    supervisor.request_stop()
        return loss




__getattr__ = refusing("tf.contrib.slim.learning", "tf.train.MonitoredTrainingSession with a loop of one's own")
