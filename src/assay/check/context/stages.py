# SPDX-License-Identifier: MIT
"""Messages in several calls, and contexts that are handed on between them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.check.arena import ROOM, SECOND_BASE, Arena, BufferShape, ordinary
from assay.check.check import CheckInapplicable
from assay.check.evidence import EqualPairs
from assay.check.routine import Routine, Variable
from assay.check.trial import AnyTrial
from assay.model.api import Role

SECONDS = 2.4
GARBAGE = 0xD5
STOPS = (1, 63, 64, 65, 127, 128, 199, 200)  # where a message of a hash is interrupted
UNITS = (3,)  # the same in units, where pieces are whole blocks
REST = 3


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
        """Do the steps until here, and lay out everything there as well."""
        for arena in (self.here, self.there):
            arena.lay(self.routine)
            arena.fill(self.routine)
        self.here.go(self.routine.steps[: self.done])

    def hand_over(self) -> None:
        """Copy the context, and the output so far, to the other arena."""
        context = context_of(self.routine)
        agent = self.here.session.agent
        for name in (context, *self.routine.outputs):
            agent.copy_bytes(self.there.buffers[name], self.here.buffers[name])

    def spoil(self) -> None:
        """Leave garbage where the context was."""
        self.here.session.agent.fill(self.here.buffers[context_of(self.routine)], GARBAGE)


Question = Callable[[MessageStage, EqualPairs], None]


def ask(trial: AnyTrial, question: Question) -> str:
    """Ask a question at every stage of messages."""
    budget = trial.budget(SECONDS)
    for routine in staged(trial):
        with trial.session() as session:
            here, there = Arena(session), Arena(session, elsewhere, SECOND_BASE)
            pairs = EqualPairs(here)
            for done in budget.each(session, range(1, len(routine.steps))):
                question(MessageStage(routine, done, here, there), pairs)
                pairs.judge()
    return budget.remark()
