# SPDX-License-Identifier: MIT
"""Which broken packages every run of the tests tries: one for each check that catches some.

`./scripts/test --corpus` tries all of them.
"""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

SLOW = [pytest.mark.slow]


def one_for_each(rows: Iterable[Any], check: Callable[[Any], str]) -> list[Any]:
    """Return parameters of a test; after the first row of a check the others are slow."""
    known: set[str] = set()
    chosen: list[Any] = []
    for row in rows:
        is_slow = check(row) in known or getattr(row, "slow", False)
        known.update(() if is_slow else {check(row)})
        chosen.append(pytest.param(row, id=row.name, marks=SLOW if is_slow else []))
    return chosen
