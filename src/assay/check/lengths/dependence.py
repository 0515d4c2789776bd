# SPDX-License-Identifier: MIT
"""Whether every byte of an input matters, and every bit of a key and a nonce."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from assay.check.arena import Arena, PendingOutcome
from assay.check.budget import Budget
from assay.check.check import Check, CheckFinding, CheckInapplicable
from assay.check.lengths.apart import (
    IdleByte,
    recodes,
    require_apart,
    require_ends,
    require_keyed,
    require_last,
    require_values,
)
from assay.check.lengths.far import named_lengths
from assay.check.lengths.special import special
from assay.check.routine import Routine, RoutineOutcome, Variable, flipped
from assay.check.trial import AnyTrial
from assay.execute.agent import AgentLost
from assay.model.api import Role

BYTES_SECONDS = 4.0
WHOLE = 100  # bytes of a message of which every one is tried
LONG_BYTES = 10_000
SHORT_BYTES = 64  # keys, nonces, blocks: every byte is tried in a quick trial, too
RANDOM_PLACES = 12
UNIFORM = (0x00, 0xFF)
MOST_NAMED = 12  # places that numbers in the code name
FEW_PLACES = 3  # of a message beyond LONG_BYTES, where every call takes its time
BITS = 8
BITWISE = 48  # bytes of an input of which every bit is tried
SCALAR_PLACES, MOST_CLAMPED = 3, 5  # bytes of a scalar tried bit by bit; bits that X25519 sets
NO_MESSAGE = (False, False)
SECRETS = (Role.KEY, Role.NONCE)  # ABC, F-FCSR-8 and ZK-Crypt leave out bits of theirs
SURE = 3  # times that it changes nothing with other inputs


def dependence(trial: AnyTrial) -> str:
    """Change every byte of all inputs in place: the output must change, too.

    What seems idle is asked again with other inputs: F-FCSR-8's IV setup forgets a byte of the IV
    for some keys.
    """
    try:
        return _dependence(trial)
    except AgentLost as error:
        if not trial.takes_numbers:
            raise
        raise CheckFinding(f"it ends the program for some inputs: {error}") from None


def _dependence(trial: AnyTrial) -> str:
    """Change every byte; AgentLost where code ends the program for what is no key or point."""
    sure = partial(_idle_again, trial)
    budget, tried = trial.budget(BYTES_SECONDS), 0
    idle, bits = set[str](), list[IdleByte]()
    met: set[tuple[str, int]] = set()
    with trial.session() as session:
        if trial.thorough and not trial.on_board:
            require_apart(trial, session)
            require_ends(trial, session)
            require_last(trial, session)
            require_keyed(trial, session)
        for batch in trial.computations(session, (WHOLE,)):
            session.agent.forget_buffers()
            for routine in trial.representative(batch):
                arena = Arena(session)
                every_bit = _every_bit_of(routine, met) if trial.thorough else ()
                tried += change(
                    trial, arena, routine, budget, every=trial.thorough, every_bit=every_bit,
                    sure=sure, bits=bits,
                )  # fmt: skip
                if trial.thorough:
                    among_equals(trial, arena, routine, budget, sure, bits)
                if recodes(routine):
                    require_values(trial, arena, routine, budget)
                    tried += 1
                idle.update(_declared_idle(routine))
    if not tried:
        raise CheckInapplicable("no input of it must matter byte by byte")
    if bits:
        raise CheckFinding(f"{bits[0]}: ciphers may be defined so")
    return "; ".join(filter(None, [budget.remark(), *sorted(idle)]))


def _every_bit_of(routine: Routine, met: set[tuple[str, int]]) -> Collection[str]:
    """Name the inputs of which every bit is tried: text with a key of each size is so once."""
    names = [
        name
        for name, one in routine.variables.items()
        if one.role in SECRETS or (name, one.size) not in met
    ]
    met.update((name, one.size) for name, one in routine.variables.items())
    return names


def _idle_again(trial: AnyTrial, idle: IdleByte) -> bool:
    """Return whether it does not matter with other inputs either, in an agent of its own."""
    with trial.fresh_session() as session:
        for _ in range(SURE):
            for batch in trial.computations(session, (WHOLE,)):
                for routine in batch:  # some are called twice, with other variables
                    if routine.name != idle.routine or idle.name not in routine.variables:
                        continue
                    chain = Chain(Arena(session), _uniform(trial, routine, idle), idle.name)
                    if idle.bit is not None and chain.flip(idle.place, idle.bit):
                        return False
                    if idle.bit is None and not chain.is_idle(trial, idle.place):
                        return False
    return True


def _note(
    trial: AnyTrial, idle: IdleByte, variable: Variable, found: list[IdleByte] | None
) -> None:
    """Raise what no primitive is defined to leave out; what it may be is added to `found`."""
    design = variable.role in SECRETS and (
        idle.bit is not None or _matters_elsewhere(trial, idle, variable)
    )
    if found is None or not (design or trial.measured == NO_MESSAGE):
        raise idle
    found.append(idle)


def _matters_elsewhere(trial: AnyTrial, idle: IdleByte, variable: Variable) -> bool:
    """Return whether a byte of a nonce matters beside a key of another size.

    Dragon takes 256 bits of IV, and uses the first 128 of them with a key of 128.
    """
    with trial.fresh_session() as session:
        routines = [
            routine
            for batch in trial.computations(session, (WHOLE,))
            for routine in trial.representative(batch)
            if routine.name != idle.routine and idle.name in routine.variables
        ]
        return variable.role is Role.NONCE and any(
            not Chain(Arena(session), one, idle.name).is_idle(trial, idle.place)
            for one in routines
            if one.variables[idle.name].size == variable.size
        )


def _uniform(trial: AnyTrial, routine: Routine, idle: IdleByte) -> Routine:
    """Return the routine with all bytes of an input the same, where a byte was idle so.

    Not every number is a secret key or a point, so of these only the first byte is changed.
    """
    variable, value = routine.variables[idle.name], routine.value(idle.name)
    if idle.others is None:
        return routine
    size = min(1 if trial.measured == NO_MESSAGE else len(value), len(value) - variable.fixed)
    changed = bytes([idle.others]) * size
    end = variable.fixed + size
    return routine.given(idle.name, value[: variable.fixed] + changed + value[end:])


def among_equals(
    trial: AnyTrial,
    arena: Arena,
    routine: Routine,
    budget: Budget,
    sure: Callable[[IdleByte], bool],
    found: list[IdleByte],
) -> None:
    """Change bytes of inputs of zeros and of ones, or behind them, but not where it is refused.

    Strings end at a zero byte, and a sign that is extended covers the bytes before.
    """
    first = arena.outcome(routine)
    for name in (name for name, one in routine.variables.items() if one.matters):
        variable = routine.variables[name]
        for byte in UNIFORM:
            idle = IdleByte(0, name, routine.name, others=byte)
            chain = Chain(arena, _uniform(trial, routine, idle), name)
            if chain.results != first.results:
                continue
            places = tuple(_places(trial, variable, every=False))
            some = trial.some(places, RANDOM_PLACES)
            for place in budget.each(arena.session, [one for one in some if one]):
                idle = IdleByte(place, name, routine.name, others=byte)
                if chain.is_idle(trial, place) and sure(idle):
                    _note(trial, idle, variable, found)
                    break
    found += special(trial, arena, routine, first)


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
    every_bit: Collection[str] = (),
    sure: Callable[[IdleByte], bool] = lambda _: True,
    bits: list[IdleByte] | None = None,
) -> int:
    """Change bytes of each input that matters, of these roles; return of how many inputs.

    IdleByte for one that changes nothing, if that is `sure`; a bit of a key or a nonce is added to
    `bits`. Of the inputs named in `every_bit` the first bytes are changed bit by bit.
    """
    names = [name for name, one in routine.variables.items() if one.matters and one.role in roles]
    if not names or arena.outcome(routine) != arena.outcome(routine):
        return 0
    for name in names:
        chain, variable = Chain(arena, routine, name), routine.variables[name]
        bitwise, unused = BITWISE if name in every_bit else 0, 0
        if variable.clamped:
            bitwise = min(bitwise, SCALAR_PLACES) if trial.takes_numbers else 0
        places = [
            (place, number < bitwise)
            for number, place in enumerate(_places(trial, variable, every=every))
        ]
        for place, bit_by_bit in budget.each(arena.session, chain.doubtful(trial, budget, places)):
            each = bit_by_bit and bitwise
            idle = chain.idle_bits(trial, place) if each else [None] * chain.is_idle(trial, place)
            for bit in idle:
                found = IdleByte(place, name, routine.name, bit)
                if variable.clamped and bit is not None:
                    unused += 1
                    found.args = (f"{unused} bits of {name} do not matter to {routine.name}",)
                    if unused <= MOST_CLAMPED:
                        continue
                if sure(found):
                    _note(trial, found, variable, bits)
                    bitwise = 0
    return len(names)


class Chain:
    """An input that is changed in place, bit by bit, with a use after each change.

    Code that remembers has the input before in mind: each outcome must differ from the last.
    After a refusal it begins anew, since one refusal is like another.
    """

    def __init__(self, arena: Arena, routine: Routine, name: str) -> None:
        """Begin with the routine as it is."""
        self._arena, self._routine, self._name = arena, routine, name
        self._first = self._last = arena.outcome(routine)
        self._data = self._value = routine.value(name)

    @property
    def results(self) -> tuple[int, ...]:
        """What the calls returned at first."""
        return self._first.results

    def doubtful(
        self, trial: AnyTrial, budget: Budget, places: Sequence[tuple[int, bool]]
    ) -> Collection[tuple[int, bool]]:
        """Return the places of which a bit may change nothing, as far as there is time.

        All bits of a place are changed, or one, and nothing is awaited in between: nearly all
        matter. Where inputs are refused, every place is returned, since refusals say nothing.
        """
        queued: list[tuple[tuple[int, bool], list[PendingOutcome]]] = []
        for place in budget.each(self._arena.session, places):
            if len(queued) == 1 and self._refused(queued[0][1][-1].value):
                self._last = queued[0][1][-1].value
                return places
            bits = trial.some(range(BITS), BITS if place[1] else 1)
            queued.append((place, [self._queued(place[0], bit) for bit in bits]))
        found: dict[tuple[int, bool], None] = {}
        for place, pending in queued:
            for one in pending:
                before, self._last = self._last, one.value
                if self._last == before:
                    found[place] = None
        return found

    def _refused(self, outcome: RoutineOutcome) -> bool:
        """Return whether an input was refused that was made of one which was not."""
        return outcome.results != self._first.results

    def _queued(self, place: int, bit: int) -> PendingOutcome:
        """Change one more bit; the outcome is there when it is looked at."""
        self._data = flipped(self._data, place, 1 << bit)
        return self._arena.begin(self._routine.given(self._name, self._data))

    def is_idle(self, trial: AnyTrial, place: int) -> bool:
        """Return whether no bit of a byte changes the outcome."""
        return not any(self.flip(place, bit) for bit in trial.some(range(BITS)))

    def idle_bits(self, trial: AnyTrial, place: int) -> Iterator[int | None]:
        """Yield the bits of a byte that change nothing; None if that is so of all."""
        bits = trial.some(range(BITS))
        idle = [bit for bit in bits if not self.flip(place, bit)]
        yield from [None] if len(idle) == BITS else idle

    def flip(self, place: int, bit: int) -> bool:
        """Change one more bit; return whether the outcome differs from the last one."""
        if self._refused(self._last):
            self._data = self._value
            self._last = self._use()
        self._data = flipped(self._data, place, 1 << bit)
        before, self._last = self._last, self._use()
        return self._last != before

    def _use(self) -> RoutineOutcome:
        return self._arena.outcome(self._routine.given(self._name, self._data))


def _places(trial: AnyTrial, variable: Variable, *, every: bool) -> Iterator[int]:
    first, end = variable.fixed, variable.size - variable.idle
    if end <= first:
        return
    yield from {first, (first + end) // 2, end - 1}
    if variable.size <= (LONG_BYTES if every else SHORT_BYTES):
        yield from trial.some(range(first, end))
    else:
        number = RANDOM_PLACES if variable.size < LONG_BYTES else FEW_PLACES
        yield from (trial.random.randrange(first, end) for _ in range(number))
        named = [one for one in named_lengths(trial) if first <= one < end]
        yield from trial.some(named, MOST_NAMED)


DEPENDENCE: Check[AnyTrial] = Check(
    name="lengths/dependence",
    asks="Does the result depend on every byte of the inputs, and on the length of the message?",
    why=(
        "Code that leaves out a part of a key, a nonce or a message passes every test in which "
        "that part is the same. Code that recognises a message by its address, length or first "
        "bytes returns an earlier result. Bits of keys, nonces and short messages are tried one "
        "by one, and bytes among zeros, where strings end, and among ones, whose sign may spread. "
        "Keys and nonces of zeros are noted if they are refused or do what those of ones do, and "
        "others if their words may change places. "
        "Messages and data that differ in padding alone, in the order of their parts, or in where "
        "the data end, must give something else; keys and nonces count where a message or data "
        "are empty, too; the ends of messages of 256 to 65,536 bytes count at lengths for which "
        "code may make an exception, and the last byte of long ones whatever their last block "
        "has; and what encodes or decodes gives something of its own for "
        "each value of a byte."
    ),
    cure="Keep no results between calls, and process every input to its end.",
    run=dependence,
)
