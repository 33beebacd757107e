"""Differences from ours that are TensorFlow's own fault: they are named as such, and not ours to repeat.

Most are faults of oneDNN's kernels, which differ from the kernels that TensorFlow falls back to on the same machine. The judge
does without oneDNN (judge.py), so that these are not met in a test; they are excused only where it is switched on by hand to
see what depends on it. A fault is looked for at every node that a value comes from, and is excused there only if its inputs are
such that it must show, and the outputs differ in the way that it makes them.

As a script this tests the list itself.
"""

import numpy as np

__all__ = ["FAULTS", "named"]


def agree(mine, theirs):
    return np.isclose(mine, theirs, rtol=2e-4, atol=2e-4, equal_nan=True)


def padded_taps(attrs, inputs, mine, theirs):
    """Conv2D multiplies also the taps that lie in the padding, with zero. Zero times infinity is not a number, so that a filter
    with infinities makes outputs at the border that are no numbers. Ours, and oneDNN's, leave these taps out."""
    x, kernel = inputs
    if mine.shape != theirs.shape or attrs["padding"] != b"SAME" or attrs["data_format"] != b"NHWC":
        return False
    starts = [padding_before(x.shape[axis], kernel.shape[axis - 1], attrs["strides"][axis]) for axis in (1, 2)]
    broken = np.zeros(mine.shape, bool)
    for row, column, down, right in np.ndindex(*mine.shape[1:3], *kernel.shape[:2]):
        y, z = row * attrs["strides"][1] - starts[0] + down, column * attrs["strides"][2] - starts[1] + right
        if not (0 <= y < x.shape[1] and 0 <= z < x.shape[2]):
            broken[:, row, column] |= ~np.isfinite(kernel[down, right]).all(axis=0)
    differ = ~agree(mine, theirs)
    return bool(differ.any() and not (differ & ~broken).any() and np.isnan(theirs[differ]).all())


def padding_before(size, window, stride):
    return max((-(-size // stride) - 1) * stride + window - size, 0) // 2


def empty_output(attrs, inputs, mine, theirs):
    """Conv2D whose output has no elements returns a tensor of another shape, with whatever its memory held."""
    del attrs, inputs
    return mine.size == 0 and mine.shape != theirs.shape


def broken_row(attrs, inputs, mine, theirs):
    """Softmax of a row with infinities or with what is no number has zeros in it; it is no number throughout."""
    del attrs
    rows = ~np.isfinite(inputs[0]).all(axis=-1, keepdims=True)
    differ = ~agree(mine, theirs)
    return bool(differ.any() and not (differ & ~rows).any() and np.isnan(mine[differ]).all() and (theirs[differ] == 0).all())


# The kind of node, whether oneDNN has the fault or what TensorFlow falls back to, and whether it shows in (attributes, inputs,
# our output, TensorFlow's output).
FAULTS = [("Conv2D", False, padded_taps), ("Conv2D", True, empty_output), ("Softmax", True, broken_row)]


def named(fetch, feeds, ours, theirs, onednn):
    """The name of the fault that a fetched value of TensorFlow's suffers from, or None. `ours` and `theirs` are sessions."""
    for node in sources(fetch.op):
        kinds = [shows for kind, of_onednn, shows in FAULTS if kind == node.type and of_onednn == onednn]
        if not kinds:
            continue
        inputs = theirs.run(list(node.inputs), feeds)
        mine, reference = ours.run(node.outputs[0], feeds), theirs.run(node.outputs[0], feeds)
        attrs = {name: node.get_attr(name) for name in ("padding", "data_format", "strides") if name in node.node_def.attr}
        for shows in kinds:
            if shows(attrs, inputs, np.asarray(mine), np.asarray(reference)):
                return shows.__name__
    return None


def sources(node):
    """The node and all that its inputs come from."""
    seen, left = set(), [node]
    while left:
        node = left.pop()
        if node.name not in seen:
            seen.add(node.name)
            yield node
            left.extend(tensor.op for tensor in node.inputs)


def test_padded_taps():
    attrs = {"padding": b"SAME", "data_format": b"NHWC", "strides": [1, 1, 1, 1]}
    x = np.ones([1, 1, 2, 1])
    # Three taps side by side; the first one is infinite and lies in the padding of the first output.
    kernel = np.array([np.inf, 1.0, 1.0]).reshape([1, 3, 1, 1])
    broken = np.array([np.nan, np.inf]).reshape([1, 1, 2, 1])
    skipped = np.array([2.0, np.inf]).reshape([1, 1, 2, 1])
    assert padded_taps(attrs, [x, kernel], skipped, broken)
    assert not padded_taps(attrs, [x, kernel], skipped, skipped), "what agrees is no fault"
    assert not padded_taps(attrs, [x, kernel], broken, skipped), "the fault is TensorFlow's, not ours"
    assert not padded_taps(attrs, [x, kernel], np.array([2.0, 7.0]).reshape([1, 1, 2, 1]), broken), "the second has no padding"
    assert not padded_taps(attrs, [x, np.ones([1, 3, 1, 1])], skipped, broken), "a finite filter has no excuse"
    assert not padded_taps({**attrs, "padding": b"VALID"}, [x, kernel], skipped, broken), "without padding there is no excuse"
    assert (padding_before(5, 3, 1), padding_before(5, 3, 2), padding_before(4, 3, 2), padding_before(4, 1, 2)) == (1, 1, 0, 0)


def test_empty_output():
    empty, full = np.zeros([1, 3, 0, 3]), np.zeros([1, 3, 1, 3])
    assert empty_output({}, [], empty, np.zeros([2, 2]))
    assert not empty_output({}, [], empty, empty)
    assert not empty_output({}, [], full, empty), "an output that has elements has no excuse"


def test_broken_row():
    x, nan = np.array([[np.inf, 0.0], [1.0, 1.0]]), np.nan
    assert broken_row({}, [x], np.array([[nan, nan], [0.5, 0.5]]), np.array([[nan, 0.0], [0.5, 0.5]]))
    assert not broken_row({}, [x], np.array([[nan, nan], [0.5, 0.5]]), np.array([[nan, nan], [0.4, 0.6]])), "a plain row has no excuse"
    assert not broken_row({}, [x], np.array([[nan, 0.0], [0.5, 0.5]]), np.array([[nan, nan], [0.5, 0.5]])), "nor have we"


if __name__ == "__main__":
    tests = [test_padded_taps, test_empty_output, test_broken_row]
    for test in tests:
        test()
    print(f"known faults: {len(tests)} passed")
