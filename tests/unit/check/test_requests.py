# SPDX-License-Identifier: MIT
"""What checks ask of an agent stays as it is: requests and bytes of every check, by kind."""

import json

import pytest
from tests.whole.frozen.requests import FILE, Figures, figures

FROZEN = json.loads(FILE.read_text())


@pytest.fixture(scope="module")
def counted() -> Figures:
    """Ask agents in Python of every kind what checks ask."""
    return figures()


@pytest.mark.parametrize("kind", sorted(FROZEN))
def test_checks_make_the_requests_that_they_made_before(kind: str, counted: Figures) -> None:
    """A check that asks more, or asks the same in more bytes, is slower on a board."""
    assert counted[kind] == FROZEN[kind]
