"""What the public names are made of: graphs, tensors, sessions. Programs import from ``tensorfleet.v1``."""
