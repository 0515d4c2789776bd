# SPDX-License-Identifier: MIT
"""Which version of a primitive made an output."""

import pytest
from tests.unit.check.answers.ascon import tag_of_nothing

from assay.check.answers.records import (
    AnswerEvidence,
    AnswerTask,
    KnownAnswer,
    Mismatch,
)
from assay.check.answers.verdicts import versions

FINAL = bytes.fromhex("4f9c278211bec9316bf68f46ee8b2ec6")  # the first CT of ascon-c since 2024


@pytest.mark.parametrize("first", [0, 16])
@pytest.mark.parametrize(
    ("name", "key_bytes", "rate", "rounds"),
    [
        ("Ascon-128 v1.2", 16, 8, 6),
        ("Ascon-128a v1.2", 16, 16, 8),
        ("Ascon-80pq v1.2", 20, 8, 6),
    ],
)
def test_older_code_is_known_by_the_first_question_of_older_and_of_newer_files(
    name: str, key_bytes: int, rate: int, rounds: int, first: int
) -> None:
    """Otherwise Ascon of the competition would be called wrong beside the standard's answers."""
    nonce = bytes(range(first, first + 16))
    made = tag_of_nothing(bytes(range(key_bytes)), nonce, rate, rounds)
    evidence = AnswerEvidence(KnownAnswer(AnswerTask.SEAL, "a:1", {}), Mismatch("it", FINAL, made))
    assert versions(evidence) == ("Ascon-AEAD128 (SP 800-232)", name)
