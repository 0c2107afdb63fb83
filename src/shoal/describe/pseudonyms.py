"""Pseudonyms: tokens in place of values, the same for the same value wherever the same key is used.

A token is the beginning of the HMAC-SHA-256 of a value. Without the key nobody can compute it, so names and
numbers cannot be found by trying them all. The key of the HMAC is derived from a private key, by HKDF with a
label of its own, so that a signature and a pseudonym by the same file tell nothing about each other.

References
----------
H. Krawczyk, M. Bellare, R. Canetti, "HMAC: keyed-hashing for message authentication", RFC 2104, 1997.
H. Krawczyk, P. Eronen, "HMAC-based extract-and-expand key derivation function (HKDF)", RFC 5869, 2010.
"""

from __future__ import annotations

import hmac
from base64 import b32encode
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import InputError
from shoal.read.key_file import check_private, private_key
from shoal.read.spelling import in_one_spelling

LABEL = b"shoal pseudonyms"
"""What the key is derived for."""
LENGTH = 20
"""Letters of a token, of 5 bits each: among a billion people two share one with a probability of 4e-13."""
_WHOLE = r"^([+-]?[0-9]+)\.0+$"
"""42.0, as tools write the whole numbers of a column in which one is missing."""


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """What makes tokens of values.

    Examples
    --------
    >>> tokens = Pseudonyms(bytes(32))
    >>> tokens.of(pa.array(["42", "Ann", None]), "patient").to_pylist()
    ['s3hauwucba3qvnfl2y2u', '6ekg43b2ih5anelcjvhq', None]
    >>> tokens.of(pa.array([42.0]), "patient") == tokens.of(pa.array(["42"]), "patient")
    True
    """

    key: bytes = field(repr=False)

    @classmethod
    def by_key(cls, path: Path) -> Self:
        """Return what the private key in a file makes.

        Raises
        ------
        InputError
            The file is no such key, or others may read it.
        """
        key = private_key(path, "A pseudonym")
        check_private(path)
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        secret = key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
        return cls(HKDF(SHA256(), 32, salt=None, info=LABEL).derive(secret))

    def of(self, values: pa.Array | pa.ChunkedArray, column: str) -> pa.Array:
        """Return a token for each value; NULL stays NULL.

        Raises
        ------
        InputError
            Different values have one token, or values have no text form.
        """
        plain = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
        try:
            coded = plain.dictionary_encode().combine_chunks()
            texts = _spelled(coded.dictionary)
        except pa.ArrowException:
            raise InputError(
                f"Column {column!r} cannot be a pseudonym: its values have no text form.\n"
                f"Found: {values.type}.\nTurn the column into text, or drop it."
            ) from None
        tokens = [None if text is None else self._token(text) for text in texts.to_pylist()]
        if (alike := len(tokens) - len(set(tokens))) > 0:
            raise InputError(
                f"Values of column {column!r} differ only in how they are written, so that they would have "
                f"one token.\nFound: {alike:,} of {len(tokens):,} values, such as 42 beside 42.0, or a name "
                "with a space after it.\nWrite each value in one way."
            )
        return pa.array(tokens, pa.string()).take(coded.indices)

    def _token(self, text: str) -> str:
        digest = hmac.digest(self.key, text.encode(), "sha256")
        return b32encode(digest[:15])[:LENGTH].decode().lower()  # these bytes are enough


def _spelled(values: pa.Array) -> pa.Array:
    """Return values as text that is the same in files, frames and databases."""
    texts = pc.utf8_normalize(in_one_spelling(values, values.type).cast(pa.string()), form="NFC")
    return pc.replace_substring_regex(pc.utf8_trim_whitespace(texts), _WHOLE, r"\1")
