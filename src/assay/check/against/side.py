# SPDX-License-Identifier: MIT
"""Two implementations that are compared: both are asked the same questions, and answer."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from random import Random, SystemRandom

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.arena import Arena, PendingOutcome, digest
from assay.check.budget import Budget
from assay.check.check import CheckFailed
from assay.check.evidence import difference as shown_difference
from assay.check.evidence import inputs
from assay.check.routine import Routine, RoutineOutcome
from assay.check.trial import AnyTrial, Batch
from assay.execute.agent import AgentError
from assay.execute.patience import OutOfPatience
from assay.model.api import Role

EDGES = (b"\x00", b"\xff", b"\x80", b"\x01", b"\x7f")
LONGEST_RUN = 24
RANDOM_PART, RUNS_PART = 0.6, 0.9  # of draws: uniform, in runs, and all of one byte


class Tape(Random):
    """Gives the bytes that it holds, draw by draw; zeros behind the end of each.

    What is drawn beyond the last is made by `fresh` and held, too.
    """

    def __init__(self, held: Sequence[bytes] = (), fresh: Random | None = None) -> None:
        """Hold the bytes of each draw."""
        super().__init__(0)
        self.held = list(held)
        self._fresh = fresh
        self._at = 0

    def rewind(self) -> None:
        """Begin again with the first draw."""
        self._at = 0

    def randbytes(self, n: int) -> bytes:
        """Return the next draw, as long as is asked for."""
        if self._at == len(self.held):
            self.held.append(b"" if self._fresh is None else rare(self._fresh, n))
        drawn, self._at = self.held[self._at], self._at + 1
        if len(drawn) < n and self._fresh is not None:
            self.held[self._at - 1] = drawn = drawn + rare(self._fresh, n - len(drawn))
        return (drawn + bytes(max(0, n - len(drawn))))[:n]


def rare(random: Random, length: int) -> bytes:
    """Draw bytes that are uniform, or runs of equal ones, where carries and limits are."""
    choice = random.random()
    if choice < RANDOM_PART:
        return random.randbytes(length)
    if choice >= RUNS_PART:
        return random.choice(EDGES[:2]) * length
    made = bytearray()
    while len(made) < length:
        made += random.choice((*EDGES, random.randbytes(1))) * random.randint(1, LONGEST_RUN)
    return bytes(made[:length])


SEED_BYTES = 32
UNALTERED = -1
SEED = -1  # in place of the number of a draw


class RandomInputs(Struct, frozen=True):
    """The inputs of some uses: the lengths, the bytes of each draw, and the randomness.

    `second` is the length of associated data, or of an output of any length. `sizes` chooses
    among those of the primitive. `altered` is the byte of a ciphertext that is changed before
    it is decrypted.
    """

    length: int = 0
    second: int = 0
    drawn: tuple[bytes, ...] = ()
    seed: bytes = bytes(SEED_BYTES)
    sizes: int = 0
    altered: int = UNALTERED

    def part(self, number: int) -> bytes:
        """Return the bytes of a draw, or the randomness."""
        return self.seed if number == SEED else self.drawn[number]

    def with_part(self, number: int, value: bytes) -> "RandomInputs":
        """Return the question with other bytes there."""
        if number == SEED:
            return replace(self, seed=value)
        return replace(self, drawn=(*self.drawn[:number], value, *self.drawn[number + 1 :]))


class UseOutcome(Struct, frozen=True):
    """A use, and what came of it; its steps say what the calls should have returned."""

    routine: Routine
    outcome: RoutineOutcome

    @property
    def accepted(self) -> tuple[bool, ...]:
        """Return for each call whether it returned what it should; True where anything may be."""
        pairs = zip(self.routine.steps, self.outcome.results, strict=False)
        return tuple(step.returns in (None, got) for step, got in pairs)


class ComparedSide(Struct):
    """An implementation: what reports call it, and its trial."""

    name: str
    trial: AnyTrial
    budget: Budget

    def drawn(self, question: RandomInputs, fresh: Random) -> RandomInputs:
        """Return the question with bytes for all that its uses draw."""
        tape = Tape(question.drawn, fresh)
        self._batches(question, tape)
        return replace(question, drawn=tuple(tape.held))

    def uses(self, question: RandomInputs) -> Batch:
        """Return the uses that a question is about, of the sizes that it chooses."""
        batches = self._batches(question, Tape(question.drawn))
        return batches[question.sizes % len(batches)]

    def every_use(self, question: RandomInputs) -> dict[str, Routine]:
        """Return the uses of a question with all sizes, by name."""
        batches = self._batches(question, Tape(question.drawn))
        return {one.name: one for batch in batches for one in batch}

    def _batches(self, question: RandomInputs, tape: Tape) -> list[Batch]:
        """Return the uses for all sizes; each has the same draws."""
        batches, before = [], self.trial.random
        self.trial.random = tape
        try:
            for batch in self.trial.compared(question.length, question.second):
                batches.append(batch)
                tape.rewind()
        finally:
            self.trial.random = before
        return batches

    def perform(
        self, asked: Sequence[tuple[RandomInputs, Iterable[Routine]]]
    ) -> list[list[UseOutcome]]:
        """Perform uses, those of a question with its randomness."""
        with self.trial.session() as session, self.budget.spending(session.agent):
            arena = Arena(session)
            begun = [
                [(one, self._begin(arena, one, question.seed)) for one in routines]
                for question, routines in asked
            ]
            answers = [[UseOutcome(one, outcome.value) for one, outcome in some] for some in begun]
        self._give_back()
        return answers

    def _begin(self, arena: Arena, routine: Routine, seed: bytes) -> PendingOutcome:
        """Begin a use whose calls may return anything."""
        arena.session.seed = seed
        return arena.begin(self._excused(routine))

    def _excused(self, routine: Routine) -> Routine:
        """Return a use of this package whose calls may return anything."""
        steps = tuple(replace(one, returns=None) for one in self.trial.own(routine).steps)
        return replace(routine, steps=steps)

    def digest(self, routine: Routine, drawn: Sequence[str], seed: int, rounds: int) -> int:
        """Perform a use so many times, with new bytes in what is `drawn`; digest its outputs."""
        with self.trial.session() as session, self.budget.spending(session.agent):
            arena = Arena(session)
            self._begin(arena, routine, bytes(SEED_BYTES)).value  # noqa: B018 - performed
            return digest(arena, self._excused(routine), drawn, seed, rounds)

    def forgeries(self, question: RandomInputs) -> list[Routine]:
        """Return the calls that get a ciphertext of this implementation with a byte changed.

        None if a call on the way there does not return what it should, which need not be
        wrong: two strings that were drawn as zeros are equal.
        """
        before, self.trial.random = self.trial.random, Tape(question.drawn)
        try:
            with self.trial.session() as session, self.budget.spending(session.agent):
                session.seed = question.seed
                lengths = (question.length, question.second)
                found = list(self.trial.forged(session, *lengths, question.altered))
        except CheckFailed:
            return []
        finally:
            self.trial.random = before
        self._give_back()
        return found

    def draws(self, routine: Routine, seed: bytes) -> str:
        """Return in words what a use takes of the randomness; empty if it takes none."""
        with self.trial.session() as session:
            self._begin(Arena(session), routine, seed).value  # noqa: B018 - performed
            return str(session.drawn())

    def refuses(self, routine: Routine) -> bool:
        """Return whether a call of a use says that it failed."""
        with self.trial.session() as session:
            session.refused()
            self._begin(Arena(session), routine, session.seed).value  # noqa: B018 - performed
            return bool(session.refused())

    def _give_back(self) -> None:
        """End the agent where another cannot run beside it: of a board there is one."""
        if self.trial.bench is not None and not self.trial.bench.target.is_native:
            self.trial.close()


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
        with self.answering():
            second = self.second.perform([(one, [use for _, use in uses]) for one, uses in both])
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
