# SPDX-License-Identifier: MIT
"""A few calls under valgrind: what it says of them, and why it could not be asked.

A kind brings what is used there, and which bytes are secret; of most, the roles of variables say
what is secret or unwritten. A package may not declare its whole key public: `crypto_declassify` is
for what everybody may know, and every branch on such a key would be overlooked.

Public inputs vary until they meet no new code: a path that only some nonces, ciphertexts or data
take is met by chance alone. Valgrind translates code when it is first about to be executed, so it
knows which input met something new.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from random import Random
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from assay.check.arena import Arena
from assay.check.bench import NothingVisibleError, Report, Shadowed, UnderValgrind, ValgrindAgent
from assay.check.check import once
from assay.check.lengths.far import marked
from assay.check.routine import Routine
from assay.check.trial import AnyTrial, BaseTrial
from assay.compile.recipe import Recipe
from assay.compile.visible import Visible
from assay.errors import MachineError
from assay.execute.agent import Agent, AgentError, AgentFault
from assay.execute.patience import OutOfPatience
from assay.execute.valgrind import Complaint, Marked, fence, mark
from assay.model.api import Role
from assay.package.leaks import is_planted
from assay.targets.architectures import of_machine, traces_divisions

TrialT = TypeVar("TrialT", bound=BaseTrial[Any, Any])
Examine = Callable[[TrialT, UnderValgrind, Visible, list[Complaint]], None]
Use = Callable[[TrialT, Agent, Report, bool], Iterable[Complaint]]
Select = Callable[[Iterable[Complaint]], Iterable[Complaint]]
SIGILL = "SIGILL"
SEED_BYTES, PROBE_BYTES = 32, 16
INITIALISED = "memory/initialised"
ELSEWHERE = "Check it on this machine, without --target, or on one that has valgrind."
SHADOWED = "MemorySanitizer sees divisors, but neither other operands nor prefetches"
TRACED = "traces show neither operands of these instructions nor prefetches"
UNKNOWN = (
    "valgrind 3.19 knows AVX2, but neither AVX-512 nor SHA instructions: install a newer one, "
    "or check an implementation that does without them."
)
ENDED = "Its account says how it ended; valgrind takes about fifty times the time and more memory."

LENGTHS = (0, 1, 64, 200, 1100)  # what takes 16 blocks of 64 bytes at once does so with the last
NOTE = "other public inputs"
STILL = "still met new code"
RESTS, MULTIPLES = 64, 3  # lengths have each rest of a block once before one comes again
SECONDS, MOST_SECONDS = 2.0, 6.0  # the latter for code of which more and more is met
LEAST_SEEN = 3  # what one input in N does is met in 95 of 100 cases among three times as many


class Complaints(Struct, frozen=True):
    """What valgrind complained of.

    `problem` says why it could not be asked, or not to the end, and `cure` what helps; what
    it said until then counts all the same.
    """

    complaints: tuple[Complaint, ...]
    problem: str = ""
    cure: str = ""


def ask(trial: TrialT, examine: Examine[TrialT], visible: Visible = Visible.PLAIN) -> Complaints:
    """Return what valgrind says of a few calls; it is run once per trial and sort of build."""
    trial.only_deep()
    checked = trial.bench.valgrind if trial.bench else None
    said = partial(_said, trial, examine, checked, visible)
    return once(trial.notes, f"memcheck {visible}", said)


def examined_by(
    trial: TrialT, examine: Examine[TrialT], other: Recipe, visible: Visible = Visible.PLAIN
) -> Complaints:
    """Return what valgrind says of the code that another recipe of the package makes."""
    checked = trial.bench.valgrind if trial.bench else None
    return _said(trial, examine, checked and partial(checked, other=other), visible)


def _said(
    trial: TrialT, examine: Examine[TrialT], checked: UnderValgrind | None, visible: Visible
) -> Complaints:
    lacks = trial.bench.lacks if trial.bench and trial.extent.undeclared else None
    if visible and lacks and lacks(visible):
        return Complaints(())
    if trial.extent.shadowed and checked is not None and trial.bench and trial.bench.shadowed:
        if visible is not Visible.PLAIN:
            return Complaints((), SHADOWED, "Ask valgrind.")
        return _shadowed(trial, examine, trial.bench.shadowed)
    if checked is None and trial.extent.undeclared and trial.bench and trial.bench.traced:
        seen = _traces_show(visible, trial.bench.target.architecture)
        return _traced(trial, visible) if seen else Complaints((), TRACED, ELSEWHERE)
    if checked is None:
        return Complaints((), "there is no valgrind for this target", ELSEWHERE)
    found: list[Complaint] = []
    problem, cure = "", ""
    try:
        examine(trial, checked, visible, found)
    except NothingVisibleError:
        pass
    except MachineError as error:
        problem, cure = str(error), error.cure
    except AgentError as error:
        problem, cure = f"under valgrind: {error}", _cure(error, ENDED)
        if isinstance(error, AgentFault) and error.signal == SIGILL:
            problem, cure = "it uses instructions that valgrind does not know", UNKNOWN
    return Complaints(tuple(found), problem, cure)


def _shadowed(trial: TrialT, examine: Examine[TrialT], launched: Shadowed) -> Complaints:
    """Return what MemorySanitizer says of a build, and of one in which it sees no addresses.

    Both get the same inputs: which of a line's branches are met may depend on them.
    """
    from assay.execute.sanitizers import told_apart  # noqa: PLC0415 - for one command

    marked(trial)  # which measures once, with inputs of its own
    kept, seed = trial.random, trial.bytes(SEED_BYTES)
    every: list[Complaint] = []
    others: list[Complaint] = []
    problem, cure = "", ""
    try:
        for addresses, found in ((True, every), (False, others)):
            trial.random = Random(seed)
            examine(trial, _launcher(launched, addresses), Visible.PLAIN, found)
    except MachineError as error:
        problem, cure = str(error), error.cure
    except AgentError as error:
        problem, cure = f"with MemorySanitizer: {error}", _cure(error, "Ask valgrind.")
    finally:
        trial.random = kept
    return Complaints(tuple(told_apart(every, others)), problem, cure)


def _launcher(launched: Shadowed, addresses: bool) -> UnderValgrind:
    def launch(visible: Visible, other: Recipe | None = None) -> ValgrindAgent:
        del visible, other  # it is of this code, and sees what it sees
        return launched(addresses)

    return launch


def _traces_show(visible: Visible, architecture: str) -> bool:
    """Return whether traces of an architecture show what is made visible."""
    if visible is Visible.MULTIPLICATIONS:
        return bool(of_machine(architecture).early)
    return not visible or (visible is Visible.DIVISIONS and traces_divisions(architecture))


def _traced(trial: BaseTrial[Any, Any], visible: Visible) -> Complaints:
    """Return in what traces differ, where there is no valgrind."""
    from assay.check.memory.traces import followed  # noqa: PLC0415 - for emulated targets

    found: list[Complaint] = []
    problem, cure = "", ELSEWHERE
    try:
        problem = followed(trial, found, visible)
    except NothingVisibleError:
        pass
    except (AgentError, MachineError) as error:
        problem, cure = f"traced: {error}", _cure(error, ELSEWHERE)
    return Complaints(tuple(found), problem, cure)


def _cure(error: Exception, usual: str) -> str:
    """Return what helps: more time, or a tool that is missing; or else what usually does."""
    known = isinstance(error, (OutOfPatience, MachineError)) and error.cure
    return known or usual


@contextmanager
def watched(
    checked: UnderValgrind, visible: Visible, found: list[Complaint], select: Select = tuple
) -> Iterator[tuple[Agent, Report]]:
    """Lend an agent under valgrind and its report; add what `select` takes of it in the end."""
    with checked(visible) as (agent, report):
        try:
            yield agent, report
        finally:
            found += select(report.read())


def in_two_passes(use: Use[TrialT]) -> Examine[TrialT]:
    """Make of a use of an agent what valgrind says of it, for a kind without marks of its own.

    At first only what nobody has written is undefined, and everything that depends on it is
    a complaint; then what is secret.
    """

    def examine(
        trial: TrialT, checked: UnderValgrind, visible: Visible, found: list[Complaint]
    ) -> None:
        if visible is Visible.PLAIN and trial.extent.asks(INITIALISED):
            with watched(checked, visible, found, _unwritten) as (agent, report):
                found += use(trial, agent, report, False)
        with watched(checked, visible, found, _secrets) as (agent, report):
            use(trial, agent, report, True)

    return examine


def _unwritten(complaints: Iterable[Complaint]) -> list[Complaint]:
    return [replace(one, secret=False) for one in complaints]


def _secrets(complaints: Iterable[Complaint]) -> list[Complaint]:
    return [one for one in complaints if one.secret]


def use_marked(trial: AnyTrial, agent: Agent, report: Report, secrets: bool) -> list[Complaint]:
    """Use everything; return the outputs that are not of what was written."""
    session = trial.converse(agent)
    found: list[Complaint] = []
    lengths = (*LENGTHS, *marked(trial)) if secrets else LENGTHS
    every = trial.uses(lengths, wide=True)
    others = (batch for length in other_lengths(trial, report) for batch in trial.uses((length,)))
    for batch in chain(every, others if secrets else ()):
        arena = Arena.alone(session)
        for routine in batch:
            arena.ready(routine)
            hidden = tuple(
                name
                for name, one in routine.variables.items()
                if (one.secret if secrets else not one.is_input)
            )
            marks = _mark(arena, hidden, secret=True)
            fence_all(arena, routine)
            arena.go(routine.steps)
            if not secrets:
                found += _undefined(arena, routine)
            marks += _mark(arena, hidden, secret=False)
            agent.flush()  # nothing waits for a use of which nothing is secret
            if not all(one.heard for one in marks):
                raise AgentError("the agent was compiled without valgrind's headers")
    return found


def fence_all(arena: Arena, routine: Routine) -> None:
    """Let no use of a routine's variables go beyond them unseen."""
    for name, variable in routine.variables.items():
        fence(arena.session.agent, arena.buffer(name), variable.size)


def _mark(arena: Arena, names: Iterable[str], *, secret: bool) -> list[Marked]:
    return [mark(arena.session.agent, arena.buffers[name], secret=secret) for name in names]


def _undefined(arena: Arena, routine: Routine) -> Iterable[Complaint]:
    """Name the outputs of which bytes are not defined by what was written."""
    sizes = {name: routine.variables[name].size for name in routine.outputs}
    agent, buffers = arena.session.agent, arena.buffers
    marks = {name: mark(agent, buffers[name], size, secret=False) for name, size in sizes.items()}
    for name, one in marks.items():
        if one.undefined:
            what = f"{one.undefined} of {sizes[name]} bytes of the {name}"
            yield Complaint(f"{what} depend on uninitialised memory", False, True, ())


def counts_secrets(agent: Agent) -> bool:
    """Return whether an agent tells how many bytes of a buffer are secret."""
    probe = agent.buffer("probe", PROBE_BYTES)
    mark(agent, probe, secret=True)
    return mark(agent, probe, secret=False).undefined == PROBE_BYTES


def made_public(arena: Arena, routine: Routine) -> Iterator[Complaint]:
    """Yield the secret keys of which no byte is secret any more after a call."""
    for name in routine.having(Role.KEY):
        one = routine.variables[name]
        if one.secret and one.value and not one.is_output:
            place = arena.buffer(name)
            if mark(arena.session.agent, place, one.size, secret=False).undefined == 0:
                what = f"all {one.size} bytes of {name} are declared public"
                yield Complaint(what, True, False, (routine.steps[-1].function,))


class Meeting(Protocol):
    """What is told of code that is followed."""

    @property
    def translated(self) -> int:
        """Return what grows when code is met for the first time."""


class Varied(Struct):
    """How many inputs there were, and which of them was the last to meet new code; 0 for none."""

    inputs: int = 0
    newest: int = 0

    @property
    def settled(self) -> bool:
        """Return whether the later half of the inputs met no new code."""
        return 2 * self.newest <= self.inputs

    def remark(self) -> str:
        """Return how rare a path may be that was met, and whether new code was met to the last."""
        if not self.inputs:
            return ""
        rare = max(1, self.inputs // LEAST_SEEN)
        seen = f"a path of one input in {rare} would have been met"
        if self.settled:
            return f"{seen}; the last {self.inputs - self.newest} of {self.inputs} met no new code"
        return f"{seen}; input {self.newest} of {self.inputs} {STILL}: more might, too"


def other_lengths(trial: BaseTrial[Any, Any], report: Meeting) -> Iterator[int]:
    """Yield short lengths, for uses with other public inputs, for as long as there is time.

    There is more of it while the later half of the inputs meets new code. There are none for leaks
    that are planted, and for the code of other compilers, which is asked after the package's own;
    MemorySanitizer's second build gets as many as the first.
    """
    earlier = trial.notes.get(NOTE)
    if trial.extent.shadowed and isinstance(earlier, Varied):
        yield from islice(_lengths(trial.random), earlier.inputs)
    if earlier is not None or is_planted(trial.package):
        return
    varied = trial.notes[NOTE] = Varied()
    began, lengths = time.monotonic(), _lengths(trial.random)
    while time.monotonic() < began + (SECONDS if varied.settled else MOST_SECONDS):
        before = report.translated
        yield next(lengths)
        varied.inputs += 1
        if report.translated > before:
            varied.newest = varied.inputs


def _lengths(random: Random) -> Iterator[int]:
    """Yield short lengths without end, with each rest of a block in turn."""
    while True:
        for rest in random.sample(range(RESTS), RESTS):
            yield rest + RESTS * random.randrange(MULTIPLES)


def how_varied(trial: BaseTrial[Any, Any]) -> str:
    """Return the remark on other inputs; nothing where there were none."""
    varied = trial.notes.get(NOTE)
    return varied.remark() if isinstance(varied, Varied) else ""
