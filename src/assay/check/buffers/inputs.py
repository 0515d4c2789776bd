# SPDX-License-Identifier: MIT
"""Whether inputs stay as they are: unchanged, read-only, or overwritten by the output alone.

Code that changes a key and puts it back leaves no trace. So the pages of all inputs are made
read-only before the first call, and writing to them is a fault.
"""

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped, refusal_means
from assay.check.evidence import require_equal, side_by_side
from assay.check.routine import BOARD_LONGEST, LONGEST, Routine
from assay.check.trial import AnyTrial, Batch
from assay.execute.agent import AgentFault, PendingAnswer
from assay.model.api import Promise, Role, Way

KEPT_SECONDS = 1.2

LENGTH = 201

SECONDS = 0.6
UNITS = 9  # enough for implementations that take eight blocks at a time


def inputs_kept(trial: AnyTrial) -> str:
    """Look at all inputs after every use."""
    budget = trial.budget(KEPT_SECONDS)
    for batch in trial.uses(trial.lengths(thorough=False)):
        with trial.session() as session:
            arena = Arena(session)
            waiting = [
                kept for routine in budget.each(session, batch) for kept in _after(arena, routine)
            ]
            for routine, name, answer in waiting:
                _require_kept(routine, name, answer)
    refused_kept(trial)
    return budget.remark()


def refused_kept(trial: AnyTrial) -> None:
    """Look at the inputs of what opens or verifies, after it was given something damaged."""
    with trial.session() as session:
        refused = trial.refused(session, (LENGTH,))
        arena = Arena.alone(session)
        for routine, name, answer in [one for each in refused for one in _after(arena, each)]:
            _require_kept(routine, name, answer)


def _require_kept(routine: Routine, name: str, answer: PendingAnswer) -> None:
    complaint = f"{routine.name} changes its input {name}"
    require_equal(routine, complaint, name, routine.value(name), answer.data)


def _after(arena: Arena, routine: Routine) -> list[tuple[Routine, str, PendingAnswer]]:
    """Perform a routine, and ask for its inputs, of which one may be shorter than its room."""
    arena.begin(routine)
    held = ((name, routine.variables[name].value) for name in routine.inputs)
    return [(routine, name, arena.get(name, len(value))) for name, value in held if value]


KEPT: Check[AnyTrial] = Check(
    name="buffers/inputs-kept",
    asks="Do messages, keys and all other inputs stay unchanged?",
    why="They belong to the caller, who uses them again; APIs pass them as `const`.",
    cure=(
        "Copy data before changing it, into the context or a local array. Look for casts "
        "that remove `const`."
    ),
    run=inputs_kept,
)


def read_only(trial: AnyTrial) -> None:
    """Perform all routines, and what is to be refused, on inputs that cannot be written to."""
    with trial.fresh_session(sealed=False) as session:  # a sealed agent cannot protect pages
        if session.agent.page_bytes == 0:
            raise CheckSkipped("memory cannot be protected here")
        refused = trial.refused(session, (LENGTH,))
        for batch in (*trial.uses((LENGTH,)), refused):
            arena = Arena.alone(session)  # made again, buffers can be written to
            _protect(arena, batch)
            for routine in batch:
                _perform(arena, routine)


def _protect(arena: Arena, batch: Batch) -> None:
    """Lay out all variables, and forbid writing to the inputs."""
    for routine in batch:
        arena.ready(routine)
    arena.session.settle()
    with refusal_means(CheckSkipped("memory cannot be protected here")):
        for name in {name for routine in batch for name in routine.inputs}:
            arena.session.agent.protect(arena.buffer(name))


def _perform(arena: Arena, routine: Routine) -> None:
    try:
        arena.use(routine)
        arena.session.settle()
    except AgentFault as fault:
        if fault.inside in routine.inputs:
            what = f"{routine.name} writes to its input {fault.inside}"
            raise CheckFailed(what, str(fault)) from None
        raise


READ_ONLY: Check[AnyTrial] = Check(
    name="buffers/read-only-inputs",
    asks="May keys, messages and all other inputs lie in read-only memory?",
    why=(
        "Constant keys lie there, and so do files that a program has mapped. Code that changes "
        "an input for a while is also wrong where two threads use one key."
    ),
    cure="Copy data before changing it, into the context or a local array.",
    run=read_only,
)


def in_place(trial: AnyTrial) -> str:
    """Let every function work with one buffer as input and output."""
    unit, budget = trial.unit, trial.budget(SECONDS)
    long = BOARD_LONGEST if trial.on_board else LONGEST
    lengths = sorted({1, unit - 1, unit, unit + 1, 3 * unit + 5, UNITS * unit + 7, long} - {0})
    for batch in trial.uses(tuple(lengths)):
        pairs = [(routine, twin) for routine in batch if (twin := twins(routine))]
        if not pairs:
            raise CheckInapplicable("no function has an input and an output of the same kind")
        with side_by_side(trial) as (apart, together, equal):
            for routine, twin in budget.each(apart.session, pairs):
                together.share(twin)
                complaint = f"{routine.name} in place differs from out of place"
                equal.expect(complaint, apart.begin(routine), together.begin(routine))
    return budget.remark()


def twins(routine: Routine) -> dict[str, str]:
    """Name the output for a message by the input that it may overwrite."""
    messages = routine.having(Role.MESSAGE)
    read = [name for name in messages if routine.variables[name].is_input]
    written = [name for name in messages if routine.variables[name].way is Way.OUT]
    same = [
        (to, source)
        for to, source in zip(written, read, strict=False)
        if routine.variables[to].size == routine.variables[source].size
    ]
    return dict(same)


IN_PLACE: Check[AnyTrial] = Check(
    name="buffers/in-place",
    asks="May the output overwrite the input?",
    why=(
        "Most programs encrypt in place. Code that writes output before it has read the "
        "input for it, or that feeds its own output to the MAC as input, fails only there."
    ),
    cure=(
        "Read all input of a step, for the MAC as well, before writing the step's output. "
        "Do not declare the two pointers `restrict`."
    ),
    run=in_place,
    excuse=lambda trial: trial.excuse(Promise.IN_PLACE),
)
