# SPDX-License-Identifier: MIT
"""Whether inputs that padding may confuse, or a boundary that is not seen, give different results.

Of one random text there are beginnings of many lengths, as they are, with a byte behind them, and
filled up to a block as padding does it; each is a message, or associated data, or data with the
rest as the message. Of others parts change places, or stand there twice. All of these differ, so
no two tags, digests or outputs may be the same.

And whether the end of a message matters at lengths at which code may take another path, and
whether each value of a byte gives something of its own, where code only encodes or decodes. What
is as long encoded as decoded loses nothing, so no two values may give the same; otherwise some
encodings have several values for one, but not just a few of 256.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from assay.check.arena import Arena
from assay.check.budget import Budget
from assay.check.check import CheckFailed, CheckFinding
from assay.check.evidence import inputs
from assay.check.lengths.far import affordable, named_lengths
from assay.check.routine import Routine, RoutineOutcome, all_added_up, flipped
from assay.check.session import BaseSession
from assay.check.trial import Absorbed, AnyTrial
from assay.model.api import Role

SECONDS = 0.5
PADDED = (0, 1, 7, 8, 15, 16, 31, 32, 55, 62, 63, 64, 71, 103, 111, 119, 127, 128, 135, 136, 143,
          167)  # fmt: skip
FILLED = (0, 3, 8)  # lengths that are filled up
BLOCKS = (4, 8, 16, 32, 64, 128)
FIRST = (0x00, 0x80, 0x01)  # with which padding begins
LAST = (0x00, *(1 << bit for bit in range(8)))  # bytes of which each bit must count
CUTS = range(17)  # how much of a text is data
EXCHANGED = (1, 4, 8, 16, 32, 64, 128, 256, 512, 1024)  # bytes of parts that change places
AGAIN = 2  # times that it is so with other inputs, too
KEYED = 40  # bytes of a message, or of data, beside nothing
TAG = 16  # bytes at the end of an output that tell whether it is the same
FEWEST = 8  # that are not the same by chance
FOUR = 4  # texts with the same two parts

CURE = "Pad so that no two inputs become the same, and let data end before a message begins."

END_SECONDS = 0.5
SPECIAL = (100, 1000, 1536, 10_000)
MULTIPLES = range(256, 4097, 256)
POWERS = (8192, 16_384, 32_768, 65_536)
MOST_NAMED = 12
RESTS, RESTS_FROM = 64, 5000  # lengths in a row: each number of bytes that a block may have
STEP, MOST_RESTS = 8, 128  # of long messages: exceptions begin where padding takes a word more
DATA = 5  # one length in so many is one of data
PAGE, THOUSAND, SEAMS = 4096, 1000, 12  # in how large parts, and how many of their ends are tried
SHORT_SEAMED, FEW_SEAMS = 17_000, 3  # of longer inputs fewer, since calls take their time
WITHIN = 64  # bytes before the end of which one is changed, too

VALUES = 256
FEW = 6  # values that others share, which are an exception and no rule
MOST_PLACES = 4


class IdleByte(CheckFailed):
    """A byte of an input does not change the outcome, or one of its bits does not."""

    def __init__(
        self,
        place: int,
        name: str,
        routine: str,
        bit: int | None = None,
        others: int | None = None,
    ) -> None:
        """Name the byte, the input and the routine; and what stands before, if it is that."""
        self.place, self.name, self.routine, self.bit = place, name, routine, bit
        self.others = others
        what = f"byte {place}" if bit is None else f"bit {bit} of byte {place}"
        where = "" if others is None else f" behind {others:02x}"
        super().__init__(f"{what} of {name} does not matter to {routine}{where}")


class IdleEnd(IdleByte):
    """Two inputs of which one may be the other with its padding give the same result."""

    def __init__(self, reason: str, evidence: str) -> None:
        """Take the reason in one sentence."""
        super().__init__(0, "", "")
        self.args, self.evidence, self.cure = (reason,), evidence, CURE


def special_lengths(trial: AnyTrial) -> list[int]:
    """Return lengths for which code may make an exception, in any order."""
    named = trial.some(named_lengths(trial, POWERS[-1], SPECIAL[0]), MOST_NAMED)
    return trial.some(tuple(dict.fromkeys((*SPECIAL, *MULTIPLES, *POWERS, *named))))


def require_ends(trial: AnyTrial, session: BaseSession) -> None:
    """Change a message, then data, of special lengths near their end, and where parts may end."""
    lengths = special_lengths(trial)
    text, budget = trial.bytes(max(lengths)), trial.budget(END_SECONDS)
    for length in budget.each(session, lengths):
        absorbed = ((b"", text[:length]), (text[:length], b""))
        for routine, name, end in _absorbing(trial, session, absorbed):
            if end < WITHIN:
                continue
            within, anywhere = end - trial.random.randrange(2, WITHIN), trial.random.randrange(end)
            is_data = routine.variables[name].role is Role.DATA
            more = range(end - 1) if is_data and length == SPECIAL[0] else seams(trial, end)
            _require_matter(Arena(session), routine, name, (end - 1, within, anywhere, *more))


def _absorbing(
    trial: AnyTrial, session: BaseSession, absorbed: Sequence[Absorbed]
) -> Iterator[tuple[Routine, str, int]]:
    """Yield uses of a message, or of data alone, with its name, and the end of what must count."""
    session.agent.forget_buffers()
    for (data, text), routine in trial.absorbing(absorbed):
        role = Role.DATA if data else Role.MESSAGE
        (name,) = (one for one in routine.having(role) if routine.variables[one].is_input)
        yield routine, name, len(data or text) - routine.variables[name].idle


def seams(trial: AnyTrial, end: int) -> list[int]:
    """Choose places where a part of a long input may end, and another begin."""
    powers = range(PAGE, end, PAGE)
    every = {*range(THOUSAND, end, THOUSAND), *powers, *(one - 1 for one in powers)}
    most = SEAMS if end < SHORT_SEAMED else FEW_SEAMS
    return trial.some(sorted(every), most) if end > PAGE else []


def require_last(trial: AnyTrial, session: BaseSession) -> None:
    """Change the last byte of long messages, or of data, whatever the last block has."""
    longest, begin = affordable(trial), RESTS_FROM + trial.random.randrange(MOST_RESTS)
    some = range(trial.random.randrange(STEP), MOST_RESTS, STEP)
    few = trial.some(some) if longest > begin + RESTS else ()
    lengths = (*(longest - one for one in few), *range(begin, begin + RESTS))
    text, budget = trial.bytes(max(lengths)), trial.budget(END_SECONDS)
    for length in budget.each(session, [one for one in lengths if one <= longest]):
        absorbed = (text[:length], b"") if length % DATA == 0 else (b"", text[:length])
        for routine, name, end in _absorbing(trial, session, (absorbed,)):
            _require_matter(Arena(session), routine, name, (end - 1,))


def _require_matter(arena: Arena, routine: Routine, name: str, places: tuple[int, ...]) -> None:
    """Raise IdleByte for a byte of an input that changes nothing when it is inverted."""
    value, first = routine.value(name), arena.begin(routine)
    changed = [arena.begin(routine.given(name, flipped(value, at, 0xFF))) for at in places]
    tag = _tag(routine, first.value)
    for at, pending in zip(places, changed, strict=True):
        if len(tag) >= FEWEST and _tag(routine, pending.value) == tag:
            raise IdleByte(at, name, routine.name)


def require_apart(trial: AnyTrial, session: BaseSession) -> None:
    """Compute the results of all texts under the same key; no two may be the same."""
    budget = trial.budget(SECONDS)
    arena = Arena.alone(session)
    rearranged = tuple(_rearranged(trial.bytes))
    texts = (*_texts(trial.bytes(max(PADDED) + 1)), *(one for four in rearranged for one in four))
    made = [
        (absorbed, routine, arena.begin(routine))
        for absorbed, routine in budget.each(session, trial.absorbing(texts))
        if not any(one.idle and one.role is Role.MESSAGE for one in routine.variables.values())
    ]
    seen: dict[bytes, tuple[bytes, Absorbed, Routine]] = {}
    for absorbed, routine, pending in made:
        whole = _tag(routine, pending.value)
        tag = whole[-TAG:]
        if tag in seen and _comparable(whole, seen[tag][0]) and not session.refused():
            _tell(trial, *seen[tag][1:], absorbed, routine)
        if len(tag) >= FEWEST:
            seen[tag] = whole, absorbed, routine
    tags = {one[1]: tag for tag, one in seen.items() if not one[2].having(Role.KEY)}
    for four in rearranged:
        _require_no_sum([tags[one] for one in four if one in tags], seen)


def _require_no_sum(
    tags: Sequence[bytes], seen: Mapping[bytes, tuple[bytes, Absorbed, Routine]]
) -> None:
    """Raise CheckFinding if four digests add up to nothing: each part has its share in a sum.

    The texts are two parts in both orders, and each of them twice. One-time tags may be sums.
    """
    if len(tags) < FOUR or any(all_added_up(tags)):
        return
    _, (data, text), routine = seen[tags[0]]
    raise CheckFinding(
        f"{routine.name}: four digests of {len(data) + len(text)} bytes with the same two parts "
        "add up to nothing: each tells another one",
        inputs(routine),
    )


def _comparable(one: bytes, other: bytes) -> bool:
    """Return whether equal ends mean equal tags; of ciphertexts as long it may be in front."""
    return len(one) != len(other) or one == other


def _texts(text: bytes) -> Iterator[Absorbed]:
    """Yield data and message of each attempt; no two are the same."""
    behind = [text[:size] + bytes([byte]) for size in PADDED for byte in LAST]
    filled = [
        text[:size] + bytes([byte]) + bytes(-(size + 1) % block)
        for size in FILLED
        for block in BLOCKS
        for byte in FIRST
    ]
    every = list(dict.fromkeys((*(text[:size] for size in PADDED), *behind, *filled)))
    yield from ((b"", one) for one in every)
    yield from ((one, b"") for one in every if one)
    yield from ((text[:cut], text[cut : max(CUTS)]) for cut in CUTS if 0 < cut < max(CUTS))


def _rearranged(draw: Callable[[int], bytes]) -> Iterator[tuple[Absorbed, ...]]:
    """Yield texts with parts in two orders, and with two equal parts, which a sum forgets.

    Four at a time have the same parts at the same places.
    """
    for size in EXCHANGED:
        first, one, other, last = (draw(size) for _ in range(4))
        if one == other:
            continue
        middles = (one + other, other + one, one + one, other + other)
        yield tuple((b"", first + middle + last) for middle in middles)
        yield tuple((first + middle + last, b"") for middle in middles)


def require_keyed(trial: AnyTrial, session: BaseSession) -> None:
    """Change each byte of keys and nonces where the message, or the data, or both are empty."""
    if not trial.measured[0]:
        return
    found = _idle_in_a_key(trial, session)
    if found and all(_idle_in_a_key(trial, session) for _ in range(AGAIN)):
        raise found


def _idle_in_a_key(trial: AnyTrial, session: BaseSession) -> IdleByte | None:
    """Return a byte of a key or a nonce that does not matter, with inputs drawn anew."""
    text = trial.bytes(KEYED)
    for absorbed, routine in trial.absorbing(((b"", b""), (b"", text), (text, b""))):
        session.agent.forget_buffers()
        if not any(absorbed) and not routine.having(Role.NONCE):
            continue  # with nothing to authenticate half of a one-time key has nothing to do
        for name in (one for role in (Role.KEY, Role.NONCE) for one in routine.having(role)):
            one = routine.variables[name]
            if one.is_input and one.matters:
                places = tuple(range(one.fixed, one.size - one.idle))
                try:
                    _require_matter(Arena(session), routine, name, places)
                except IdleByte as idle:
                    return idle
    return None


def _tag(routine: Routine, outcome: RoutineOutcome) -> bytes:
    """Return what must differ: the tag or digest, or all that is written."""
    own = [one for role in (Role.MAC, Role.DIGEST) for one in routine.having(role)]
    made = [name for name in own if name in outcome.outputs] or outcome.outputs
    return b"".join(outcome.outputs[name] for name in made)


def _tell(
    trial: AnyTrial, one: Absorbed, routine: Routine, other: Absorbed, again: Routine
) -> None:
    """Raise IdleEnd, but where the cipher does not tell data from a message."""
    shown = [f"{len(text)} bytes behind {len(data)} of data" for data, text in (one, other)]
    if shown[0] == shown[1]:
        shown = [f"a text of {shown[0]}", "another one as long"]
    reason = f"{routine.name}: the result for {shown[0]} is that for {shown[1]}"
    evidence = inputs(routine) + inputs(again)
    if b"".join(one) == b"".join(other) and not trial.bounded:
        return
    raise IdleEnd(reason, evidence)


def recodes(routine: Routine) -> bool:
    """Return whether all that goes in is encoded or decoded."""
    variables = routine.variables
    given = [name for name in routine.inputs if variables[name].size]
    other = all(variables[name].role is Role.OTHER for name in given)
    return other and len(given) == 1 and any(variables[name].size for name in routine.outputs)


def require_values(trial: AnyTrial, arena: Arena, routine: Routine, budget: Budget) -> None:
    """Let some bytes of an input have all values, among zeros, ones and random bytes."""
    (name,) = (one for one in routine.inputs if routine.variables[one].size)
    size = routine.variables[name].size
    lossless = size == sum(routine.variables[one].size for one in routine.outputs)
    places = trial.some(range(size), MOST_PLACES)
    bases = (bytes(size), b"\xff" * size, trial.bytes(size))
    for place, base in budget.each(arena.session, [(at, one) for at in places for one in bases]):
        pending = [
            arena.begin(routine.given(name, base[:place] + bytes([byte]) + base[place + 1 :]))
            for byte in range(VALUES)
        ]
        seen: dict[tuple[bytes, ...], int] = {}
        twice = []
        for byte, one in enumerate(pending):
            made = tuple(one.value.outputs.values())
            if made in seen:
                twice.append((seen[made], byte))
            seen.setdefault(made, byte)
        if twice and (lossless or len(twice) <= FEW):
            first, second = twice[0]
            reason = (
                f"{routine.name} gives the same for {first:02x} as for {second:02x} in byte "
                f"{place} of {name}; {VALUES - len(twice)} of {VALUES} values give their own"
            )
            evidence = f"{name} = {base.hex().upper()}\n"
            raise CheckFailed(reason, evidence) if lossless else CheckFinding(reason, evidence)
