# SPDX-License-Identifier: MIT
"""The order of results, and what the variants of one package say together."""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.check.engine.cells import Examined
from assay.check.engine.examination import COMPILES, Examination
from assay.check.engine.turns import Turn
from assay.compile.reasons import STOPS
from assay.model import Build, BuildStage, CheckResult, Verdict

Siblings = tuple[str, str, str]  # of all variants: place, configuration and target


class InOrder:
    """Lets results go in the order of the turns.

    A variant that stops with #error is skipped if another variant of its package builds with
    the same configuration on the same target, and fails otherwise; so it waits for the others.
    """

    def __init__(self, turns: Sequence[Turn]) -> None:
        """Take all turns, in their order."""
        self._left = deque(turns)
        self._siblings: defaultdict[Siblings, list[Turn]] = defaultdict(list)
        for turn in turns:
            self._siblings[_siblings(turn)].append(turn)

    def ready(self) -> Iterator[Examined]:
        """Yield what nothing before has to be waited for."""
        while self._left and self._is_ready(self._left[0]):
            yield self._result(self._left.popleft())

    def _is_ready(self, turn: Turn) -> bool:
        if not turn.settled or not stopped(turn.result.build):
            return turn.settled
        return all(one.settled for one in self._siblings[_siblings(turn)])

    def _result(self, turn: Turn) -> Examined:
        found = turn.result
        if not stopped(found.build):
            return found
        if not all(stopped(one.result.build) for one in self._siblings[_siblings(turn)]):
            return found
        return replace(found, outcome=_failed(found.outcome))


def stopped(build: Build) -> bool:
    """Return whether the code of a variant stops with #error."""
    return build.stage is BuildStage.SKIPPED and build.reason.startswith(STOPS)


def _siblings(turn: Turn) -> Siblings:
    recipe = turn.recipe
    return recipe.package.place, recipe.configuration.name, recipe.target.name


def _failed(outcome: Examination) -> Examination:
    return Examination(outcome.subject, tuple(map(_fail, outcome.checks)))


def _fail(skipped: CheckResult) -> CheckResult:
    return CheckResult(COMPILES, Verdict.FAIL, skipped.reason, skipped.cure, skipped.evidence)
