# SPDX-License-Identifier: MIT
"""Messages in several calls, with a context between them that is copied, moved, or put anywhere.

A context is plain memory: it goes on as before wherever it lies, at every address that its type
allows.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from assay.check.arena import ROOM, Arena, BufferShape, Placement, ordinary
from assay.check.check import Check, CheckInapplicable
from assay.check.evidence import EqualPairs, side_by_side
from assay.check.routine import Routine, Variable
from assay.check.trial import AnyTrial
from assay.model.api import Promise, Role

SECONDS = 2.4
GARBAGE = 0xD5
STOPS = (1, 63, 64, 65, 127, 128, 199, 200)  # where a message of a hash is interrupted
UNITS = (3,)  # the same in units, where pieces are whole blocks
REST = 3

WIDEST = 32
OTHERS = bytes(range(255, -1, -1))


def staged(trial: AnyTrial) -> Iterator[Routine]:
    """Yield messages whose steps have contexts between them; CheckInapplicable if none has."""
    unit, found = trial.unit, False
    stops = STOPS if unit == 1 else (*(unit * one for one in UNITS), 5 * unit + REST)
    if trial.stretch:
        stops = (trial.stretch // 2 // unit * unit, trial.stretch)
    pieces = tuple(b - a for a, b in zip((0, *stops), stops, strict=False))
    for splitter in trial.splitters(stops[-1]):
        routine = splitter.cut(pieces)
        if context_of(routine):
            found = True
            yield routine
    if not found:
        raise CheckInapplicable("there is no context")


def context_of(routine: Routine) -> str:
    """Name the variable that keeps the state between calls; nothing if there is none."""
    return next(iter(routine.having(Role.STATE)), "")


def elsewhere(_: str, variable: Variable) -> BufferShape:
    """Put contexts at addresses that are no multiple of more than their type wants."""
    if variable.role is not Role.STATE:
        return ordinary("", variable)
    step = variable.modulus
    return BufferShape(variable.size + ROOM, max(2 * step, 32), step)


@dataclass(frozen=True, slots=True)
class MessageStage:
    """A routine that stops after so many steps, on its arena, with another arena beside it."""

    routine: Routine
    done: int
    here: Arena
    there: Arena

    @property
    def after(self) -> str:
        """The function that was called last."""
        return self.routine.steps[self.done - 1].function

    def reach(self) -> None:
        """Do the steps until here, and those of another message there."""
        done = self.routine.steps[: self.done]
        self.here.use(replace(self.routine, steps=done))
        self.there.use(replace(_another(self.routine), steps=done))
        self.there.fill(self.routine)

    def hand_over(self) -> None:
        """Copy the context, and the output so far, to the other arena."""
        context = context_of(self.routine)
        agent = self.here.session.agent
        for name in (context, *self.routine.outputs):
            agent.copy_bytes(self.there.buffers[name], self.here.buffers[name])

    def spoil(self) -> None:
        """Leave garbage where the context was."""
        self.here.session.agent.fill(self.here.buffers[context_of(self.routine)], GARBAGE)


def _another(routine: Routine) -> Routine:
    """Return a routine with other inputs: all bits of each byte are others."""
    for name in routine.inputs:
        routine = routine.given(name, (routine.variables[name].value or b"").translate(OTHERS))
    return routine


Question = Callable[[MessageStage, EqualPairs], None]


def ask_at_every_stage(trial: AnyTrial, question: Question) -> str:
    """Ask a question at every stage of messages."""
    budget = trial.budget(SECONDS)
    for routine in staged(trial):
        with side_by_side(trial, elsewhere) as (here, there, pairs):
            for done in budget.each(here.session, range(1, len(routine.steps))):
                question(MessageStage(routine, done, here, there), pairs)
                pairs.judge()
    return budget.remark()


def _copy(stage: MessageStage, pairs: EqualPairs) -> None:
    """Copy the context; then let the copy go on first, and the original after it."""
    routine = stage.routine
    expected = stage.here.begin(routine)
    stage.reach()
    stage.hand_over()
    for name, arena in (("the copy", stage.there), ("the original", stage.here)):
        arena.go(routine.steps[stage.done :])
        complaint = f"copied after {stage.after}, {name} of the context continues differently"
        pairs.expect(complaint, expected, arena.taken(routine))


def _move(stage: MessageStage, pairs: EqualPairs) -> None:
    """Move the context, and leave garbage in its place."""
    routine = stage.routine
    expected = stage.here.begin(routine)
    stage.reach()
    stage.hand_over()
    stage.spoil()
    stage.there.go(routine.steps[stage.done :])
    complaint = f"moved after {stage.after}, the context continues differently"
    pairs.expect(complaint, expected, stage.there.taken(routine))


COPIED: Check[AnyTrial] = Check(
    name="context/copied",
    asks="Does a copy of a context continue like the original, and the original like the copy?",
    why=(
        "Programs copy contexts to use one key schedule for many messages, or to have the hash of "
        "the input so far. The APIs have no copy function, so memcpy must be enough."
    ),
    cure="Keep offsets instead of pointers in the context, and no state outside it.",
    run=partial(ask_at_every_stage, question=_copy),
    excuse=lambda trial: trial.excuse(Promise.COPIES),
)
MOVED: Check[AnyTrial] = Check(
    name="context/moved",
    asks="Does a context still work after it is moved, to any address that its type allows?",
    why=(
        "Arrays of contexts grow and are sorted. A pointer to the old address then leads to "
        "other data."
    ),
    cure="Keep offsets instead of pointers in the context.",
    run=partial(ask_at_every_stage, question=_move),
    excuse=lambda trial: trial.excuse(Promise.COPIES),
)


def residue(offset: int) -> Placement:
    """Put contexts so many bytes off a multiple of `WIDEST`."""

    def place(name: str, variable: Variable) -> BufferShape:
        if variable.role is not Role.STATE:
            return ordinary(name, variable)
        return BufferShape(variable.size + ROOM, max(WIDEST, variable.modulus), offset)

    return place


def anywhere(trial: AnyTrial) -> None:
    """Put the context at every address that its type allows."""
    for routine in staged(trial):
        step = routine.variables[context_of(routine)].modulus
        with side_by_side(trial) as (arena, moved, pairs):
            expected = arena.begin(routine)
            for offset in range(0, max(WIDEST, step), step):
                moved.place = residue(offset)
                complaint = f"a context {offset} bytes off an address divisible by {WIDEST} gives "
                complaint += "another result"
                pairs.expect(complaint, expected, moved.begin(routine))


ALIGNMENT: Check[AnyTrial] = Check(
    name="context/alignment",
    asks="May the context have every alignment that its type allows?",
    why=(
        "Assembly often assumes more than the header promises. It then works until a "
        "structure around the context changes."
    ),
    cure=(
        "Rely only on the alignment of the declared fields, or declare fields with a larger one."
    ),
    run=anywhere,
)
