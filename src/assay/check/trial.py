# SPDX-License-Identifier: MIT
"""What the trials of all kinds have in common: a package, its agent, and patience."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random, SystemRandom
from typing import Any, ClassVar, Generic, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.arena import Arena
from assay.check.bench import Bench
from assay.check.budget import Budget
from assay.check.check import CheckFailed, CheckInapplicable, CheckSkipped
from assay.check.depth import IN_FULL, Extent
from assay.check.routine import BOARD_LONGEST, LONGEST, Routine, Splitter, sweep
from assay.check.session import BaseSession
from assay.compile.reasons import NO_ROOM
from assay.execute.agent import Agent, AgentError, AgentNoRoom
from assay.execute.jail import AGENT_LIMITS
from assay.execute.patience import FOREIGN_FACTOR
from assay.execute.protocol import hung
from assay.model import Package, Runtime
from assay.model.api import Promise

MOST_SILENCES = 3
USED = (0, 1, 15, 64, 129, 257, 1027)  # lengths of messages
WORN_SECONDS = AGENT_LIMITS.cpu_seconds / 2  # of processor time: what is left does for a check
CHECK_SECONDS = 20.0  # for a check's many questions; slow code gets fewer
SHORT_PART = 0.3  # of it
REFUSED_SECONDS = 0.5  # to make what is to be refused
HURRIED_PART = 0.3
CHANCES = 10  # times the time for what is found by chance, of long messages
Batch = tuple[Routine, ...]
Absorbed = tuple[bytes, bytes]  # associated data, and a message


SubjectT = TypeVar("SubjectT")
SessionT = TypeVar("SessionT", bound=BaseSession)
SizeT = TypeVar("SizeT")
ItemT = TypeVar("ItemT")


class Provoked(AgentError):
    """What followed on a fault, or a change of memory, that the bench caused: it is no verdict.

    A call that faults keeps its locks, and leaves static memory half written: no program sees
    that, since it ends there. What goes wrong in such an agent is asked again in another one.
    """


class BaseTrial(Struct, Generic[SubjectT, SessionT]):
    """A built package on trial. `connect` launches an agent.

    `random` gives inputs that the submitted code cannot know beforehand.

    A thorough trial is for one build of a package. The many further configurations of a campaign
    get a brief one: every check still asks its question, see `extent`.

    `bench` has what checks of the object code and the header need.

    `notes` is where checks keep what they found out together (by their module's name).

    A hang costs as long as an agent is waited for, so after `most_silences` of them no
    further question is asked: those checks are skipped.
    """

    package: Package
    subject: SubjectT
    connect: Callable[[], Agent]
    bench: Bench | None = None
    random: Random = field(default_factory=SystemRandom)
    extent: Extent = IN_FULL
    most_silences: int = MOST_SILENCES
    notes: dict[str, Any] = field(default_factory=dict)
    opened: Agent | None = None  # runs already: the first session takes it
    stretch: int = 0  # the length of all messages, while a question is asked of long ones
    _stretch_seconds: float = math.inf
    _session: SessionT | None = None
    _silences: int = 0

    @property
    def thorough(self) -> bool:
        """Return whether all sizes, lengths and vectors are tried."""
        return self.extent.thorough

    @property
    def deep(self) -> bool:
        """Return whether checks are run that take a minute."""
        return self.extent.deep

    def only_deep(self) -> None:
        """Raise CheckSkipped where nothing is asked that takes a minute."""
        if not self.deep:
            raise CheckSkipped("slow; run it with `--deep`")

    def budget(self, seconds: float = CHECK_SECONDS, *, by_chance: bool = False) -> Budget:
        """Return how long the code may work for a check; short and hurried trials have less.

        What is found `by_chance` has as long in a hurried trial.
        """
        native = self.bench is None or self.bench.target.is_native
        seconds = min(seconds, self._stretch_seconds * (CHANCES if by_chance else 1))
        part = 1.0 if self.thorough else SHORT_PART
        if self.extent.hurried and not by_chance:
            part *= HURRIED_PART
        return Budget(seconds * part * (1 if native else FOREIGN_FACTOR))

    def skip_if_slow(
        self, session: SessionT, seconds: float, probe: Callable[[], object], times: float
    ) -> None:
        """Raise CheckSkipped if so many times what a probe does takes longer than `seconds`."""
        budget = self.budget(seconds)
        with budget.spending(session.agent):
            probe()
        needed = budget.used * times
        if needed > budget.seconds:
            raise CheckSkipped(f"the code is slow: it would take {needed:.1f} seconds")

    @contextmanager
    def stretched(self, length: int, seconds: float) -> Iterator[None]:
        """Let all messages have this length meanwhile, with so much time for each check."""
        self.stretch, self._stretch_seconds = length, seconds
        try:
            yield
        finally:
            self.stretch, self._stretch_seconds = 0, math.inf

    def asked(self, lengths: tuple[int, ...]) -> tuple[int, ...]:
        """Return the lengths that a check asks of: its own, or the one of a stretched trial."""
        return (self.stretch,) if self.stretch else lengths

    def asked_of(self, sizes: tuple[SizeT, ...]) -> tuple[SizeT, ...]:
        """Return the sizes that a check asks of: of a stretched trial one, each time another."""
        return (self.random.choice(sizes),) if self.stretch and not self.deep else sizes

    def few_of(self, sizes: tuple[SizeT, ...]) -> tuple[SizeT, ...]:
        """Return the first, one in between and the last; of a short trial the last one."""
        if not self.thorough:
            return sizes[-1:]
        return tuple(dict.fromkeys((sizes[0], *self.some(sizes[1:-1], 1), sizes[-1])))

    def some(self, items: Sequence[ItemT], most: int | None = None) -> list[ItemT]:
        """Choose so many items, or all there are, in any order."""
        return self.random.sample(items, len(items) if most is None else min(most, len(items)))

    @property
    def on_board(self) -> bool:
        """Return whether memory is small and every byte goes over a serial line."""
        return self.bench is not None and self.bench.target.runtime is Runtime.BOARD

    def converse(self, agent: Agent) -> SessionT:
        """Open a session with an agent."""
        raise NotImplementedError

    @contextmanager
    def session(self) -> Iterator[SessionT]:
        """Lend a session with no buffers; agents live on from check to check until one fails."""
        self._stop_after_silences()
        try:
            if self._session is not None and self._is_worn(self._session.agent):
                self.close()
            if self._session is None:
                self._session = self.converse(self._running())
            self._session.agent.forget_buffers()
            yield self._session
            self._session.agent.flush()
        except (AgentError, CheckFailed) as error:
            self._silences += hung(error)
            self.close()
            self._skip_if_no_room(error)
            raise

    @contextmanager
    def fresh_session(self, *, sealed: bool = True) -> Iterator[SessionT]:
        """Lend a session with an agent of its own.

        Only one that is not `sealed` may start threads and handle signals.
        """
        self._stop_after_silences()
        unsealed = self.bench.unsealed if self.bench and not sealed else None
        try:
            session = self.converse((unsealed or self.connect)())
            with session.agent:
                yield session
                session.agent.flush()
        except AgentError as error:
            self._silences += hung(error)
            self._skip_if_no_room(error)
            raise

    @staticmethod
    def _is_worn(agent: Agent) -> bool:
        """Return whether an agent soon uses up the processor time that one may use."""
        return not agent.closed and (agent.processor_seconds() or 0.0) > WORN_SECONDS

    def _running(self) -> Agent:
        """Return the agent that runs already, or launch one."""
        opened, self.opened = self.opened, None
        return self.connect() if opened is None or opened.closed else opened

    def _stop_after_silences(self) -> None:
        if self._silences >= self.most_silences:
            raise CheckSkipped(f"not asked: the code has hung {self._silences} times before")

    def _skip_if_no_room(self, error: BaseException) -> None:
        """Skip what a small target has no room for: that is nobody's fault."""
        if self.on_board and isinstance(error, AgentNoRoom):
            raise CheckSkipped(f"{NO_ROOM}: {error}") from None

    def close(self) -> None:
        """End the agent, if one lives."""
        if self._session is not None:
            self._session.agent.close()
        if self.opened is not None:
            self.opened.close()
        self._session = self.opened = None

    # ------------------------------------------------------------ what a kind brings

    longest_length: ClassVar[int] = 0xFFFF_FFFF  # that a call of its functions can be given

    def name_of(self, number: int) -> str:
        """Name a function by its number on the wire."""
        raise NotImplementedError

    @property
    def unit(self) -> int:
        """Return of how many bytes the pieces of a message are; its rest has any length."""
        return 1

    @property
    def alignments(self) -> tuple[int, ...]:
        """Return what alignments of buffers the code may ask for, the least one first."""
        return (1,)

    def lengths(self, *, thorough: bool) -> tuple[int, ...]:
        """Return the lengths of messages that are swept over, as far as memory allows."""
        longest = BOARD_LONGEST if self.on_board else LONGEST
        return self.asked(sweep(self.unit, thorough=thorough, longest=longest))

    def excuse(self, promise: Promise) -> str:
        """Return why the package need not keep a promise; nothing if it must."""
        raise NotImplementedError

    def uses(self, lengths: tuple[int, ...], *, wide: bool = False) -> Iterator[Batch]:
        """Yield batches of routines, in all ways and for all lengths of a message.

        A batch has one choice of sizes and one message. `wide` are all choices.
        """
        raise NotImplementedError

    def use_all(
        self, session: SessionT, lengths: tuple[int, ...] = USED, budget: Budget | None = None
    ) -> None:
        """Use every function, for what is seen from outside meanwhile; results do not matter.

        Where time is up, that is with one length.
        """
        for batch in self.uses(lengths):
            arena = Arena.alone(session)
            for routine in batch if budget is None else budget.each(session, batch):
                arena.use(routine)
            session.settle()

    def computations(self, _: SessionT, lengths: tuple[int, ...]) -> Iterator[Batch]:
        """Yield batches of routines that depend on their inputs alone, each by itself.

        Where calls build on each other, the session is used to have the inputs of the later ones.
        """
        return self.uses(lengths)

    def last_use(self, lengths: tuple[int, ...]) -> Batch:
        """Return the last batch of `uses`, which has all lengths."""
        *_, batch = self.uses(lengths)
        return batch

    def last_computation(self, _: SessionT, lengths: tuple[int, ...]) -> Batch:
        """Return the last batch of `computations`, which has all lengths."""
        return self.last_use(lengths)

    def compared(self, length: int, _: int) -> Iterator[Batch]:
        """Yield the uses whose outputs are compared with another package's, for all sizes.

        The second length is that of associated data, or of an output of any length.
        """
        return self.uses((length,), wide=True)

    bounded: ClassVar[bool] = True  # where data end and a message begins

    def absorbing(self, _: Sequence[Absorbed]) -> Iterator[tuple[Absorbed, Routine]]:
        """Yield uses that make a tag or a digest of data and a message, all else being the same.

        Where there are no data only those without.
        """
        yield from ()

    @property
    def measured(self) -> tuple[bool, bool]:
        """Return whether uses have a message, and a second length."""
        return True, False

    def forged(self, _: SessionT, length: int, second: int, byte: int) -> Iterator[Routine]:
        """Yield uses of what other calls made, with a byte of each ciphertext or MAC changed."""
        del length, second, byte
        yield from ()

    def refused(self, session: SessionT, lengths: tuple[int, ...]) -> Batch:
        """Return uses that are to be refused, for what code does on that path.

        None where a call on the way there returns what it should not; for one length where the
        code is slow, or has no message.
        """
        budget = self.budget(REFUSED_SECONDS)
        asked = self.asked(lengths) if self.measured[0] else lengths[:1]
        try:
            forged = [
                routine
                for length in budget.each(session, asked)
                for routine in self.forged(session, length, length, self.random.getrandbits(32))
            ]
        except CheckFailed:
            return ()
        return tuple(
            replace(
                routine,
                name=f"{routine.name}, given something damaged,",
                steps=tuple(replace(one, returns=None) for one in routine.steps),
            )
            for routine in forged
        )

    def too_short(self, refused: Batch) -> Iterator[Routine]:
        """Yield what is refused, cut to less than there ever is."""
        del refused
        yield from ()

    @property
    def hides(self) -> bool:
        """Return whether messages are encrypted."""
        return True

    @property
    def takes_numbers(self) -> bool:
        """Return whether inputs are keys and points of which not every number is one."""
        return False

    @property
    def takes_words(self) -> bool:
        """Return whether a buffer holds words: some machines fault where these are misaligned."""
        return False

    goes_on: ClassVar[bool] = False  # from one call to the next, for as long as one likes

    def compare_onward(
        self, other: Any, names: tuple[str, str], budgets: tuple[Budget, Budget]
    ) -> None:
        """Compare with another implementation what goes on; CheckFailed for what differs."""

    def own(self, routine: Routine) -> Routine:
        """Return the same use of this package as of another one of its API."""
        return routine

    def representative(self, batch: Batch) -> Batch:
        """Choose a routine for each function that some begin with, where one is repeated."""
        first = {one.steps[0].number: one for one in reversed(batch)}
        return tuple(reversed(first.values()))

    def draws(self, _: Routine) -> bool:
        """Return whether a routine may take randomness."""
        return False

    def opens(self, _: Routine) -> bool:
        """Return whether a routine refuses what is not of the secrets that it is given."""
        return False

    def splitters(self, _: int) -> Iterator[Splitter]:
        """Yield messages that can be split into calls; CheckInapplicable if none can."""
        raise CheckInapplicable("a message is one call")

    def bytes(self, length: int) -> bytes:
        """Return fresh unpredictable bytes."""
        return self.random.randbytes(length)


AnyTrial = BaseTrial[Any, Any]
