# SPDX-License-Identifier: MIT
"""Whether a message depends on its context alone, and on nothing from before or beside it.

Neither on what the context held before, nor on inputs that were taken and then erased, nor on
messages that other contexts process at the same time.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from assay.check.arena import Arena
from assay.check.check import Check
from assay.check.evidence import EqualPairs
from assay.check.routine import Argument, Routine, Step, symbol
from assay.check.state.stages import GARBAGE, context_of, staged
from assay.check.trial import AnyTrial, Batch
from assay.execute.places import Buffer, BufferPlace
from assay.model.api import Promise

FILLINGS = (0x00, 0xFF, 0xA5)
SHORT = (0, 64)  # bytes: padding alone, and whole blocks
FEW = 6  # uses

AT_ONCE = 3
CROWD, CROWD_BYTES = 300, 1 << 22  # contexts: more than a byte counts
CROWD_SECONDS, BEGUN = 0.05, 2  # steps: the key and the IV are loaded
BUFFERS = 12  # of one message, at most


def garbage(trial: AnyTrial) -> None:
    """Fill the context with anything before the first call."""
    for routine in (*staged(trial), *(() if trial.stretch else _short(trial))):
        context = context_of(routine)
        size = routine.variables[context].size
        with trial.session() as session:
            arena = Arena(session)
            pairs = EqualPairs(arena)
            expected = arena.begin(routine)
            for value in (*(bytes([one]) * size for one in FILLINGS), trial.bytes(size)):
                arena.put(context, value)
                complaint = "the result depends on what the context held before "
                complaint += routine.steps[0].function
                pairs.expect(complaint, expected, arena.begin(routine))
            pairs.judge()


def _short(trial: AnyTrial) -> Batch:
    """Return some uses of messages that fill no buffer in the context."""
    *_, batch = trial.uses(SHORT)
    kept = tuple(one for one in batch if context_of(one))
    return kept[:: max(1, len(kept) // FEW)]


GARBAGE_BEFORE: Check[AnyTrial] = Check(
    name="context/garbage",
    asks="Does a message begin well whatever the context held before?",
    why="Contexts often lie on a stack that other code has used.",
    cure="Set every field when a key is loaded or a message begins.",
    run=garbage,
)


def erased(trial: AnyTrial) -> None:
    """Erase each input after its last use."""
    for routine in staged(trial):
        with trial.session() as session:
            arena = Arena(session)
            expected = arena.begin(routine)
            pairs = EqualPairs(arena)
            for name, done in _last_uses(routine):
                value = routine.variables[name].value or b""
                arena.lay(routine)
                arena.fill(routine)
                arena.go(routine.steps[:done])
                arena.put(name, bytes([GARBAGE]) * len(value))
                arena.go(routine.steps[done:])
                complaint = f"the context keeps a pointer to the caller's {name}: results differ "
                complaint += f"when that is erased after {routine.steps[done - 1].function}"
                pairs.expect(complaint, expected, arena.taken(routine))
            pairs.judge()


def _last_uses(routine: Routine) -> Iterator[tuple[str, int]]:
    """Yield the inputs that not all steps need, with how many steps do."""
    for name in routine.inputs:
        used = [
            number
            for number, step in enumerate(routine.steps, 1)
            if any(_names(one) == name for one in step.arguments)
        ]
        if used and used[-1] < len(routine.steps) and routine.variables[name].value:
            yield name, used[-1]


def _names(argument: Argument) -> str:
    """Return the variable that an argument points to."""
    if isinstance(argument, BufferPlace):
        return argument.buffer.label
    return argument.label if isinstance(argument, Buffer) else ""


ERASED: Check[AnyTrial] = Check(
    name="context/key-kept",
    asks="May the caller erase the key, the IV and the data once they have been taken?",
    why=(
        "Careful programs erase a key after setup, and buffers are used again. If the context "
        "keeps a pointer, the next call uses other data."
    ),
    cure="Copy what is needed of the key, the IV and the data into the context.",
    run=erased,
    excuse=lambda trial: trial.excuse(Promise.ERASED),
)


def interleaved(trial: AnyTrial) -> None:
    """Process several messages at once, of several sizes, step by step in turn.

    Then begin hundreds in contexts of their own between the first step and the others of one.
    """
    routines = [*staged(trial), *staged(trial), *staged(trial)][:AT_ONCE]
    with trial.session() as session:
        arenas = [Arena(session, base=BUFFERS * number) for number in range(len(routines))]
        alone = [arena.begin(one) for arena, one in zip(arenas, routines, strict=True)]
        pairs = EqualPairs(arenas[0])
        for arena, routine in zip(arenas, routines, strict=True):
            arena.fill(routine)
        _in_turn(arenas, routines)
        for arena, routine, expected in zip(arenas, routines, alone, strict=True):
            complaint = "results change when calls with another context come in between"
            pairs.expect(complaint, expected, arena.taken(routine))
        pairs.judge()
    if not trial.stretch and not trial.on_board:
        _crowded(trial)


def _crowded(trial: AnyTrial) -> None:
    """Begin messages in so many contexts that no table of a package has room for all."""
    budget = trial.budget(CROWD_SECONDS)
    routine = next(staged(trial))
    context = context_of(routine)
    size = routine.variables[context]
    stride = -(-size.size // size.modulus) * size.modulus
    crowd = min(CROWD, CROWD_BYTES // stride)
    with trial.session() as session:
        arena, others = Arena(session), Arena(session, base=BUFFERS)
        expected = arena.begin(routine)
        arena.lay(routine)
        arena.fill(routine)
        arena.go(routine.steps[:BEGUN])
        many = replace(size, size=crowd * stride)
        others.lay(replace(routine, variables={**routine.variables, context: many}))
        for name in routine.inputs:
            others.put(name, trial.bytes(routine.variables[name].size))
        for number in budget.each(session, range(crowd)):
            others.go(tuple(_in(one, context, number * stride) for one in routine.steps[:BEGUN]))
        arena.go(routine.steps[BEGUN:])
        pairs = EqualPairs(arena)
        complaint = f"results change when {crowd} other contexts were begun in between"
        pairs.expect(complaint, expected, arena.taken(routine))
        pairs.judge()


def _in(step: Step, context: str, offset: int) -> Step:
    """Return a step on a context that lies behind others in one buffer."""
    place = symbol(context)
    moved = (place.at(offset) if one == place and offset else one for one in step.arguments)
    return replace(step, arguments=tuple(moved))


def _in_turn(arenas: list[Arena], routines: list[Routine]) -> None:
    """Do the first step of all, then the second of all, and so on."""
    for steps in zip_longest(*(routine.steps for routine in routines)):
        for arena, step in zip(arenas, steps, strict=True):
            if step is not None:
                arena.go((step,))


INTERLEAVED: Check[AnyTrial] = Check(
    name="context/interleaved",
    asks="May several messages be processed at the same time, each with its own context?",
    why="Applications do so; writable data outside the contexts mixes the messages.",
    cure="Move static data into the context.",
    run=interleaved,
)
