# SPDX-License-Identifier: MIT
"""Differential traces, for targets without valgrind: runs that differ in secrets alone.

Both must execute the same instructions and access the same addresses, as far as what they make
public is the same. Each use is run four times in one process: once for caches to fill, then with
one secret, with another, and with the first again, whose traces must be the same; otherwise
nothing can be said. Of functions that the package calls, in the C library and in the compiler's,
the caller is named, too.

A call of an operation gets the secrets of another use of all its functions, with the public inputs
of its own, and other randomness. What a secret key has of a public one stays. Whether a call
refuses is public: where the two do not agree in that, one that refuses is compared with a third.
"""

import time
from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from assay.check.arena import Arena
from assay.check.check import CheckSkipped
from assay.check.memory.passes import MOST_SECONDS, other_lengths
from assay.check.routine import Routine
from assay.check.secret_uses import PARTS, SecretUse, secret_uses
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial
from assay.compile.visible import Visible
from assay.execute.tracing import Trace, Tracing
from assay.execute.valgrind import Complaint
from assay.model.secrets import FROM

LENGTHS = (1, 64, 200)
BOARD_LENGTHS = (1, 64, 100)
BRANCH = "Conditional jump goes another way in a run that differs in secrets alone"
ADDRESS = "Use of another address in a run that differs in secrets alone"
UNLIKE = "{} returns another result for each secret"
UNSTABLE = "two runs of {} with the same inputs execute different instructions"
CUT = "traces end after 32 million instructions and accesses"
ACCESS = np.uint64(1)
MOST_STRETCHES = 200  # of a pair of traces
SIGHT = 1 << 14  # records: how far behind a branch paths meet again
NEAR = 1 << 9  # most do so here
ATTEMPTS = 4  # at two traces without an interrupt
ALIKE = 6  # instructions in a row: there they have met
SLOW_SECONDS = 4 * MOST_SECONDS  # for uses of three lengths: another one would take a third of it
WIDEST = 1 << 26  # addresses that a table has room for; farther apart they are sorted
FEW = 8  # times as many accesses are alike, or it is another turn or call: a consequence
Indices = NDArray[np.intp]
Run = tuple[Routine, bytes]
Owned = Callable[[Trace], NDArray[np.bool_]]


class TraceDifference(Struct, frozen=True):
    """What differs at an instruction, and the package's own instruction from which it came."""

    what: str
    address: int
    caller: int


def followed(trial: AnyTrial, found: list[Complaint], visible: Visible = Visible.PLAIN) -> str:
    """Add where the traces of two runs differ; return what was not seen.

    NothingVisibleError if there is nothing to be made visible.
    """
    if trial.bench is None or trial.bench.traced is None:
        raise CheckSkipped("there is no emulator that traces for this target")
    known: dict[TraceDifference, None] = {}
    problems: dict[str, None] = {}
    with trial.bench.traced(visible) as (agent, tracing, shown):
        session = trial.converse(agent)
        follower = Follower(session, tracing, known)
        lengths = BOARD_LENGTHS if trial.on_board else LENGTHS
        uses = secret_uses(trial, session, lengths)
        for use in chain(uses, _other_uses(trial, follower, max(lengths))):
            problems.update(dict.fromkeys(follower.compare(use)))
    for one in known:
        place, instruction = shown(one.address)
        if one.caller != one.address:
            place += FROM + shown(one.caller)[0]
        found.append(Complaint(one.what, True, True, (place,), instruction))
    return "; ".join(problems)


def _other_uses(trial: AnyTrial, follower: "Follower", longest: int) -> Iterator[SecretUse]:
    """Yield uses with other public inputs, for as long as there is time; none of slow code."""
    if time.monotonic() - follower.began > SLOW_SECONDS:
        return
    for length in other_lengths(trial, follower):
        yield from secret_uses(trial, follower.session, (min(length, longest),))


class TracedCall(Struct, frozen=True):
    """A call, its trace, a digest of what there was no room for, and what it returned."""

    run: Run
    trace: Trace
    rest: int
    results: tuple[int, ...]


def _same(one: TracedCall, other: TracedCall) -> bool:
    return one.rest == other.rest and np.array_equal(one.trace, other.trace)


class Follower(Struct, frozen=True):
    """Compares what uses do, in a session with an agent that is traced."""

    session: BaseSession
    tracing: Tracing
    known: dict[TraceDifference, None]
    met: set[int] = field(default_factory=set)
    began: float = field(default_factory=time.monotonic)

    @property
    def translated(self) -> int:
        """Return how many instructions were met, as `ValgrindOutput` does."""
        return len(self.met)

    def compare(self, use: SecretUse) -> Iterator[str]:
        """Add the differences of a use; yield what was not seen of it."""
        arena = Arena.alone(self.session)
        first, second, third = zip(use.routines, use.seeds, strict=True)
        runs = self._steady(arena, first, second) or self._steady(arena, first, second)
        if runs is None:
            yield UNSTABLE.format(use.routine.name)
            return
        one, other = runs
        last = self._traced(arena, *third)
        self.met.update(*(addresses_met(each.trace) for each in (one, other, last)))
        if one.results == other.results:
            yield from self._differ(arena, one, other)
            yield from self._differ(arena, one, last) if one.results == last.results else ()
            return
        alike = self._alike(arena, use, one.results)
        if alike is not use.routine:
            yield from self._differ(arena, one, self._traced(arena, alike, use.seeds[1]))
        if last.results == other.results:
            yield from self._differ(arena, last, other)
        elif alike is use.routine:
            yield UNLIKE.format(use.routine.name)

    def _steady(
        self, arena: Arena, first: Run, second: Run
    ) -> tuple[TracedCall, TracedCall] | None:
        """Return what two runs did; None if the first one does something else when repeated."""
        self._returned(arena, *first)
        one, other = self._traced(arena, *first), self._traced(arena, *second)
        return (one, other) if _same(one, self._traced(arena, *first)) else None

    def _alike(self, arena: Arena, use: SecretUse, results: tuple[int, ...]) -> Routine:
        """Return the routine with as much of other secrets as it returns the same for."""
        kept = use.routine
        for part in range(0 if use.opens else PARTS):
            tried = use.partly(kept, part)
            if self._returned(arena, tried, use.seeds[1]) == results:
                kept = tried
        return kept

    def _differ(self, arena: Arena, one: TracedCall, other: TracedCall) -> Iterator[str]:
        """Add the differences of two runs; yield whether the end of both was not seen."""
        found = self._found(one, other)
        if any(found):
            pair = self._settled(arena, one, other)
            if pair is None:
                yield UNSTABLE.format(one.run[0].name)
                return
            found = self._found(*pair)
        self.known.update(dict.fromkeys(filter(None, found)))
        if one.rest != other.rest and None not in found:
            yield CUT

    def _settled(
        self, arena: Arena, one: TracedCall, other: TracedCall
    ) -> tuple[TracedCall, TracedCall] | None:
        """Return what both runs did twice in a row; None if they never do.

        What interrupts calls hides what comes then, in long ones often in the same inner loop: no
        two such traces are the same from beginning to end.
        """
        for _ in range(ATTEMPTS):
            again = self._traced(arena, *one.run), self._traced(arena, *other.run)
            if all(map(_same, again, (one, other))):
                return again
            one, other = again
        return None

    def _found(self, one: TracedCall, other: TracedCall) -> list[TraceDifference | None]:
        whole, its = not (one.rest or other.rest), self.tracing
        pair = one.trace, other.trace
        return [*differences(*pair, its.of_package, its.of_declassify, whole=whole)]

    def _traced(self, arena: Arena, routine: Routine, seed: bytes) -> TracedCall:
        returned = self._returned(arena, routine, seed)
        return TracedCall((routine, seed), *self.tracing.taken(), returned)

    def _returned(self, arena: Arena, routine: Routine, seed: bytes) -> tuple[int, ...]:
        self.session.seed = seed
        arena.ready(routine)
        self.session.settle()
        self.tracing.begin()
        results = arena.go(routine.steps)
        self.session.settle()
        return results.of(routine.steps)[0] if results else ()


class Stretch(Struct, frozen=True):
    """Where two traces go the same way: records of both from two places on, as many.

    `parts` is whether they then go different ways.
    """

    first: int
    second: int
    length: int
    parts: bool


def stretches(one: Trace, other: Trace) -> Iterator[Stretch]:
    """Yield where two traces go the same way; behind a branch they meet again, or not in sight."""
    at, there = 0, 0
    for _ in range(MOST_STRETCHES):
        length, parts = _alike(one[at:], other[there:])
        yield Stretch(at, there, length, parts)
        met = _meet(one[at + length :], other[there + length :]) if parts else None
        if met is None:
            return
        at, there = at + length + met[0], there + length + met[1]


def _alike(one: Trace, other: Trace) -> tuple[int, bool]:
    """Return for how many records two traces go the same way, and whether they part there."""
    length = min(len(one), len(other))
    for start in range(0, length, SIGHT):
        left, right = one[start : min(length, start + SIGHT)], other[start:][:SIGHT]
        right = right[: len(left)]
        parted = np.flatnonzero((left != right) & ((left & right & ACCESS) == 0))
        if parted.size:
            return start + int(parted[0]), True
    return length, len(one) != len(other)


def _meet(one: Trace, other: Trace) -> tuple[int, int] | None:
    """Return where both execute the same instructions again, as soon as they do."""
    for sight in (NEAR, SIGHT):
        places, grams = _grams(one[:sight])
        there, others = _grams(other[:sight])
        first = {gram: number for number, gram in reversed(list(enumerate(others)))}
        pairs = ((number, first[gram]) for number, gram in enumerate(grams) if gram in first)
        best = min(pairs, key=sum, default=None)
        if best is not None and (sum(best) < min(len(grams), len(others)) or sight == SIGHT):
            return int(places[best[0]]), int(there[best[1]])
    return None


def _grams(trace: Trace) -> tuple[Indices, list[bytes]]:
    """Return where instructions stand, and each with those that follow it."""
    places = _instructions(trace)
    data, size = trace[places].tobytes(), trace.itemsize
    count = max(0, len(places) - ALIKE + 1)
    return places, [data[at * size : (at + ALIKE) * size] for at in range(count)]


def differences(
    one: Trace, other: Trace, owned: Owned, declassifies: Owned, *, whole: bool = True
) -> Iterator[TraceDifference | None]:
    """Yield what differs between two traces, and at which instruction.

    `owned` says which addresses are of the package's own code, and `declassifies` of the function
    whose accesses show what is made public: where that differs, other paths are right from there
    on, and None comes last. Those of a trace that is not `whole` may end anywhere.
    """
    instructions = _instructions(one)
    callers = instructions[owned(one[instructions] >> ACCESS)]
    for stretch in stretches(one, other):
        end = stretch.first + stretch.length
        left, right = one[stretch.first : end], other[stretch.second :][: stretch.length]
        accesses = stretch.first + np.flatnonzero(left != right)
        public = declassifies(np.array(_before(one, instructions, accesses), np.uint64))
        ends = bool(public.any())
        accesses = accesses[: int(public.argmax())] if ends else accesses
        if stretch.first and accesses.size * FEW > np.count_nonzero(left & ACCESS):
            accesses = accesses[:0]
        whole_there = whole or (end < len(one) and stretch.second + stretch.length < len(other))
        branches = [end - 1] if stretch.parts and whole_there and not ends else []
        for what, places in ((ADDRESS, accesses), (BRANCH, np.array(branches, np.intp))):
            pairs = zip(
                *(_before(one, each, places) for each in (instructions, callers)), strict=True
            )
            yield from (TraceDifference(what, *each) for each in sorted(set(pairs)))
        if ends:
            yield None
            return


def addresses_met(trace: Trace) -> Iterator[int]:
    """Yield the addresses of a trace's instructions, each once."""
    executed = trace[(trace & ACCESS) == 0] >> ACCESS
    if not executed.size:
        return
    first = executed.min()
    if executed.max() - first >= WIDEST:
        yield from np.unique(executed).tolist()
        return
    seen = np.zeros(int(executed.max() - first) + 1, np.bool_)
    seen[(executed - first).astype(np.intp)] = True
    yield from (int(first) + one for one in np.flatnonzero(seen).tolist())


def _instructions(trace: Trace) -> Indices:
    """Return the places of instructions in a trace."""
    return np.flatnonzero((trace & ACCESS) == 0)


def _before(trace: Trace, instructions: Indices, places: Indices) -> list[int]:
    """Return the addresses of the instructions at or before places of a trace."""
    if not instructions.size:
        return [0] * len(places)
    nearest = np.searchsorted(instructions, places, side="right") - 1
    found: list[int] = (trace[instructions[np.maximum(nearest, 0)]] >> ACCESS).tolist()
    return found
