# SPDX-License-Identifier: MIT
"""What Python's libraries are asked for, with values of the standards."""

import hashlib

import pytest

from assay.check.schemes.library import oracle_of
from assay.model import OperationSubject

KEYSTREAM = "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
"""RFC 8439, appendix A.1, test vector 2, is the second block of zeros' keystream."""


@pytest.mark.skipif("sm3" not in hashlib.algorithms_available, reason="OpenSSL has no SM3")
def test_sm3_is_known_by_its_name() -> None:
    """GB/T 32905, example 1."""
    oracle = oracle_of(OperationSubject("crypto_hash", "sm3", "c", (("BYTES", 32),), ("",), 0), "")
    assert oracle is not None
    found = oracle({"m": b"abc", "h": bytes(32)})["h"].hex()
    assert found == "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"


def test_chacha20_may_have_the_nonce_of_the_rfc() -> None:
    """Of 12 bytes, and a counter that begins with 0."""
    constants = (("KEYBYTES", 32), ("NONCEBYTES", 12))
    subject = OperationSubject("crypto_stream", "chacha20ietf", "c", constants, ("", "_xor"), 0)
    oracle = oracle_of(subject, "")
    assert oracle is not None
    known = {"k": bytes(32), "n": bytes(12), "m": bytes(128), "c": bytes(128)}
    assert oracle(known)["c"][64:96].hex() == KEYSTREAM
