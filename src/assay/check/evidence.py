# SPDX-License-Identifier: MIT
"""What a check shows where two outcomes of one computation differ."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import zip_longest

from msgspec import Struct, field

from assay.check.arena import SECOND_BASE, Arena, PendingOutcome, Placement, ordinary
from assay.check.check import CheckFailed, CheckFinding
from assay.check.routine import Routine, RoutineOutcome
from assay.check.trial import AnyTrial

SHOWN_BYTES = 64
LONGEST_INPUT = 1024
EXPECTED = ("expected", "actual")


def difference(
    expected: RoutineOutcome, actual: RoutineOutcome, words: tuple[str, str] = EXPECTED
) -> str:
    """Show what two outcomes differ in; nothing if they are the same.

    `words` say what the first and the second are.
    """
    one, other = (word.ljust(max(map(len, words))) for word in words)
    as_many = len(expected.results) == len(actual.results)  # of other calls, other results
    if as_many and expected.results != actual.results:
        return f"{one} results {expected.results}\n{other} results {actual.results}\n"
    for name, value in expected.outputs.items():
        if name in actual.outputs and actual.outputs[name] != value:
            return _bytes(name, value, actual.outputs[name], words)
    return ""


def _bytes(name: str, expected: bytes, actual: bytes, words: tuple[str, str]) -> str:
    pairs = enumerate(zip_longest(expected, actual))
    at = next(at for at, (one, other) in pairs if one != other)
    start = at // SHOWN_BYTES * SHOWN_BYTES
    part = slice(start, start + SHOWN_BYTES)
    first, second = (f"{word}[{start}..]" for word in words)
    width = max(len(first), len(second))
    return (
        f"{name}: first difference at byte {at}\n"
        f"{first:{width}} = {expected[part].hex().upper()}\n"
        f"{second:{width}} = {actual[part].hex().upper()}\n"
    )


def inputs(routine: Routine) -> str:
    """List the inputs of a routine, as far as they are short."""
    given = ((name, routine.variables[name].value) for name in routine.inputs)
    lines = (f"{name} = {value.hex().upper()}\n" for name, value in given if value)
    return "".join(line for line in lines if len(line) <= 2 * LONGEST_INPUT)


def judge(
    arena: Arena,
    routine: Routine,
    complaint: str,
    expected: RoutineOutcome,
    actual: RoutineOutcome,
) -> None:
    """Raise CheckFailed if the outcomes differ; CheckFinding if the code refused a call.

    Whoever calls the functions then knows that the output is none.
    """
    shown = difference(expected, actual)
    if not shown:
        return
    evidence = f"{routine.name}\n{inputs(routine)}{shown}"
    if arena.session.refused():
        raise CheckFinding(f"a function refuses its call, so {complaint}", evidence)
    raise CheckFailed(complaint, evidence)


def require_equal(
    routine: Routine, complaint: str, name: str, expected: bytes, actual: bytes
) -> None:
    """Raise CheckFailed if bytes of a variable are not what they must be."""
    if expected != actual:
        shown = _bytes(name, expected, actual, EXPECTED)
        raise CheckFailed(complaint, f"{routine.name}\n{inputs(routine)}{shown}")


class EqualPairs(Struct):
    """Outcomes that must be equal, judged once all of them have been asked for."""

    arena: Arena
    waiting: list[tuple[str, PendingOutcome, PendingOutcome]] = field(default_factory=list)

    def expect(self, complaint: str, expected: PendingOutcome, actual: PendingOutcome) -> None:
        """Note that two outcomes must be equal; `complaint` says what is wrong if not."""
        self.waiting.append((complaint, expected, actual))

    def judge(self) -> None:
        """Raise CheckFailed for the first pair that differs."""
        waiting, self.waiting = self.waiting, []
        for complaint, expected, actual in waiting:
            judge(self.arena, actual.routine, complaint, expected.value, actual.value)


@contextmanager
def side_by_side(
    trial: AnyTrial, place: Placement = ordinary
) -> Iterator[tuple[Arena, Arena, EqualPairs]]:
    """Lend two arenas in one agent, and pairs of their outcomes, which are judged at the end.

    `place` is for the second arena.
    """
    with trial.session() as session:
        here, there = Arena(session), Arena(session, place, SECOND_BASE)
        pairs = EqualPairs(here)
        yield here, there, pairs
        pairs.judge()


def named(parts: Iterable[str]) -> str:
    """Join names: `a`, `a and b`, `a, b and c`."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def compared_with(reference: str) -> str | None:
    """Return the remark of a comparison that passed; None where the package's own tree has it."""
    return f"compared with {reference}, which Assay comes with" if reference else None
