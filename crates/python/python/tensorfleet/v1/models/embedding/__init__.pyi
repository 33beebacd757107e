# Written by stubs.py; do not edit.

from tensorfleet.v1.models.embedding import gen_word2vec as gen_word2vec

__all__ = [
    "gen_word2vec"
]
