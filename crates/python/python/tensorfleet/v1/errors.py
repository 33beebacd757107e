"""``tf.errors``: what steps and sessions raise, a class for each code."""

from tensorfleet._framework.errors import *
