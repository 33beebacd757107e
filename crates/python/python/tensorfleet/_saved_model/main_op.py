"""The operation that runs when a saved model is loaded."""

from __future__ import annotations

from typing import Any


def main_op() -> Any:
    """Initialises all variables and fills all tables."""
    import tensorfleet.v1 as tf
    from tensorfleet._train.tables import tables_initializer

    return tf.group(tf.global_variables_initializer(), tf.local_variables_initializer(), tables_initializer())


def main_op_with_restore(restore_op_name: str) -> Any:
    """As :func:`main_op`, and after it an operation of this name."""
    import tensorfleet.v1 as tf

    with tf.control_dependencies([main_op()]):
        return tf.get_default_graph().get_operation_by_name(restore_op_name)
