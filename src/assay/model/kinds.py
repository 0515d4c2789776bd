# SPDX-License-Identifier: MIT
"""The kinds of packages, and what is so of all packages of a kind.

What a stage does for a kind alone is in that stage's record of the kind (`check/kinds.py`,
`measure/kinds.py`, `report/kinds.py`).
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from msgspec import Struct


class PackageKind(StrEnum):
    """What sort of primitive a package has; an agent is built for one kind."""

    STREAM = "stream"
    HASH = "hash"
    OPERATION = "operation"

    @property
    def rules(self) -> "KindRules":
        """Return what is so of all packages of the kind."""
        return RULES[self]


class KindRules(Struct, frozen=True):
    """How packages of a kind are built, run, measured and reported, where kinds differ.

    `patience_seconds` is how long answers of one package are waited for in all.

    `combined` packages become one object, with their adapter and subroutines, of which only the
    adapter's table is visible. `large` ones get memory without a limit on this machine.
    Configurations are `listed` by SUPERCOP unless the user names some.

    `contests`: of a primitive the best implementation is measured in full, and has a league of
    those with its claims if `leagues`. Timings are `pooled` over launches, each at a length of
    the operation, and are written as `database_lines`. Packages come in `trees`, of which many
    are checked at once. Failures are written as `error_texts`, eSTREAM's.

    `compact` code is written for its size, and assembly among it for one machine alone.
    """

    patience_seconds: float = 600.0
    combined: bool = False
    large: bool = False
    listed: bool = False
    contests: bool = False
    leagues: bool = False
    pooled: bool = False
    database_lines: bool = False
    trees: bool = False
    error_texts: bool = True
    compact: bool = False


# Honest packages of streams and hashes are waited for some seconds, slow signatures 5 to 10
# minutes on a machine with nothing else to do; SUPERCOP gives tests of its packages an hour.
RULES: Mapping[PackageKind, KindRules] = MappingProxyType(
    {
        PackageKind.STREAM: KindRules(),
        PackageKind.HASH: KindRules(compact=True),
        PackageKind.OPERATION: KindRules(
            patience_seconds=3600.0,
            combined=True,
            large=True,
            listed=True,
            contests=True,
            leagues=True,
            pooled=True,
            database_lines=True,
            trees=True,
            error_texts=False,
        ),
    }
)
