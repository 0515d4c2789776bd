# SPDX-License-Identifier: MIT
"""Best options: every configuration that was tried for each implementation, and the winner."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.model.compared import UNCOMPARED
from assay.model.series import Series
from assay.model.supercop import Attempt, Subject
from assay.report.ebacs.own import subject_of
from assay.report.ebacs.records import Provenance, Records
from assay.report.ebacs.views import league_mark
from assay.summary.imported import UNKNOWN, UNSOUND
from assay.summary.sizes import BSS, DATA, TEXT

OUTCOMES = {
    "ok": ("pass", "ok"),
    UNKNOWN: ("open", UNCOMPARED),
    "fails": ("fail", "wrong outputs"),
    "tryfails": ("fail", "failed"),
}


NOT_SOUND = UNSOUND | {UNKNOWN}
LONGEST_REASON = 200
Sizes = tuple[int, int, int]  # text, data and bss, in bytes


@dataclass(frozen=True, slots=True)
class Try:
    """One configuration of an implementation; `won` if it is the best of its league."""

    attempt: Attempt
    compiler: str
    won: bool

    @property
    def badge(self) -> tuple[str, str]:
        """Return style and text of the verdict."""
        return OUTCOMES.get(self.attempt.outcome, ("fail", self.attempt.outcome))

    @property
    def reason(self) -> str:
        """Explain why it failed, or which checksums it has."""
        one = self.attempt
        sums = " ".join(part[:16] for part in (one.checksum_small, one.checksum_big) if part)
        said = f"checksums {sums}" if sums and one.outcome == "fails" else ""
        return _first_line(one.reason) or said


@dataclass(frozen=True, slots=True)
class TriedImplementation:
    """An implementation at one place: its tries, best first, and what it weighs."""

    subject: Subject
    tries: tuple[Try, ...]
    size: Sizes | None

    @property
    def name(self) -> str:
        """Return the implementation, marked if it is not in the first league."""
        return f"{league_mark(self.subject)}{self.subject.short_name}"

    @property
    def score(self) -> float | None:
        """Return the best score of those that are sound."""
        first = self.tries[0]
        return None if first.attempt.outcome in UNSOUND else first.attempt.score

    @property
    def passed(self) -> int:
        """Count the configurations that failed nothing."""
        return sum(one.attempt.outcome not in UNSOUND for one in self.tries)

    @property
    def compared(self) -> bool:
        """Return whether outputs of those that failed nothing were compared with checksums."""
        return all(one.attempt.outcome != UNKNOWN for one in self.tries)

    @property
    def says(self) -> str:
        """Return how many configurations are sound; none is without a comparison."""
        if self.compared:
            return f"{self.passed} of {len(self.tries)} configurations sound"
        return f"{self.passed} of {len(self.tries)} configurations failed nothing, {UNCOMPARED}"

    @property
    def won(self) -> bool:
        """Return whether one of its configurations is the best of its league."""
        return any(one.won for one in self.tries)


def compilers(records: Records) -> dict[str, str]:
    """Return the configurations of all attempts and measurements a short name: C1, C2 ..."""
    tried = {one.subject.compiler for one in records.attempts}
    timed = {one.configuration.command_line for one in records.series if one.points}
    names = sorted(tried | timed)
    return {name: f"C{number}" for number, name in enumerate(names, 1)}


def candidates(
    records: Records, primitive: str, numbers: dict[str, str]
) -> tuple[TriedImplementation, ...]:
    """Return the implementations of a primitive at one place, best first."""
    own = [one for one in newest(records.attempts) if one.subject.primitive == primitive]
    winners = set(winning(own).values())
    sizes = code_sizes(records.series)
    groups: dict[tuple[str, str], list[Attempt]] = {}
    for one in sorted(own, key=_order):
        groups.setdefault((one.subject.implementation, one.subject.league), []).append(one)
    found = (_candidate(group, winners, sizes, numbers) for group in groups.values())
    return tuple(sorted(found, key=lambda one: _order(one.tries[0].attempt)))


def newest(attempts: Iterable[Attempt]) -> tuple[Attempt, ...]:
    """Keep the newest attempt of each build."""
    found: dict[tuple[Provenance, Subject], Attempt] = {}
    for one in attempts:
        key = (Provenance.of(one.source), one.subject)
        if key not in found or found[key].source.date <= one.source.date:
            found[key] = one
    return tuple(found.values())


def winning(attempts: Iterable[Attempt]) -> dict[tuple[Provenance, str, str, str], Subject]:
    """Return the best sound build by place, operation, primitive and league."""
    found: dict[tuple[Provenance, str, str, str], Subject] = {}
    for one in sorted(attempts, key=_order):
        if one.outcome not in UNSOUND and one.score is not None:
            whose = one.subject
            key = (Provenance.of(one.source), whose.operation, whose.primitive, whose.league)
            found.setdefault(key, whose)
    return found


def reasons(attempts: Sequence[Attempt]) -> tuple[tuple[str, str, int], ...]:
    """Count outcomes, and failures by the first line of their reason, the most frequent first."""
    counts = Counter((one.outcome, _first_line(one.reason)) for one in attempts)
    return tuple((outcome, reason, n) for (outcome, reason), n in counts.most_common())


def code_sizes(series: Iterable[Series]) -> dict[Subject, Sizes]:
    """Return text, data and bss of each build whose object files were sized."""
    found: dict[Subject, dict[str, int]] = {}
    for one in series:
        if one.measure in (TEXT, DATA, BSS):
            found.setdefault(subject_of(one), {})[one.measure] = round(one.median)
    return {whose: (one[TEXT], one[DATA], one[BSS]) for whose, one in found.items()}


def _first_line(text: str) -> str:
    """Return the first line of what may be all that a compiler said."""
    return text.strip().partition("\n")[0][:LONGEST_REASON]


def _order(attempt: Attempt) -> tuple[bool, bool, float, str, str]:
    """Sort sound ones first, by score, then by name so that two runs agree."""
    missing = attempt.score is None
    whose = attempt.subject
    unsound = attempt.outcome in UNSOUND
    return (unsound, missing, attempt.score or 0.0, whose.implementation, whose.compiler)


def _candidate(
    attempts: Sequence[Attempt],
    winners: set[Subject],
    sizes: dict[Subject, Sizes],
    numbers: dict[str, str],
) -> TriedImplementation:
    """Gather the tries of one implementation."""
    first = attempts[0].subject
    tries = tuple(
        Try(one, numbers[one.subject.compiler], one.subject in winners) for one in attempts
    )
    return TriedImplementation(first, tries, sizes.get(first))
