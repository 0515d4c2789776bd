# SPDX-License-Identifier: MIT
"""Whether every byte of an input matters."""

from collections.abc import Callable, Collection, Iterator
from functools import partial

from assay.check.arena import Arena
from assay.check.budget import Budget
from assay.check.check import Check, CheckFailed, CheckInapplicable
from assay.check.routine import Routine, RoutineOutcome, Variable
from assay.check.trial import AnyTrial
from assay.model.api import Role

SECONDS = 4.0
WHOLE = 100  # bytes of a message of which every one is tried
LONG_BYTES = 10_000
SHORT_BYTES = 64  # keys, nonces, blocks: every byte is tried in a quick trial, too
RANDOM_PLACES = 12
FEW_PLACES = 3  # of a message beyond LONG_BYTES, where every call takes its time
BITS = 8


class IdleByte(CheckFailed):
    """A byte of an input does not change the outcome."""

    def __init__(self, place: int, name: str, routine: str) -> None:
        """Name the byte, the input and the routine."""
        self.place, self.name, self.routine = place, name, routine
        super().__init__(f"byte {place} of {name} does not matter to {routine}")


def dependence(trial: AnyTrial) -> str:
    """Change every byte of all inputs in place: the output must change, too.

    What seems idle is asked again with other inputs: F-FCSR-8's IV setup forgets a byte of the IV
    for some keys.
    """
    sure = partial(_idle_again, trial)
    budget, tried = trial.budget(SECONDS), 0
    idle: set[str] = set()
    with trial.session() as session:
        for batch in trial.computations(session, (WHOLE,)):
            session.agent.forget_buffers()
            for routine in trial.representative(batch):
                arena = Arena(session)
                tried += change(trial, arena, routine, budget, every=trial.thorough, sure=sure)
                idle.update(_declared_idle(routine))
    if not tried:
        raise CheckInapplicable("no input of it must matter byte by byte")
    return "; ".join(filter(None, [budget.remark(), *sorted(idle)]))


def _idle_again(trial: AnyTrial, idle: IdleByte) -> bool:
    """Return whether a byte does not matter with other inputs either, in an agent of its own."""
    with trial.fresh_session() as session:
        for batch in trial.computations(session, (WHOLE,)):
            for routine in (one for one in batch if one.name == idle.routine):
                return Chain(Arena(session), routine, idle.name).is_idle(trial, idle.place)
    return True


def _declared_idle(routine: Routine) -> Iterator[str]:
    """Yield a remark for each key and nonce whose last bytes do not matter, as it declares."""
    for name, one in routine.variables.items():
        if one.idle and one.role in (Role.KEY, Role.NONCE):
            yield f"the last {one.idle} of {one.size} bytes of {name} are declared not to matter"


def change(
    trial: AnyTrial,
    arena: Arena,
    routine: Routine,
    budget: Budget,
    roles: Collection[Role] = tuple(Role),
    *,
    every: bool,
    sure: Callable[[IdleByte], bool] = lambda _: True,
) -> int:
    """Change bytes of each input that matters, of these roles; return of how many inputs.

    IdleByte for one that changes nothing, if that is `sure`.
    """
    names = [name for name, one in routine.variables.items() if one.matters and one.role in roles]
    if not names or not _repeats(arena, routine):
        return 0
    for name in names:
        chain = Chain(arena, routine, name)
        places = _places(trial, routine.variables[name], every=every)
        for place in budget.each(arena.session, places):
            found = IdleByte(place, name, routine.name)
            if chain.is_idle(trial, place) and sure(found):
                raise found
    return len(names)


def _repeats(arena: Arena, routine: Routine) -> bool:
    """Return whether the outcome is the same the next time."""
    return arena.outcome(routine) == arena.outcome(routine)


class Chain:
    """An input that is changed in place, bit by bit, with a use after each change.

    Code that remembers has the input before in mind: each outcome must differ from the last.
    After a refusal it begins anew, since one refusal is like another.
    """

    def __init__(self, arena: Arena, routine: Routine, name: str) -> None:
        """Begin with the routine as it is."""
        self._desk, self._routine, self._name = arena, routine, name
        self._first = self._last = arena.outcome(routine)
        self._data = self._value = routine.variables[name].value or b""

    def is_idle(self, trial: AnyTrial, place: int) -> bool:
        """Return whether no bit of a byte changes the outcome."""
        return not any(self.flip(place, bit) for bit in trial.random.sample(range(BITS), BITS))

    def flip(self, place: int, bit: int) -> bool:
        """Change one more bit; return whether the outcome differs from the last one."""
        if self._last.results != self._first.results:
            self._data = self._value
            self._last = self._use()
        data = bytearray(self._data)
        data[place] ^= 1 << bit
        self._data = bytes(data)
        before, self._last = self._last, self._use()
        return self._last != before

    def _use(self) -> RoutineOutcome:
        return self._desk.outcome(self._routine.given(self._name, self._data))


def _places(trial: AnyTrial, variable: Variable, *, every: bool) -> Iterator[int]:
    first, end = variable.fixed, variable.size - variable.idle
    if end <= first:
        return
    yield from {first, (first + end) // 2, end - 1}
    if variable.size <= (LONG_BYTES if every else SHORT_BYTES):
        yield from trial.random.sample(range(first, end), end - first)
    else:
        number = RANDOM_PLACES if variable.size < LONG_BYTES else FEW_PLACES
        yield from (trial.random.randrange(first, end) for _ in range(number))


CHECK: Check[AnyTrial] = Check(
    name="lengths/dependence",
    asks="Does the result depend on every byte of the inputs, also if they change in place?",
    why=(
        "Code that leaves out a part of a key, a nonce or a message passes every test in which "
        "that part is the same. Code that recognises a message by its address, length or first "
        "bytes returns an earlier result."
    ),
    cure="Keep no results between calls, and process every input to its end.",
    run=dependence,
)
