"""`tensorflow.python`: the paths of TensorFlow's source tree that programs import from."""
