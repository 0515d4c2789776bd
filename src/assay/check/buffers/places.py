# SPDX-License-Identifier: MIT
"""Whether buffers may stand anywhere: at any alignment, two inputs in one, and far apart.

Where an API promises buffers that are aligned for the machine's largest word, code that
faults on others conforms: it is skipped, with the reason. Code that accepts them and gives
other results is wrong everywhere.

Between distant buffers the agent takes up addresses and touches none of them, so this costs no
memory.
"""

from collections.abc import Iterator
from itertools import combinations

from msgspec.structs import replace

from assay.check.arena import (
    ALIGNMENT,
    ROOM,
    SECOND_BASE,
    Arena,
    BufferShape,
    PendingOutcome,
    Placement,
)
from assay.check.budget import Budget
from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped, refusal_means
from assay.check.evidence import EqualPairs, judge, named
from assay.check.routine import Routine, RoutineOutcome, Variable
from assay.check.trial import AnyTrial, Batch
from assay.execute.agent import AgentFault
from assay.model.api import Role

SECONDS = 0.6
UNITS = 9  # enough for implementations that take eight blocks at a time
REST, WHOLE = 7, 8
LINE = 64  # bytes of a line of the cache: code may look for the next one
PAGE = 4096
BEFORE_PAGE = (PAGE - 1, PAGE - 3, PAGE - 8, PAGE - 17)  # words and vectors cross into the next
FIRST_STEPS = (1, 4, 8)
ODD_STEPS = (1, 3, 5, 7, 9, 11, 13, 15)  # of the buffers of long messages
EVEN_STEPS = (2, 6, 10, 12, 14, 20, 28, 36)  # words are then as far off in one as in another

LENGTH = 201
# 6.5 GiB: more than 32 bits hold, which make 2.5 GiB of it, or a negative number.
APART = (1 << 31, 1 << 31, 5 << 29)  # the seal lets none be much larger
# The kernel puts so much at a multiple of 2 MiB, and later buffers into the gap above.
GAP = (1 << 17,) * 16
TOLD_APART = "Compare no addresses: inputs are told apart by what they are for."
Known = dict[int, RoutineOutcome]  # of aligned uses, by the number of the routine's object
EACH_TIME = "Draw with randombytes, not with rand, and read no clock and no uninitialised memory."


def off(step: int, moved: frozenset[str]) -> Placement:
    """Put some variables `step` bytes off alignment."""

    def place(name: str, variable: Variable) -> BufferShape:
        modulus = max(LINE if step < LINE else PAGE, variable.modulus)
        return BufferShape(variable.size + ROOM, modulus, step if name in moved else 0)

    return place


def apart(step: int, names: tuple[str, ...]) -> Placement:
    """Put each of some variables at an alignment of its own: `step` bytes from one to the next."""

    def place(name: str, variable: Variable) -> BufferShape:
        if name not in names:
            return off(0, frozenset())(name, variable)
        return BufferShape(
            variable.size + ROOM,
            max(LINE, variable.modulus),
            step * (1 + names.index(name)) % LINE,
        )

    return place


def alignments(trial: AnyTrial) -> str:
    """Put the buffers at every alignment."""
    budget = trial.budget(SECONDS)
    faults: dict[int, AgentFault] = {}
    unit = max(trial.unit, ALIGNMENT)
    length = UNITS * unit + REST
    brief = bool(trial.stretch) and not trial.deep
    for batch, whole in zip(trial.uses((length,)), trial.uses((WHOLE * unit,)), strict=True):
        known: Known = {}
        if brief:
            _try_each_once(trial, batch, faults, known, budget)
            continue
        every = trial.thorough and not trial.on_board
        steps = (*range(1, LINE), *BEFORE_PAGE) if every else FIRST_STEPS
        for step in sorted(steps, key=lambda one: one not in FIRST_STEPS):
            if budget.over:
                budget.left_out += 1
            else:
                budget.asked += 1
                rests = (step + step // 8) % 2  # at each place modulo 8 there is both
                _try(trial, batch if rests else whole, step, faults, known, budget)
    if faults and (trial.takes_words or trial.alignments != (1,)):
        _require_no_fault_when_aligned(trial, length)
        step, fault = min(faults.items())
        raise CheckSkipped(
            "this code works with aligned buffers only, and the API promises no others: "
            f"{step} bytes off, {fault}"
        )
    for fault in faults.values():
        raise fault
    _same_place(trial, length)
    return budget.remark()


def _require_no_fault_when_aligned(trial: AnyTrial, length: int) -> None:
    """Skip code that faults at any alignment: it is no matter of that."""
    try:
        with trial.session() as session:
            arena = Arena(session)
            for batch in trial.uses((length,)):
                for routine in batch:
                    arena.outcome(routine)
    except AgentFault as fault:
        raise CheckSkipped(f"it faults, which other checks report: {fault}") from None


def _same_place(trial: AnyTrial, length: int) -> None:
    """Let two inputs that begin alike be the same memory; each only reads it."""
    for batch in trial.uses((length,)):
        with trial.session() as session:
            apart, together = Arena(session), Arena(session, base=SECOND_BASE)
            for routine in batch:
                _require_alike(apart, together, routine, longest=bool(trial.stretch))


def _require_alike(apart: Arena, together: Arena, routine: Routine, *, longest: bool) -> None:
    """Raise CheckFailed if a use of inputs in one place gives something else.

    With `longest`, only the longest input is shared: shorter messages have shown the others.
    """
    pairs = EqualPairs(apart)
    most = max(one.size for one in routine.variables.values()) if longest else 0
    for short, long in _readable(routine):
        if routine.variables[long].size >= most:
            value = routine.value(long)
            alike = routine.given(short, value[: routine.variables[short].size])
            # Comparisons return something else now that both are the same.
            steps = tuple(replace(one, returns=None) for one in routine.steps)
            alike = replace(alike, steps=steps)
            together.share({short: long})
            complaint = f"{routine.name} gives other results where {short} lies in {long}"
            pairs.expect(complaint, apart.begin(alike), together.begin(alike))
    try:
        pairs.judge()
    except CheckFailed as error:
        raise CheckFailed(str(error), error.evidence, TOLD_APART) from None


def _readable(routine: Routine) -> Iterator[tuple[str, str]]:
    """Yield inputs, the shorter one first, of which both may begin with the same bytes."""
    read = [name for name in routine.inputs if routine.variables[name].value]
    for one, other in combinations(read, 2):
        short, long = sorted((one, other), key=lambda name: routine.variables[name].size)
        if routine.variables[short].fixed <= routine.variables[long].fixed:
            yield short, long


def _try_each_once(
    trial: AnyTrial, batch: Batch, faults: dict[int, AgentFault], known: Known, budget: Budget
) -> None:
    """Move all buffers of each use of a long message by another number of bytes."""
    half = len(ODD_STEPS) // 2
    steps = trial.some(trial.some(ODD_STEPS, half) + trial.some(EVEN_STEPS, half))
    for number in range(max(len(batch), len(steps))):
        if number < len(batch) or not budget.over:
            routine, step = batch[number % len(batch)], steps[number % len(steps)]
            _try(trial, (routine,), step, faults, known, budget)


def _try(
    trial: AnyTrial,
    batch: Batch,
    step: int,
    faults: dict[int, AgentFault],
    known: Known,
    budget: Budget,
) -> None:
    """Compare misaligned with aligned use; remember a fault, and go on after it."""
    try:
        with trial.session() as session:
            aligned, moved = Arena(session), Arena(session, base=SECOND_BASE)
            with budget.spending(session.agent):
                _compare(aligned, moved, batch, step, known)
    except AgentFault as fault:
        faults[step] = fault


def _compare(aligned: Arena, moved: Arena, batch: Batch, step: int, known: Known) -> None:
    made: list[tuple[str, PendingOutcome]] = []
    for routine in batch if step < ALIGNMENT else (batch[step % len(batch)],):
        if id(routine) not in known:
            known[id(routine)] = aligned.outcome(routine)
        for place, about in _places(routine, step):
            moved.place = place
            complaint = f"{routine.name} gives other results with {about} off alignment"
            made.append((complaint, moved.begin(routine)))
    try:
        for complaint, one in made:
            judge(aligned, one.routine, complaint, known[id(one.routine)], one.value)
    except CheckFailed:
        for routine in batch:
            _require_repeats(aligned, routine, aligned.anew(routine))
        raise


def _places(routine: Routine, step: int) -> Iterator[tuple[Placement, str]]:
    """Move some by the same number of bytes, or each by another: code compares addresses, too."""
    groups = tuple(_moved_together(routine))
    if step < LINE and step not in FIRST_STEPS:
        names = tuple(dict.fromkeys(name for group in groups for name in sorted(group)))
        shown = ", ".join(f"{name} {step * at % LINE}" for at, name in enumerate(names, 1))
        yield apart(step, names), f"{shown} bytes"
        if step < ALIGNMENT:
            return  # beyond, all are moved alike, too: here the second has even places alone
    for group in groups if step in FIRST_STEPS else groups[-1:]:
        yield off(step, group), f"{named(sorted(group))} {step} bytes"


def _moved_together(routine: Routine) -> Iterator[frozenset[str]]:
    """Choose what is moved: messages, what they become, the rest, and all; never a context."""
    free = {name: one for name, one in routine.variables.items() if one.role is not Role.STATE}
    read = frozenset(n for n, one in free.items() if one.is_input and one.role is Role.MESSAGE)
    written = frozenset(n for n, one in free.items() if one.is_output and one.role is not Role.MAC)
    groups = (read, written, frozenset(free) - read - written, frozenset(free))
    yield from dict.fromkeys(group for group in groups if group)


ALIGNED: Check[AnyTrial] = Check(
    name="buffers/alignment",
    asks="May buffers have any alignment, and two inputs be the same memory?",
    why=(
        "Fields of network packets can have any alignment. Where an API promises aligned buffers, "
        "a fault on misaligned ones is skipped, not failed; wrong results without a fault would "
        "go unnoticed. A header may be both associated data and message: both are only read."
    ),
    cure=(
        "Load and store single bytes, or words with memcpy or, for eSTREAM's API, with "
        "U8TO32_LITTLE, U32TO8_LITTLE and their family. Never round or mask an address."
    ),
    run=alignments,
)


def distance(trial: AnyTrial) -> None:
    """Use inputs, contexts and outputs that are far apart, in both orders."""
    bench = trial.bench
    if bench is None or bench.roomy is None or not bench.target.is_native:
        raise CheckInapplicable("addresses are reserved on this machine only")
    batch = trial.last_use((LENGTH,))
    with trial.session() as session:
        expected = [Arena(session).outcome(routine) for routine in batch]
    inputs = frozenset(name for routine in batch for name in routine.inputs)
    others = frozenset(name for routine in batch for name in routine.variables) - inputs
    for groups in ((inputs, others), (others, inputs)):
        with bench.roomy() as agent:
            far = Arena(trial.converse(agent))
            _spread(far, batch, groups)
            for routine, near in zip(batch, expected, strict=True):
                complaint = f"{routine.name} gives another result with buffers gigabytes apart"
                there = far.anew(routine)
                if there != near:
                    _require_repeats(far, routine, there)
                judge(far, routine, complaint, near, there)


def _require_repeats(arena: Arena, routine: Routine, before: RoutineOutcome) -> None:
    """Raise CheckFailed if the same buffers give another result the next time."""
    complaint = f"{routine.name} gives another result each time, wherever its buffers are"
    try:
        judge(arena, routine, complaint, before, arena.anew(routine))
    except CheckFailed as failed:
        failed.cure = EACH_TIME
        raise


def _spread(arena: Arena, batch: Batch, groups: tuple[frozenset[str], ...]) -> None:
    """Lay out the groups of variables, each far from the others."""
    agent = arena.session.agent
    if agent.pointer_bits < 64:
        raise CheckInapplicable("an address space of 4 GiB has no room for it")
    for group in groups:
        if arena.buffers:
            with refusal_means(CheckSkipped("there is no room for such distances here")):
                for size in (*APART, *GAP):
                    agent.reserve(size)
        for routine in batch:
            kept = {name: one for name, one in routine.variables.items() if name in group}
            arena.lay(replace(routine, variables=kept))


DISTANCE: Check[AnyTrial] = Check(
    name="buffers/distance",
    asks="May inputs and outputs be more than 4 GiB apart, in both directions?",
    why=(
        "On 64-bit machines the heap, the stack and mapped files are. A difference of two "
        "addresses that is kept in 32 bits, with a sign or without, then leads elsewhere."
    ),
    cure="Keep differences of addresses in ptrdiff_t, or advance both pointers.",
    run=distance,
)
