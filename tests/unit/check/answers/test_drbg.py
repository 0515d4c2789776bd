# SPDX-License-Identifier: MIT
"""NIST's generator against the seeds that stand in every KAT file of NIST's competition.

NIST's program begins the generator with 00 01 ... 2f and writes the seeds that it gives.
"""

import pytest

from assay.check.answers.asked import CtrDrbg, stream

FIRST = (
    "061550234D158C5EC95595FE04EF7A25767F2E24CC2BC479D09D86DC9ABCFDE7"
    "056A8C266F9EF97ED08541DBD2E1FFA1"
)
SECOND = (
    "D81C4D8D734FCBFBEADE3D3F8A039FAA2A2C9957E835AD55B22E75BF57BB556A"
    "C81ADDE6AEEB4A5A875C3BFCADFA958F"
)


def test_the_seeds_of_nists_files_come_out() -> None:
    """The first two seeds of PQCkemKAT and PQCsignKAT files are known to everybody."""
    generator = CtrDrbg(bytes(range(48)))
    assert generator.generate(48).hex().upper() == FIRST
    assert generator.generate(48).hex().upper() == SECOND


def test_the_first_seed_gives_the_first_message_of_nists_files() -> None:
    """Messages of 33 bytes come after each seed in PQCsignKAT files."""
    generator = CtrDrbg(bytes(range(48)))
    generator.generate(48)
    assert generator.generate(33)[:8].hex().upper() == "D81C4D8D734FCBFB"


def test_what_is_left_of_a_block_is_not_given_to_the_next_request() -> None:
    """The state changes after each request (SP 800-90A, 10.2.1.5.1)."""
    halves = stream(bytes(range(48)), (24, 24))
    assert halves[:24].hex().upper() == FIRST[:48]
    assert halves[24:].hex().upper() != FIRST[48:]


def test_requests_for_nothing_change_the_state_but_give_nothing() -> None:
    """A request for 0 bytes still ends with an update."""
    assert len(stream(bytes(48), (0, 16, 0))) == 16
    assert stream(bytes(48), (0, 16)) != stream(bytes(48), (16,))


def test_entropy_of_another_length_is_refused() -> None:
    """Without derivation function the seed is as long as key and counter."""
    with pytest.raises(ValueError, match="32 bytes of entropy, not 48"):
        CtrDrbg(bytes(32))
