# SPDX-License-Identifier: MIT
"""Every implementation in ebacs/ passes every check, and its checksums are known ones."""

from pathlib import Path
from typing import Any

import pytest

from assay.model import Verdict

SHIPPED = Path(__file__).resolve().parents[3] / "ebacs"
PLACES = sorted(str(path.parent.relative_to(SHIPPED)) for path in SHIPPED.rglob("api.h"))
SUMS = ("checksum/small", "checksum/big")


def test_all_operations_are_there() -> None:
    """One package at least of each of the twenty."""
    assert len({place.split("/")[0] for place in PLACES}) == 20


@pytest.mark.parametrize("place", PLACES)
def test_a_shipped_implementation_passes(operation_bench: Any, place: str) -> None:
    """With the first configuration; what is not for this machine is skipped, visibly."""
    package = operation_bench.package(place)
    outcome = operation_bench.examine(package)
    if outcome.verdict is Verdict.SKIPPED:
        pytest.skip(outcome.checks[0].reason)
    assert [one for one in outcome.checks if one.verdict is Verdict.FAIL] == []
    verdicts = {one.check: one.verdict for one in outcome.checks}
    if (package.root.parent / "checksumsmall").exists():
        assert [verdicts[name] for name in SUMS] == [Verdict.PASS] * 2
