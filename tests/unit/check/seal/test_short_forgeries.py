# SPDX-License-Identifier: MIT
"""Ciphertexts that are cut to less than a tag."""

from functools import partial
from random import Random
from typing import cast

from tests.unit.mock.standing import stand_in

from assay.check.operation.trial import OperationTrial
from assay.check.seal.lengths import ENDS, MOST_SHORT, _short, _short_lengths
from assay.check.seal.openings import Opening
from assay.model import OperationSubject
from assay.model.operations import OPERATIONS

SOME = partial(OperationTrial.some, stand_in(OperationTrial, random=Random(1)))


def test_a_genuine_ciphertext_is_no_forgery_though_api_h_says_more() -> None:
    """Packages state 32 bytes and add 16: what was not cut at all is rightly accepted."""
    subject = stand_in(OperationSubject, operation="crypto_aead", constant=lambda _name: 32)
    aead = OPERATIONS["crypto_aead"]
    trial = stand_in(OperationTrial, subject=subject, operation=aead, some=SOME)
    opening = stand_in(
        Opening,
        sealed=("c",),
        value=lambda _name: bytes(16),  # of an empty message
        given=lambda _name, value, _about: len(value),
    )
    tried = cast("list[int]", list(_short(trial, opening)))
    assert sorted(tried) == list(range(16))


def test_the_shortest_and_the_longest_of_what_is_too_short_are_tried_first() -> None:
    """Code tells lengths apart there, and slow code is not asked for all."""
    trial = stand_in(OperationTrial, some=SOME)
    for end in (1, 16, 63, 64, 65, 300, 34_000):
        tried = list(_short_lengths(trial, end))
        assert len(set(tried)) == len(tried) == min(end, MOST_SHORT)
        assert set(tried) <= set(range(end))
        both = {*range(min(ENDS, end)), *range(max(0, end - ENDS), end)}
        assert set(tried[: 2 * ENDS]) == both
