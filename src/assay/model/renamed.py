# SPDX-License-Identifier: MIT
"""Names that checks had before: results of older versions, options and readers of JSON know them.

They go with the next release.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from assay.model.work import CheckResult

FORMERLY = {
    "state/static-memory": "state/leftover",
    "state/residue": "state/leftovers",
    "sanitize/threads": "threads/race",
    "supercop/returns": "calls/returns",
    "supercop/round-trip": "calls/round-trip",
    "supercop/lengths": "calls/lengths",
    "supercop/forgeries": "calls/forgeries",
    "supercop/commutative": "calls/commutative",
    "supercop/consistent": "calls/consistent",
    "supercop/inputs": "buffers/inputs",
    "supercop/margins": "buffers/margins",
    "supercop/overlap": "buffers/overlap",
    "supercop/misaligned": "buffers/misaligned",
}
_TODAY = {old: new for new, old in FORMERLY.items()}


def todays(name: str) -> str:
    """Return the name that a check has today."""
    return _TODAY.get(name, name)


def under_todays_names(checks: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    """Return verdicts with the names that their checks have today."""
    return tuple(
        replace(one, check=_TODAY[one.check]) if one.check in _TODAY else one for one in checks
    )
