"""Input pipelines: datasets, the functions that they apply, and iterators."""
