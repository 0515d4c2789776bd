# SPDX-License-Identifier: MIT
"""Ciphertexts that are cut to less than a tag."""

import random
from types import SimpleNamespace
from typing import Any, cast

from assay.check.seal.lengths import ENDS, MOST_SHORT, _short, _short_lengths
from assay.model.operations import OPERATIONS


class ShortOpening:
    """A ciphertext of 16 bytes, of an AEAD whose api.h says that it adds up to 32."""

    sealed = ("c",)

    def value(self, _name: str) -> bytes:
        """Return the genuine ciphertext of an empty message."""
        return bytes(16)

    def given(self, _name: str, value: bytes, _about: str) -> int:
        """Return how long what would be tried is."""
        return len(value)


def test_a_genuine_ciphertext_is_no_forgery_though_api_h_says_more() -> None:
    """Packages state 32 bytes and add 16: what was not cut at all is rightly accepted."""
    subject = SimpleNamespace(operation="crypto_aead", constant=lambda _name: 32)
    aead = OPERATIONS["crypto_aead"]
    trial = SimpleNamespace(subject=subject, operation=aead, random=random.Random(1))
    tried = cast("list[int]", list(_short(cast("Any", trial), cast("Any", ShortOpening()))))
    assert sorted(tried) == list(range(16))


def test_the_shortest_and_the_longest_of_what_is_too_short_are_tried_first() -> None:
    """Code tells lengths apart there, and slow code is not asked for all."""
    trial = cast("Any", SimpleNamespace(random=random.Random(1)))
    for end in (1, 16, 63, 64, 65, 300, 34_000):
        tried = list(_short_lengths(trial, end))
        assert len(set(tried)) == len(tried) == min(end, MOST_SHORT)
        assert set(tried) <= set(range(end))
        both = {*range(min(ENDS, end)), *range(max(0, end - ENDS), end)}
        assert set(tried[: 2 * ENDS]) == both
