# SPDX-License-Identifier: MIT
"""ML-DSA of the bench is that of another implementation, which refuses what must be refused."""

import os
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import mldsa

from assay.check.schemes.mldsa import PARAMETERS, SigningKey, accepted, refused

SIGNATURE_BYTES = {"mldsa44": 2420, "mldsa65": 3309, "mldsa87": 4627}  # FIPS 204, table 2
NAMES = tuple(SIGNATURE_BYTES)


def theirs(name: str, suffix: str) -> Any:
    """Return a class of the library."""
    return getattr(mldsa, f"{name.upper()}{suffix}")


@pytest.mark.parametrize("name", NAMES)
def test_public_keys_of_a_seed_are_those_of_another_implementation(name: str) -> None:
    """Which draws the matrix and the secrets in the same way."""
    seed = os.urandom(32)
    other = theirs(name, "PrivateKey").from_seed_bytes(seed).public_key()
    assert SigningKey(PARAMETERS[name], seed).public == other.public_bytes_raw()


@pytest.mark.parametrize("name", NAMES)
def test_right_signatures_are_accepted_by_another_implementation(name: str) -> None:
    """Also one whose z is as large as it may be."""
    for one in accepted(PARAMETERS[name], os.urandom):
        assert len(one.signature) == SIGNATURE_BYTES[name]
        key = theirs(name, "PublicKey").from_public_bytes(one.public)
        key.verify(one.signature, one.message)


@pytest.mark.parametrize("name", NAMES)
def test_wrong_signatures_are_refused_by_another_implementation(name: str) -> None:
    """Each class of them, and no message about a class is missing."""
    told = set()
    for one in refused(PARAMETERS[name], os.urandom):
        told.add(one.about)
        with pytest.raises(InvalidSignature):
            theirs(name, "PublicKey").from_public_bytes(one.public).verify(
                one.signature, one.message
            )
    assert len(told) == 7
