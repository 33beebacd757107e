"""Layers, regularizers and initializers (`tf.contrib.layers`)."""

from __future__ import annotations

from tensorfleet._contrib.layer_functions import *
from tensorfleet._contrib.more_layers import *
from tensorfleet._contrib.optimize import *
from tensorfleet._contrib.regularizers import *
from tensorfleet._ops.nn_embedding import safe_embedding_lookup_sparse
from tensorfleet.v1._refused import refusing

_COLUMNS = "tf.parse_example for features, and tf.one_hot, tf.nn.embedding_lookup and tf.layers.dense on them"

__getattr__ = refusing(
    "tf.contrib.layers",
    "tf.layers",
    {
        name: _COLUMNS
        for name in (
            "real_valued_column", "bucketized_column", "crossed_column", "embedding_column", "sparse_column_with_hash_bucket",
            "sparse_column_with_keys", "input_from_feature_columns", "one_hot_column", "weighted_sparse_column",
        )
    },
)
