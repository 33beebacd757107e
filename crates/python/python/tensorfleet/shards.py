"""A data set handed out in pieces to whichever workers are there, each record trained on exactly once an epoch.

How far each piece has been trained on is a variable of the graph: it lies on a parameter server, every worker reaches it through
its session, and checkpoints hold it. A training step moves the position of its piece and applies its gradients, both or neither;
`Shards.gate` puts the one before the other. ``docs/recovery.md`` says what is promised, and when.
"""

from __future__ import annotations

import time
from typing import Any, Iterable, NamedTuple

import numpy

import tensorfleet.v1 as tf

__all__ = ["Records", "Shards", "ShardWorker"]

# So long is waited before somebody asks again, while others have all that is left.
_PAUSE_SECS = 0.1
# What follows the records of a step, as ShardAdvance is told.
_MORE, _NO_MORE, _GIVEN_BACK = 0, 1, 2


class Records(NamedTuple):
    """Records to train on."""

    piece: int
    source: str
    begin: int
    end: int
    epoch: int
    # Whether the piece may end before: then `ShardWorker.end_after` says so.
    may_end: bool


class Shards:
    """A data set in pieces. Every worker builds the same.

    `pieces` are tuples of a source (such as a file), its first record and its end, which is None if it is not known;
    `Shards.ranges` and `Shards.files` make them. `epochs` is how often every record is trained on (0: without end); with a
    `seed`, pieces come in another order in every epoch. A worker that has trained on nothing of its piece for `lease_secs` is
    taken for lost: others get the rest. The positions are a variable called `name`, which goes where variables go.
    """

    def __init__(
        self, pieces: Iterable[tuple[str, int, int | None]], epochs: int = 1, seed: int = 0, lease_secs: float = 30.0,
        name: str = "shards",
    ) -> None:
        pieces = list(pieces)
        if not pieces:
            raise ValueError(f"there are no pieces to hand out as {name!r}")
        for number, (_, begin, end) in enumerate(pieces):
            if begin < 0 or (end is not None and end < begin):
                raise ValueError(f"piece {number} of {name!r} cannot be the records {begin} to {end}")
        self.sources = [source for source, _, _ in pieces]
        self._lease = max(1, int(lease_secs * 1000))
        first = numpy.zeros([len(pieces) + 1, 4], numpy.int64)
        first[1:, 0] = [begin for _, begin, _ in pieces]
        ranges = numpy.array([[begin, -1 if end is None else end] for _, begin, end in pieces], numpy.int64)
        self.state = tf.Variable(first, trainable=False, name=name, use_resource=False)
        self._name = self.state.op.name
        with tf.name_scope(f"{self._name}_nodes/"):
            with tf.colocate_with(self.state.op):
                self._ranges = tf.constant(ranges, name="ranges")
            self._worker = tf.placeholder(tf.int64, [], name="worker")
            self._records = tf.placeholder(tf.int64, [6], name="records")
            self._given = tf.raw_ops.ShardNext(
                state=self.state._ref(), ranges=self._ranges, worker=self._worker, epochs=epochs, lease_millis=self._lease,
                seed=seed)
            self._advance = self._advanced()

    @classmethod
    def ranges(cls, records: int, piece: int, **options: Any) -> "Shards":
        """The records 0 to `records` of one data set, in pieces of `piece`."""
        return cls([("", begin, min(begin + piece, records)) for begin in range(0, records, piece)], **options)

    @classmethod
    def files(cls, files: Iterable[str], **options: Any) -> "Shards":
        """Files, each a piece. Whoever reads one says where it ends (`ShardWorker.end_after`)."""
        return cls([(file, 0, None) for file in files], **options)

    def _advanced(self) -> Any:
        return tf.raw_ops.ShardAdvance(
            state=self.state._ref(), ranges=self._ranges, records=self._records, lease_millis=self._lease)

    def worker(self, name: str) -> "ShardWorker":
        """One who trains. Under the same name one that is started anew goes on at once with what it had."""
        return ShardWorker(self, name)

    def gate(self, grads_and_vars: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        """These gradients as they are once the position of the step's piece was moved.

        Whatever is applied of them is applied if and only if the records count as trained on. All that a step changes belongs in
        one call, also values that are no gradients; each is taken to where its variable is.
        """
        pairs = list(grads_and_vars)
        places: dict[str, tuple[Any, list[Any]]] = {}
        for gradient, variable in pairs:
            if gradient is not None:
                places.setdefault(variable.device, (variable.op, []))[1].extend(_tensors(gradient))
        if not places:
            raise ValueError(f"there is no gradient for the gate of {self._name!r}")
        with tf.name_scope(f"{self._name}_gate"):
            ready = {}
            for device, (beside, values) in places.items():
                with tf.colocate_with(beside, ignore_existing=True):
                    ready[device] = tf.raw_ops.ShardReady(input=values)
            with tf.control_dependencies([values[0].op for values in ready.values()]):
                taken = self._advanced()
            passed = {}
            for device, (beside, _) in places.items():
                with tf.colocate_with(beside, ignore_existing=True):
                    passed[device] = iter(tf.raw_ops.ShardPass(taken=taken, input=ready[device]))
        return [(None if gradient is None else _like(gradient, passed[variable.device]), variable) for gradient, variable in pairs]


def _tensors(gradient: Any) -> list[Any]:
    if not isinstance(gradient, tf.IndexedSlices):
        return [tf.convert_to_tensor(gradient)]
    rows = [gradient.values, gradient.indices]
    return rows if gradient.dense_shape is None else [*rows, gradient.dense_shape]


def _like(gradient: Any, values: Any) -> Any:
    if not isinstance(gradient, tf.IndexedSlices):
        return next(values)
    rows, indices = next(values), next(values)
    return tf.IndexedSlices(rows, indices, None if gradient.dense_shape is None else next(values))


class ShardWorker:
    """One who trains on what `Shards` hands out."""

    def __init__(self, shards: Shards, name: str) -> None:
        self._shards = shards
        hashed = 0xCBF29CE484222325
        for byte in name.encode():
            hashed = (hashed ^ byte) * 0x100000001B3 % 2**64
        # One name is one number, in every process and every language. 0 is nobody.
        signed = hashed - 2**64 if hashed >= 2**63 else hashed
        self._id = max(abs(max(signed, 1 - 2**63)), 1)
        self._given: dict[str, int] | None = None

    def poll(self, session: Any, most: int) -> Records | None:
        """As `next`, but None also while others have all that is left; raises OutOfRangeError if all were trained on."""
        if most <= 0:
            raise ValueError(f"{most} records are none to train on")
        if self._given is None or self._given["position"] == self._given["end"]:
            self._given = None
            shards = self._shards
            given = session.run(shards._given, {shards._worker: self._id})
            piece, epoch, position, end = (int(number) for number in given)
            if piece < 0:
                return None
            self._given = {"piece": piece, "epoch": epoch, "position": position, "end": end, "upto": position, "last": 0}
        given = self._given
        given["upto"] = given["position"] + most
        if given["end"] >= 0:
            given["upto"] = min(given["upto"], given["end"])
        source = self._shards.sources[given["piece"]]
        return Records(given["piece"], source, given["position"], given["upto"], given["epoch"], given["end"] < 0)

    def next(self, session: Any, most: int) -> Records | None:
        """The next records, `most` of them at most, that `train` is then run with; None if all were trained on.

        Waits while others have all that is left.
        """
        while True:
            try:
                records = self.poll(session, most)
            except tf.errors.OutOfRangeError:
                return None
            if records is not None:
                return records
            time.sleep(_PAUSE_SECS)

    def end_after(self, records: int) -> None:
        """Says that the piece has only so many of the records handed out last, and no more behind them."""
        given = self._given
        if given is None:
            raise ValueError(f"no records were handed out that could end after {records}")
        if not 0 <= records <= given["upto"] - given["position"]:
            raise ValueError(f"records {given['position']} to {given['upto']} cannot end after {records}")
        given["upto"], given["last"] = given["position"] + records, 1

    def train(self, session: Any, fetches: Any, feed_dict: dict[Any, Any] | None = None) -> Any:
        """Runs a step that trains on the records handed out last; what it changes goes through `Shards.gate`.

        None if the step changed nothing because the records were trained on already or went to somebody else, as after a long
        pause: then others are asked for. Otherwise what was fetched, as a list.
        """
        given, self._given = self._given, None
        if given is None:
            raise ValueError("no records were handed out to train on")
        records = self._fed(given, given["upto"], _NO_MORE if given["last"] else _MORE)
        try:
            values = session.run([fetches], {**(feed_dict or {}), self._shards._records: records})
        except tf.errors.AlreadyExistsError:
            return None
        if not given["last"]:
            self._given = {**given, "position": given["upto"]}
        return values

    def finish(self, session: Any) -> None:
        """Counts the records handed out last as trained on without a step, such as those of a piece that turned out to have none."""
        self.train(session, self._shards._advance)

    def give_back(self, session: Any) -> None:
        """Gives back what was handed out and not trained on, so that others need not wait until it is taken for lost."""
        given, self._given = self._given, None
        if given is not None:
            session.run(self._shards._advance, {self._shards._records: self._fed(given, given["position"], _GIVEN_BACK)})

    def _fed(self, given: dict[str, int], upto: int, then: int) -> list[int]:
        return [self._id, given["piece"], given["epoch"], given["position"], upto, then]
