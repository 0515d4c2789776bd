# SPDX-License-Identifier: MIT
"""What two uses that differ in secrets alone have in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.check.routine import Routine, Variable
from assay.check.secret_uses import PARTS, SecretUse, covered, words
from assay.model.api import Role, Way


@given(st.binary(max_size=40), st.binary(min_size=8, max_size=20), st.binary(max_size=40))
def test_the_bytes_of_a_public_key_are_found_within_a_secret_one(
    before: bytes, public: bytes, behind: bytes
) -> None:
    """Wherever they stand; each place comes once, in order."""
    places = list(covered(before + public + behind, words([public])))
    assert set(range(len(before), len(before) + len(public))) <= set(places)
    assert places == sorted(set(places))


def test_what_is_shorter_than_a_word_is_not_taken_for_a_public_byte() -> None:
    """Seven bytes may be equal by chance somewhere in a long key."""
    assert list(covered(bytes(range(100)), words([bytes(range(7))]))) == []


@pytest.mark.parametrize("size", [1, 32, 2400, 2401])
def test_the_parts_of_another_secret_make_the_whole_of_it(size: int) -> None:
    """What is taken over part by part is each byte once; public inputs stay."""

    def routine(value: bytes) -> Routine:
        secret = Variable(Role.KEY, Way.IN, size, value, secret=True)
        public = Variable(Role.CIPHERTEXT, Way.IN, 4, value[:1] * 4)
        return Routine("open", {"k": secret, "c": public}, ())

    one, other = routine(bytes(size)), routine(bytes([1]) * size)
    use = SecretUse((one, other, other), (b"", b"", b""))
    kept = one
    for part in range(PARTS):
        kept = use.partly(kept, part)
    assert kept.variables["k"].value == bytes([1]) * size
    assert kept.variables["c"] == one.variables["c"]
