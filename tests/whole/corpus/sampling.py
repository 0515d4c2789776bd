# SPDX-License-Identifier: MIT
"""Which broken packages every run of the tests tries: one for each check that catches some.

What is deep and catches broken hashes as well is asked of these alone, which take half as long.
`./scripts/test --corpus` tries all of them.
"""

import tomllib
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

SLOW = [pytest.mark.slow]
# What these draw at random may meet any fault, so they may fail beside the check that is meant.
BY_CHANCE = frozenset({"calls/rare-failures", "calls/sparse"})


def deep_for_hashes() -> frozenset[str]:
    """Return the slow checks that catch a broken hash."""
    rows = tomllib.loads(Path(__file__).with_name("compact.toml").read_text())["defect"]
    return frozenset(one.get("caught", "") for one in rows if one.get("deep"))


def one_for_each(
    rows: Iterable[Any],
    check: Callable[[Any], str],
    answering: Callable[[Any], frozenset[str]] | None = None,
    takes_long: Callable[[Any], bool] = attrgetter("deep"),
    elsewhere: Collection[str] = (),
) -> list[Any]:
    """Return parameters of a test; after the first row of a check the others are slow.

    So are all rows of checks that rows `elsewhere` are for.

    With `answering`, which names the checks that answer a row, one that `takes_long` is asked
    these alone, as all that is deep takes half a minute; asking all is slow.
    """
    known = set(elsewhere)
    chosen: list[Any] = []
    for row in rows:
        is_slow = check(row) in known or getattr(row, "slow", False)
        known.update(() if is_slow else {check(row)})
        if answering and takes_long(row) and not is_slow:
            alone = replace(row, asks=tuple(sorted(answering(row))))
            chosen.append(pytest.param(alone, id=f"{row.name}-alone"))
            is_slow = True
        chosen.append(pytest.param(row, id=row.name, marks=SLOW if is_slow else []))
    return chosen
