"""Feature columns are not here: each name says what to use instead."""

from __future__ import annotations

from tensorfleet.v1._refused import refusing

__getattr__ = refusing(
    "tf.feature_column",
    "tf.parse_example for features, and tf.one_hot, tf.nn.embedding_lookup and tf.layers.dense on them",
    {
        "numeric_column": "tf.FixedLenFeature in tf.parse_example, and the tensor itself",
        "embedding_column": "tf.nn.embedding_lookup_sparse", "indicator_column": "tf.one_hot",
        "categorical_column_with_hash_bucket": "tf.string_to_hash_bucket_fast",
        "categorical_column_with_vocabulary_list": "a table of tf.contrib.lookup",
        "bucketized_column": "tf.cast of comparisons with the boundaries", "crossed_column": "tf.string_join and a hash bucket",
        "input_layer": "tf.concat of the features' tensors", "linear_model": "tf.layers.dense",
        "make_parse_example_spec": "a dict of tf.FixedLenFeature and tf.VarLenFeature",
    },
)
