"""Whether a program is stable enough to compare its losses between two runtimes.

Two runtimes that are both right add float32 numbers in different orders, so that their values differ by some 1e-7 of their
size after every operation. What a comparison of losses means depends on what training makes of that: where it is stable, the
losses stay together; where it is not, they part after some steps, on one machine and not on another.

So each program is run again with its variables' first values and everything that is fed to it moved by up to 1e-6 of their
size, ten times what rounding moves them. If a value moves by more than a quarter of what the comparison allows, the program
is refused. What makes a program unstable is mostly a rectifier whose input is so near to zero that rounding decides whether
it passes a gradient, where that gradient counts: one of a wide dense layer, or a whole background of a single value.
"""

import contextlib

import numpy as np
from reference.scenario import config, tf, v1

__all__ = ["TOLERANCE", "Unstable", "check_the_check", "recorded"]

# How far a loss may be from TensorFlow's, relative and absolute: about a thousand roundings of a float32.
TOLERANCE = (2e-4, 2e-5)
# By how much of its size a number is moved. A variable of less than SMALL is moved as if it had that size, because many start
# at zero. What is fed as zero stays zero, as it does whoever runs the program: Adam makes steps of one size out of gradients
# of any, so that dead pixels that are not quite dead are another program.
MOVED, SMALL = 1e-6, 0.1
# How much of the tolerance that may use up, and in how many ways numbers are moved.
SHARE, WAYS = 0.25, 3


class Unstable(Exception):
    """The values of a program depend on rounding."""


@contextlib.contextmanager
def recorded(family, name, files=None):
    """A scenario of the family that remembers its steps, and in the end runs them again, moved.

    Raises `Unstable` if the values that were compared with a tolerance then differ."""
    with family.scenario(name, files) as scenario:
        steps, run = [], scenario.run

        def remember(fetches=(), feeds=None, targets=(), tol=None, **options):
            values = run(fetches, feeds, targets, tol, **options)
            if values is not None:
                steps.append((list(fetches), dict(feeds or {}), list(targets), tol, values))
            return values

        scenario.run = remember
        yield scenario
        share = max(used(scenario.graph, steps, np.random.RandomState(way)) for way in range(WAYS))
        print(f"{name}: moved by {MOVED}, its values use {share:.2g} of the tolerance")


def used(graph, steps, random):
    """How much of the tolerance the values of the steps use up when they are run again, moved."""
    worst = 0.0
    with v1.Session(graph=graph, config=config()) as session:
        for number, (fetches, feeds, targets, tol, expected) in enumerate(steps):
            feeds = {key: moved(value, random) if key.dtype.is_floating else value for key, value in feeds.items()}
            got = session.run(fetches + targets, feeds)[: len(fetches)]
            for fetch, mine, theirs in zip(fetches, got, expected) if tol else []:
                rtol, atol = tol
                share = np.max(np.abs(mine - theirs) / (atol + rtol * np.abs(theirs)), initial=0.0)
                if not share <= SHARE:
                    raise Unstable(f"step {number}: {fetch.name} is {mine} instead of {theirs} after its start was moved by {MOVED}")
                worst = max(worst, float(share))
            if number == 0:
                # The first step has initialised the variables.
                for variable in graph.get_collection(v1.GraphKeys.TRAINABLE_VARIABLES):
                    variable.load(moved(session.run(variable), random, SMALL), session)
    return worst


def moved(value, random, least=0.0):
    """The numbers moved by some of their size, or of `least` where they are smaller."""
    value = np.asarray(value, np.float32)
    return value + (MOVED * np.maximum(np.abs(value), least) * random.uniform(-1, 1, value.shape)).astype(np.float32)


def check_the_check(family):
    """The logistic map doubles a difference at every step: it must be refused."""
    try:
        with recorded(family, "logistic_map") as scenario:
            x = v1.placeholder(tf.float32, [])
            y = x
            for _ in range(30):
                y = 3.999 * y * (1.0 - y)
            scenario.run(targets=[v1.no_op()])
            scenario.run([y], {x: np.float32(0.3)}, tol=TOLERANCE)
    except Unstable:
        return
    raise AssertionError("a chaotic program was taken for a stable one")
