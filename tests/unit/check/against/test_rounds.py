# SPDX-License-Identifier: MIT
"""A million computations in the agents: what goes wrong for one key in many, or after many."""

from collections.abc import Callable

import pytest
from tests.unit.check.against.test_against import CORPUS, given

from assay.check.against import compare as comparing
from assay.check.arena import drawn
from assay.model import CheckResult, Package, Verdict

Compare = Callable[..., CheckResult]
Written = Callable[[str, str], Package]
Changed = Callable[..., tuple[Package, Package]]


@pytest.fixture(autouse=True)
def _no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processor time alone end a comparison: a busy machine computes as much, later."""
    monkeypatch.setattr(comparing, "MOST_SECONDS", 600.0)


def test_the_generator_is_splitmix64() -> None:
    """Its first words from seed 0 are those that Vigna's splitmix64.c gives."""
    assert [f"{word:016x}" for word in _splitmix(0)[:2]] == [
        "e220a8397b1dcdaf",
        "6e789e6aa1b965f4",
    ]
    words = b"".join(word.to_bytes(8, "little") for word in _splitmix(_splitmix(0)[0]))
    assert drawn(seed=0, part=0, length=20) == words[8:28]  # the first says whether to repeat


def _splitmix(state: int) -> list[int]:
    """Compute four words as the paper has them, by division instead of masks."""
    words = []
    for _ in range(4):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        word = (state ^ state // 2**30) * 0xBF58476D1CE4E5B9 % 2**64
        word = (word ^ word // 2**27) * 0x94D049BB133111EB % 2**64
        words.append(word ^ word // 2**31)
    return words


def test_one_message_in_16384_is_found_and_shrunk(compare: Compare, hashes: Written) -> None:
    """All vectors and a thousand questions pass it by."""
    rare = "h += inlen > 8 && in[1] == 0x5A && (in[8] & 0x3F) == 0x03;"
    found = compare(hashes("wrong", rare), hashes("right", ";"))
    assert found.verdict is Verdict.FAIL, found
    message = given(found, "m")
    assert (len(message), message[1], message[8] & 0x3F) == (9, 0x5A, 0x03)
    assert sum(byte != 0 for byte in message) == 2


@pytest.mark.slow
def test_one_key_in_16384_of_a_cipher_is_found(compare: Compare, changed: Changed) -> None:
    """Each computation begins with a key of its own."""
    right, wrong = changed(
        CORPUS / "sync",
        "toy.c",
        (
            "x[6] = ctx->counter;",
            "x[6] = ctx->counter ^ ((ctx->key[1] & 0x3FFF) == 0x035A);",
        ),
    )
    found = compare(wrong, right)
    assert found.verdict is Verdict.FAIL, found
    key = given(found, "key")
    assert (key[4], key[5] & 0x3F) == (0x5A, 0x03)
    assert sum(byte != 0 for byte in key) == 2


def test_what_differs_after_other_inputs_alone_is_said(compare: Compare, hashes: Written) -> None:
    """Two static bytes remember the last message: the same question by itself has no such past.

    They count after 50,000 calls alone: single questions, of which there are fewer, pass them by.
    """
    rare = "static unsigned calls, last; unsigned past = last & 0x3FFF;"
    kept = "last = inlen > 1 ? in[0] | in[1] << 8 : 0; if (++calls > 50000 && past == 0x1AC3) h++;"
    found = compare(hashes("wrong", f"{rare} {kept}"), hashes("right", ";"))
    assert found.verdict is Verdict.FAIL, found
    assert "others with other inputs, and the same by itself" in found.reason
