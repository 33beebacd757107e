# Written by stubs.py; do not edit.

from tensorfleet._ops.shape_ops import batch_to_space_nd as batch_to_space_nd
from tensorfleet._ops.slice_ops import gather_nd as gather_nd
from tensorfleet._ops.shape_ops import reshape as reshape
from tensorfleet._ops.slice_ops import reverse as reverse
from tensorfleet._ops.slice_ops import roll as roll
from tensorfleet._ops.scatter_ops import scatter_nd as scatter_nd
from tensorfleet._ops.shape_ops import space_to_batch_nd as space_to_batch_nd
from tensorfleet._ops.shape_ops import tile as tile

__all__ = [
    "batch_to_space_nd", "gather_nd", "reshape", "reverse", "roll", "scatter_nd", "space_to_batch_nd", "tile"
]
