# SPDX-License-Identifier: MIT
"""Signatures from which a part of the message is recovered, and the rest is in the clear."""

import os

import pytest

from assay.check.check import CheckFailed
from assay.check.entropy.randomness import _none_twice

MESSAGE = bytes(range(100, 161))


def test_a_part_of_the_message_behind_a_signature_is_no_nonce() -> None:
    """RSA with message recovery leaves the end of the message in the clear, and no more."""
    made = [os.urandom(64) + MESSAGE[-32:] for _ in range(9)] + [os.urandom(96)]
    _none_twice(made, b"public" + MESSAGE)


def test_a_nonce_that_comes_twice_beside_a_part_of_the_message_is_one() -> None:
    """Only what stands in the message is left out."""
    nonce = os.urandom(16)
    made = [nonce + os.urandom(48) + MESSAGE[-32:] for _ in range(9)] + [os.urandom(96)]
    with pytest.raises(CheckFailed, match="the same 16 bytes from byte 0 on"):
        _none_twice(made, b"public" + MESSAGE)
