# SPDX-License-Identifier: MIT
"""The inputs of the vectors, against verified files that stand in the tree."""

from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from assay.check.answers.vector_inputs import vector_inputs
from assay.check.answers.vector_text import Combination, parse
from assay.model import SizeChoice, StreamSubject

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted(ROOT.glob("*/*/verified.test-vectors"))
NOTHING: frozenset[str] = frozenset()
CIPHER = StreamSubject(
    "ecrypt-sync", "Toy", None, (128,), (64,), (), 128, 64, 0, 64, 16, 4096,
    frozenset({"generates-keystream"}), NOTHING,
)  # fmt: skip


def subject_of(combination: Combination) -> StreamSubject:
    """Conclude from the sets of a file what the cipher announces; sizes are the largest."""
    sets = {vector.set_number for vector in combination.vectors}
    flags = {"supports-aad"} if 10 in sets else set()
    flags |= set() if 7 in sets else {"generates-keystream"}
    api = "ecrypt-sync" if combination.mac_bits is None else "ecrypt-sync-ae"
    key, iv = combination.key_bits, combination.iv_bits
    return replace(CIPHER, api=api, max_key_bits=key, max_iv_bits=iv, flags=frozenset(flags))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_inputs_are_those_of_verified_files(path: Path) -> None:
    """Set by set, key, IV, plaintext and AAD are what the file has."""
    for combination in parse(path.read_text("latin-1")):
        inputs = list(vector_inputs(subject_of(combination), combination.sizes))
        found = [(one.set_number, one.number) for one in combination.vectors]
        assert found == [(one.set_number, one.number) for one in inputs]
        for recorded, ours in zip(combination.vectors, inputs, strict=True):
            expected = {"key": ours.key, "IV": ours.iv}
            if not ours.is_stream:
                expected |= {"plaintext": ours.plaintext}
            if ours.aad:
                expected |= {"AAD": ours.aad}
            assert expected.items() <= recorded.values.items()


def test_there_are_verified_files() -> None:
    """The test before this one must not pass for want of files."""
    assert len(FILES) >= 5


def test_counts_for_128_and_64_bits() -> None:
    """15 + 29 + 29 + 4 + 8 + 4 vectors, as originally; nine times as many in long files."""
    short = Counter(one.set_number for one in vector_inputs(CIPHER, SizeChoice(128, 64)))
    assert short == {1: 15, 2: 29, 3: 29, 4: 4, 5: 8, 6: 4}
    long = Counter(one.set_number for one in vector_inputs(CIPHER, SizeChoice(128, 64), long=True))
    assert long == {1: 128, 2: 256, 3: 256, 4: 4, 5: 64, 6: 4}


def test_bits_run_from_the_top_of_each_byte() -> None:
    """The vector of bit 9 has the second bit of the second byte."""
    ninth = next(one for one in vector_inputs(CIPHER, SizeChoice(128, 64)) if one.number == 9)
    assert b"\0\x40" + bytes(14) == ninth.key


def test_fills_go_on_behind_a_short_key() -> None:
    """What lies behind a key is the rest of the largest key's fill."""
    largest = replace(CIPHER, max_key_bits=256)
    third = [one for one in vector_inputs(largest, SizeChoice(128, 64)) if one.set_number == 3]
    assert bytes(range(32)) == third[0].key + third[0].key_behind
