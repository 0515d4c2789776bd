# SPDX-License-Identifier: MIT
"""The shipped known answers, and the models that make them, against a library of others."""

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey
from tests.unit.check.supercop import mldsa, mlkem
from tests.unit.check.supercop.known_answers import FILES, TREE, written


@pytest.mark.parametrize("name", sorted(FILES))
def test_shipped_answers_are_those_of_independent_implementations(name: str) -> None:
    """Each file is written again, by OpenSSL or from the standard in Python."""
    assert TREE.joinpath(name).read_text("ascii") == written(name)


def test_the_model_of_fips_204_agrees_with_openssl() -> None:
    """Keys from a seed are the same, and each accepts what the other signed, and nothing else."""
    theirs = MLDSA44PrivateKey.from_seed_bytes(bytes(range(32)))
    public, private = mldsa.keypair(bytes(range(32)))
    assert theirs.public_key().public_bytes_raw() == public
    theirs.public_key().verify(mldsa.signature(private, b"text", bytes(32)), b"text")
    signature = theirs.sign(b"text")
    assert mldsa.is_signature(public, b"text", signature)
    assert not mldsa.is_signature(public, b"next", signature)
    with pytest.raises(InvalidSignature):
        theirs.public_key().verify(signature, b"next")


def test_the_model_of_fips_203_agrees_with_openssl() -> None:
    """Keys and secrets are the same in both directions, those of a modified ciphertext too."""
    theirs = MLKEM768PrivateKey.from_seed_bytes(bytes(range(64)))
    public, private = mlkem.keypair(bytes(range(32)), bytes(range(32, 64)))
    assert theirs.public_key().public_bytes_raw() == public
    text, shared = mlkem.encapsulated(public, bytes(range(32)))
    assert theirs.decapsulate(text) == shared
    their_shared, their_text = theirs.public_key().encapsulate()
    assert mlkem.decapsulated(private, their_text) == their_shared
    modified = text[:-1] + bytes([text[-1] ^ 1])
    assert mlkem.decapsulated(private, modified) == theirs.decapsulate(modified) != shared
