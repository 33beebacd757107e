"""The network of the tutorial that translates: an encoder and a decoder with attention, unrolled for several lengths."""

from __future__ import annotations

import random
from typing import Any, Callable

import numpy as np

import tensorfleet.v1 as tf
from tensorfleet.v1.contrib import legacy_seq2seq
from tensorfleet.v1.models.rnn.translate import data_utils

__all__ = ["Seq2SeqModel"]

Bucket = tuple[int, int]


class Seq2SeqModel:
    """A network that reads a sequence of numbers of words and writes another, with attention to what it read.

    Sequences are put into buckets, pairs of the largest lengths of what is read and written; for each there is an unrolled network, and
    all share their variables.
    """

    def __init__(
        self, source_vocab_size: int, target_vocab_size: int, buckets: list[Bucket], size: int, num_layers: int,
        max_gradient_norm: float, batch_size: int, learning_rate: float, learning_rate_decay_factor: float,
        use_lstm: bool = False, num_samples: int = 512, forward_only: bool = False, dtype: Any = tf.float32,
    ) -> None:
        self.source_vocab_size, self.target_vocab_size = source_vocab_size, target_vocab_size
        self.buckets, self.batch_size = buckets, batch_size
        self.learning_rate = tf.Variable(float(learning_rate), trainable=False, dtype=dtype)
        self.learning_rate_decay_op = self.learning_rate.assign(self.learning_rate * learning_rate_decay_factor)
        self.global_step = tf.Variable(0, trainable=False)

        projection, sampled_loss = self._projection(size, num_samples, dtype)
        read, written = buckets[-1]
        self.encoder_inputs = [tf.placeholder(tf.int32, [None], name=f"encoder{i}") for i in range(read)]
        self.decoder_inputs = [tf.placeholder(tf.int32, [None], name=f"decoder{i}") for i in range(written + 1)]
        self.target_weights = [tf.placeholder(dtype, [None], name=f"weight{i}") for i in range(written + 1)]
        # What is to be written is what the decoder takes one step later.
        targets = self.decoder_inputs[1:]

        def network(encoder_inputs: Any, decoder_inputs: Any) -> Any:
            return legacy_seq2seq.embedding_attention_seq2seq(
                encoder_inputs, decoder_inputs, _cells(size, num_layers, use_lstm), num_encoder_symbols=source_vocab_size,
                num_decoder_symbols=target_vocab_size, embedding_size=size, output_projection=projection,
                feed_previous=forward_only, dtype=dtype,
            )

        self.outputs, self.losses = legacy_seq2seq.model_with_buckets(
            self.encoder_inputs, self.decoder_inputs, targets, self.target_weights, buckets, network,
            softmax_loss_function=sampled_loss,
        )
        if forward_only:
            if projection is not None:
                weights, bias = projection
                self.outputs = [[tf.matmul(output, weights) + bias for output in bucket] for bucket in self.outputs]
        else:
            self._learn(max_gradient_norm)
        self.saver = tf.train.Saver(tf.global_variables())

    def _projection(self, size: int, num_samples: int, dtype: Any) -> tuple[Any, Callable[..., Any] | None]:
        """From the network's outputs to words, and a loss that looks at some words only; None and None if all are looked at."""
        if not 0 < num_samples < self.target_vocab_size:
            return None, None
        transposed = tf.get_variable("proj_w", [self.target_vocab_size, size], dtype=dtype)
        bias = tf.get_variable("proj_b", [self.target_vocab_size], dtype=dtype)

        def loss(labels: Any, logits: Any) -> Any:
            sampled = tf.nn.sampled_softmax_loss(
                weights=tf.cast(transposed, tf.float32), biases=tf.cast(bias, tf.float32), labels=tf.reshape(labels, [-1, 1]),
                inputs=tf.cast(logits, tf.float32), num_sampled=num_samples, num_classes=self.target_vocab_size,
            )
            return tf.cast(sampled, dtype)

        return (tf.transpose(transposed), bias), loss

    def _learn(self, max_gradient_norm: float) -> None:
        variables = tf.trainable_variables()
        optimizer = tf.train.GradientDescentOptimizer(self.learning_rate)
        self.gradient_norms, self.updates = [], []
        for loss in self.losses:
            clipped, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), max_gradient_norm)
            self.gradient_norms.append(norm)
            self.updates.append(optimizer.apply_gradients(list(zip(clipped, variables)), global_step=self.global_step))

    def step(
        self, session: Any, encoder_inputs: Any, decoder_inputs: Any, target_weights: Any, bucket_id: int, forward_only: bool,
    ) -> tuple[Any, Any, Any]:
        """Runs one step: the norm of the gradients and the loss, or with `forward_only` the loss and the outputs; None for the rest."""
        read, written = self.buckets[bucket_id]
        for what, given, wanted in (
            ("encoder_inputs", encoder_inputs, read), ("decoder_inputs", decoder_inputs, written),
            ("target_weights", target_weights, written),
        ):
            if len(given) != wanted:
                raise ValueError(f"{what} has {len(given)} steps, but bucket {bucket_id} has {wanted}")
        feeds = dict(zip(self.encoder_inputs, encoder_inputs))
        feeds.update(zip(self.decoder_inputs, decoder_inputs))
        feeds.update(zip(self.target_weights, target_weights))
        feeds[self.decoder_inputs[written]] = np.zeros([self.batch_size], np.int32)
        if forward_only:
            loss, outputs = session.run((self.losses[bucket_id], self.outputs[bucket_id][:written]), feeds)
            return None, loss, outputs
        _, norm, loss = session.run((self.updates[bucket_id], self.gradient_norms[bucket_id], self.losses[bucket_id]), feeds)
        return norm, loss, None

    def get_batch(self, data: Any, bucket_id: int) -> tuple[list[Any], list[Any], list[Any]]:
        """A batch of pairs drawn at random from a bucket, a step at a time: what is read, what is written, and its weights. What is
        read is turned round and padded at its beginning."""
        read, written = self.buckets[bucket_id]
        encoder, decoder = [], []
        for _ in range(self.batch_size):
            source, target = random.choice(data[bucket_id])
            encoder.append(([*source] + [data_utils.PAD_ID] * (read - len(source)))[::-1])
            decoder.append([data_utils.GO_ID, *target] + [data_utils.PAD_ID] * (written - len(target) - 1))
        by_step = np.array(decoder, np.int32).T
        # What follows a padding word, or the last one, does not count.
        following = np.vstack([by_step[1:], np.full([1, self.batch_size], data_utils.PAD_ID, np.int32)])
        weights = (following != data_utils.PAD_ID).astype(np.float32)
        return list(np.array(encoder, np.int32).T), list(by_step), list(weights)


def _cells(size: int, num_layers: int, use_lstm: bool) -> Any:
    make = tf.nn.rnn_cell.BasicLSTMCell if use_lstm else tf.nn.rnn_cell.GRUCell
    cells = [make(size) for _ in range(num_layers)]
    return cells[0] if num_layers == 1 else tf.nn.rnn_cell.MultiRNNCell(cells)
