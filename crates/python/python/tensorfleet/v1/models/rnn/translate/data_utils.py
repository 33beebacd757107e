"""Sentences as numbers of words, for the tutorial that translates: vocabularies in files, a word a line."""

from __future__ import annotations

import collections
import os
import re
from typing import Any, Callable

from tensorfleet.v1 import gfile

__all__ = [
    "EOS_ID", "GO_ID", "PAD_ID", "UNK_ID", "basic_tokenizer", "create_vocabulary", "data_to_token_ids", "initialize_vocabulary",
    "prepare_wmt_data", "sentence_to_token_ids",
]

# The words that stand for something else; they are first in every vocabulary.
_PAD, _GO, _EOS, _UNK = b"_PAD", b"_GO", b"_EOS", b"_UNK"
PAD_ID, GO_ID, EOS_ID, UNK_ID = range(4)
_FIRST = [_PAD, _GO, _EOS, _UNK]

_MARKS = re.compile(rb"([.,!?\"':;)(])")
_DIGIT = re.compile(rb"\d")

Tokenizer = Callable[[bytes], list[bytes]]


def _bytes(sentence: Any) -> bytes:
    return sentence if isinstance(sentence, bytes) else str(sentence).encode()


def basic_tokenizer(sentence: Any) -> list[bytes]:
    """The words of a sentence, marks among them.

    >>> basic_tokenizer("I see, you too.")
    [b'I', b'see', b',', b'you', b'too', b'.']
    """
    return [word for part in _bytes(sentence).split() for word in _MARKS.split(part) if word]


def _tokens(sentence: bytes, tokenizer: Tokenizer | None, normalize_digits: bool) -> list[bytes]:
    words = (tokenizer or basic_tokenizer)(sentence)
    return [_DIGIT.sub(b"0", word) for word in words] if normalize_digits else words


def create_vocabulary(
    vocabulary_path: Any, data_path: Any, max_vocabulary_size: int, tokenizer: Tokenizer | None = None, normalize_digits: bool = True,
) -> None:
    """Writes the most frequent words of a file of sentences, a word a line, unless that file is there."""
    if gfile.Exists(vocabulary_path):
        return
    counts: collections.Counter[bytes] = collections.Counter()
    with gfile.GFile(data_path, "rb") as file:
        for line in file:
            counts.update(_tokens(_bytes(line), tokenizer, normalize_digits))
    words = _FIRST + sorted(counts, key=lambda word: counts[word], reverse=True)
    with gfile.GFile(vocabulary_path, "wb") as file:
        for word in words[:max_vocabulary_size]:
            file.write(word + b"\n")


def initialize_vocabulary(vocabulary_path: Any) -> tuple[dict[bytes, int], list[bytes]]:
    """The numbers of the words of a vocabulary, and its words by their numbers; ValueError if there is no such file."""
    if not gfile.Exists(vocabulary_path):
        raise ValueError(f"the vocabulary {vocabulary_path!r} is not there")
    with gfile.GFile(vocabulary_path, "rb") as file:
        words = [_bytes(line).strip() for line in file]
    return {word: number for number, word in enumerate(words)}, words


def sentence_to_token_ids(
    sentence: Any, vocabulary: dict[bytes, int], tokenizer: Tokenizer | None = None, normalize_digits: bool = True,
) -> list[int]:
    """The numbers of the words of a sentence.

    >>> sentence_to_token_ids("a dog has 4 legs", {b"a": 4, b"has": 5, b"0": 6})
    [4, 3, 5, 6, 3]
    """
    return [vocabulary.get(word, UNK_ID) for word in _tokens(_bytes(sentence), tokenizer, normalize_digits)]


def data_to_token_ids(
    data_path: Any, target_path: Any, vocabulary_path: Any, tokenizer: Tokenizer | None = None, normalize_digits: bool = True,
) -> None:
    """Writes the sentences of a file as numbers, a sentence a line, unless that file is there."""
    if gfile.Exists(target_path):
        return
    vocabulary, _ = initialize_vocabulary(vocabulary_path)
    with gfile.GFile(data_path, "rb") as source, gfile.GFile(target_path, "w") as target:
        for line in source:
            numbers = sentence_to_token_ids(line, vocabulary, tokenizer, normalize_digits)
            target.write(" ".join(map(str, numbers)) + "\n")


def prepare_wmt_data(
    data_dir: Any, en_vocabulary_size: int, fr_vocabulary_size: int, tokenizer: Tokenizer | None = None,
) -> tuple[str, str, str, str, str, str]:
    """The paths of the sentences of the WMT'15 texts as numbers, English and French, to learn and to test with, and of the
    vocabularies; what is missing of them is written. The texts themselves, `giga-fren.release2` and `newstest2013`, each with `.en`
    and `.fr`, must be in the folder: nothing is downloaded.

    :raises FileNotFoundError: if a text is missing.
    """
    folder = os.fspath(data_dir)
    sizes = {"en": en_vocabulary_size, "fr": fr_vocabulary_size}
    vocabularies = {language: os.path.join(folder, f"vocab{size}.{language}") for language, size in sizes.items()}
    numbers: dict[tuple[str, str], str] = {}
    for text in ("giga-fren.release2", "newstest2013"):
        for language, size in sizes.items():
            source = os.path.join(folder, f"{text}.{language}")
            if not gfile.Exists(source):
                raise FileNotFoundError(f"{source} is missing: unpack the WMT'15 texts into {folder!r}, nothing is downloaded")
            create_vocabulary(vocabularies[language], source, size, tokenizer)
            numbers[text, language] = target = os.path.join(folder, f"{text}.ids{size}.{language}")
            data_to_token_ids(source, target, vocabularies[language], tokenizer)
    learn, test = "giga-fren.release2", "newstest2013"
    return (
        numbers[learn, "en"], numbers[learn, "fr"], numbers[test, "en"], numbers[test, "fr"], vocabularies["en"], vocabularies["fr"],
    )
