# SPDX-License-Identifier: MIT
"""A note names the common fields of the Shabal paper's section 2.1 that a context lacks."""

from pathlib import Path

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.annex_a.header import _fields
from assay.check.hash.trial import HashTrial
from assay.model import Package

SUBMISSIONS = Path(__file__).parents[4] / "submissions"


@pytest.mark.parametrize(
    ("place", "lacking"),
    [
        ("shabal/unrolled", ""),
        ("shabal/portable", "buf, state, Wlow, Whigh"),
        ("sha256/portable", "buf, ptr, state"),
    ],
)
def test_the_note_names_what_the_context_lacks(place: str, lacking: str) -> None:
    """The counter of blocks is Shabal's own; a header with all fields has no note."""
    root, primitive = SUBMISSIONS / place, place.partition("/")[0]
    package = stand_in(Package, root=root, header=f"{primitive}.h", primitive=primitive)
    note = _fields(stand_in(HashTrial, package=package))
    assert note.startswith(f"the context has no {lacking}: " if lacking else "")
    assert bool(note) == bool(lacking)
