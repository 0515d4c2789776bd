# SPDX-License-Identifier: MIT
"""Checking packages in many configurations: code that several of them give is looked at once."""

import re
from dataclasses import dataclass, replace

from assay.check.engine.cells import Examined
from assay.model import CheckResult, Verdict, overall
from assay.model.causes import in_order

ORDER = (Verdict.FAIL, Verdict.OPEN, Verdict.FINDING, Verdict.SKIPPED, Verdict.PASS)
NAMED = 3
_VARIABLE = re.compile(r"\b(?:0x[0-9a-f]+|\d{1,15})\b")  # a checksum is another in each group


@dataclass(frozen=True, slots=True)
class Everywhere:
    """What came of a variant of a package in all of them, in the order that was asked for."""

    rows: tuple[Examined, ...]

    @property
    def codes(self) -> int:
        """How many different object codes there are."""
        return len({row.build.object_hash for row in self.rows} - {None})

    @property
    def verdict(self) -> Verdict:
        """The verdict on the whole: one configuration that fails is a failure."""
        return overall(row.outcome.verdict for row in self.rows)

    def count(self, verdict: Verdict) -> int:
        """In how many configurations this was the verdict on the whole."""
        return sum(row.outcome.verdict is verdict for row in self.rows)

    def findings(self, *, all_names: bool = False) -> tuple[CheckResult, ...]:
        """Return each check's verdicts, once for all configurations where it says the same.

        The reason begins with where that is, unless it is everywhere. Failures come first, and
        before them the findings that they follow from.
        """
        where: dict[tuple[str, Verdict, str], list[str]] = {}
        first: dict[tuple[str, Verdict, str], CheckResult] = {}
        for row in self.rows:
            for one in row.outcome.checks:
                key = (one.check, one.verdict, _VARIABLE.sub("N", one.reason))
                first.setdefault(key, one)
                where.setdefault(key, []).append(row.recipe.configuration.name)
        found = [self._located(first[key], names, all_names) for key, names in where.items()]
        return tuple(in_order(sorted(found, key=lambda one: ORDER.index(one.verdict))))

    def _located(self, check: CheckResult, names: list[str], all_names: bool) -> CheckResult:
        """Name the configurations in which a check found it."""
        if len(names) == len(self.rows) > 1:
            return check
        shown = names if all_names or len(names) <= NAMED else names[:NAMED]
        more = len(names) - len(shown)
        place = f"in {', '.join(shown)}" + (f" and {more} more (--all names them)" if more else "")
        return replace(check, reason=f"{place}: {check.reason}" if check.reason else place)
