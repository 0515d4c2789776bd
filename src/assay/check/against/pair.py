# SPDX-License-Identifier: MIT
"""Two sides that are asked the same questions."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random, SystemRandom

from msgspec import Struct, field

from assay.check.against.side import UNALTERED, ComparedSide, RandomInputs, UseOutcome
from assay.check.evidence import difference as shown_difference
from assay.check.evidence import inputs
from assay.check.routine import Routine, RoutineOutcome
from assay.execute.agent import AgentError
from assay.execute.patience import OutOfPatience
from assay.model.api import Role

Asked = tuple[RandomInputs, list[tuple[Routine, Routine]]]


class ReferenceFailed(Exception):
    """The implementation that another is compared with gives no answer."""


class Unlike(Exception):
    """The two differ in the sizes of what they read or write."""


class Difference(Struct, frozen=True):
    """A question, and two answers to one use that are not the same."""

    question: RandomInputs
    first: UseOutcome
    second: UseOutcome

    def shown(self, words: tuple[str, str]) -> str:
        """Show the use, its inputs, and what differs; `words` name the two."""
        made = [one.outcome for one in (self.first, self.second)]
        if self.first.accepted == self.second.accepted:
            made = [RoutineOutcome((), one.outputs) for one in made]
        shown = shown_difference(made[0], made[1], words)
        return f"{self.first.routine.name}\n{inputs(self.first.routine)}{shown}"


class Pair(Struct):
    """Two sides, and how many questions they are asked at most; `asked` counts uses.

    `rounds` is how often each use is computed besides, inside the agents.
    """

    first: ComparedSide
    second: ComparedSide
    most: int
    rounds: int = 0
    random: Random = field(default_factory=SystemRandom)
    asked: int = 0

    @property
    def over(self) -> bool:
        """Return whether the time is used up."""
        return self.first.budget.over or self.second.budget.over

    @property
    def words(self) -> tuple[str, str]:
        """Name the two in evidence, by as little as tells them apart."""
        one, other = self.first.name.split("/"), self.second.name.split("/")
        while len(one) > 1 and len(other) > 1 and one[0] == other[0]:
            one, other = one[1:], other[1:]
        return "/".join(one), "/".join(other)

    def differences(self, asked: Sequence[RandomInputs]) -> Iterator[Difference]:
        """Ask questions; yield for each the first answers that differ."""
        both = [(question, self.uses(question)) for question in asked]
        first = self.first.perform([(one, [use for use, _ in uses]) for one, uses in both])
        second = self._reference([(one, [use for _, use in uses]) for one, uses in both])
        for question, mine, others in zip(asked, first, second, strict=True):
            self.asked += len(mine)
            pairs = zip(mine, others, strict=True)
            for found in (Difference(question, *pair) for pair in pairs if not _agree(*pair)):
                yield found
                break

    def difference(self, question: RandomInputs) -> Difference | None:
        """Ask one question; None if the answers agree."""
        return next(self.differences([question]), None)

    def uses(self, question: RandomInputs) -> list[tuple[Routine, Routine]]:
        """Return what both can be asked; the second gets the ciphertexts of the first."""
        if question.altered != UNALTERED:
            return [(one, one) for one in self.first.forgeries(question)]
        known = self.second.every_use(question)
        found = [(one, known[one.name]) for one in self.first.uses(question) if one.name in known]
        for one, other in found:
            self._require_alike(one, other)
        return found

    def _require_alike(self, one: Routine, other: Routine) -> None:
        """Raise Unlike if variables of two uses have other sizes."""
        for name, variable in one.variables.items():
            there = other.variables.get(name)
            if variable.role is not Role.STATE and (not there or there.size != variable.size):
                size = there.size if there else 0
                raise Unlike(
                    f"{name} of {one.name} has {variable.size} bytes in {self.first.name}, "
                    f"and {size} in {self.second.name}"
                )

    def _reference(
        self, asked: list[tuple[RandomInputs, list[Routine]]]
    ) -> list[list[UseOutcome]]:
        with self.answering():
            return self.second.perform(asked)

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Raise ReferenceFailed for what goes wrong with the other implementation."""
        try:
            yield
        except OutOfPatience:
            raise
        except AgentError as error:
            raise ReferenceFailed(f"{self.second.name} gives no answer: {error}") from None

    def draws(self, found: Difference) -> str:
        """Show what both take of the randomness for a use; empty if it is the same."""
        if found.question.altered != UNALTERED:
            return ""
        one = self.first.draws(found.first.routine, found.question.seed)
        other = self.second.draws(found.second.routine, found.question.seed)
        if one == other:
            return ""
        words = self.words
        return (
            f"randombytes in {words[0]}: {one} bytes\nrandombytes in {words[1]}: {other} bytes\n"
        )

    def refused(self, found: Difference) -> bool:
        """Return whether a side says that a call of the use failed."""
        return self.first.refuses(found.first.routine) or self.second.refuses(found.second.routine)


def _agree(one: UseOutcome, other: UseOutcome) -> bool:
    """Return whether answers are the same; outputs do not matter where both refuse a call."""
    if one.accepted != other.accepted:
        return False
    return not all(one.accepted) or one.outcome.outputs == other.outcome.outputs
