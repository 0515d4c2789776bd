# SPDX-License-Identifier: MIT
"""A note names the common fields of the Shabal paper's section 2.1 that a context lacks."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.check.annex_a.header import _fields

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
    package: Any = SimpleNamespace(root=root, header=f"{primitive}.h", primitive=primitive)
    note = _fields(SimpleNamespace(package=package))  # type: ignore[arg-type]
    assert note.startswith(f"the context has no {lacking}: " if lacking else "")
    assert bool(note) == bool(lacking)
