# SPDX-License-Identifier: MIT
"""Functions that open or verify, attempts to deceive them, and what becomes of these.

Each attempt must be refused, with few excuses. Some are of those who try often, who know other
tags, or who add the order of a group.

A tag that is compared as a string is right as soon as both begin with a zero byte, which is so
for one message in 256. In a chain of blocks the tag is what the next block is added to: added
twice it is gone, and the tag of a longer message is known. Where a tag is a sum in which each part
has its share, those of three messages tell that of a fourth.

A number of a signature counts modulo the order of a group. Where it may be any number of its
bytes there is a second signature of each message, which anybody can compute.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from random import Random

from msgspec import Struct

from assay.check.arena import FILLING, Arena, Placement, ordinary
from assay.check.check import CheckFailed, CheckFinding, CheckInapplicable
from assay.check.evidence import inputs
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, RoutineOutcome, Step, added_up, all_added_up, flipped
from assay.model.api import Role
from assay.model.operation import Op

LEAST_TAG_BYTES = 4  # below, one of many forgeries may be right by chance
PART = 16  # bytes, of each of which one is changed
FROM, PARTS = 2000, 24  # bytes of a message from which on there are so many larger parts
FILLED = (4, 16, 32)  # bytes at once
STRICT_SIGNATURES = ("ed25519", "ed448", "mldsa44", "mldsa65", "mldsa87")
SEALED = (Role.CIPHERTEXT, Role.MAC)
COMPARED = ("x", "y")  # of crypto_verify
OFTEN = 0.4  # seconds
TRIES = 800  # one in 256 is missed by so many 4 times in a hundred
CHAINED = 16  # bytes of a block
HALF = 512  # of a message: whole blocks
FRESH = 8  # bytes that are others in each try
SECOND = "y"  # of crypto_verify
MOST_BYTES = 256  # of a signature of numbers: those of lattices and hashes are longer


class Opening(Struct, frozen=True):
    """A call that opens what an honest sender made.

    `about` says what was changed since, and `genuine` is the call before that.
    """

    routine: Routine
    about: str = ""
    genuine: Routine | None = None

    @property
    def step(self) -> Step:
        """The call."""
        return self.routine.steps[0]

    def value(self, name: str) -> bytes:
        """Return the bytes of an input."""
        return self.routine.value(name)

    @property
    def sealed(self) -> tuple[str, ...]:
        """Name the inputs every bit of which is authenticated."""
        variables = self.routine.variables
        found = tuple(n for n in self.routine.inputs if variables[n].role in SEALED)
        return found or COMPARED

    def with_bits(self, name: str, *places: tuple[int, int]) -> "Opening":
        """Flip bits of an input: pairs of byte and bit."""
        data = self.value(name)
        for at, bit in places:
            data = flipped(data, at, 1 << bit)
        text = " and ".join(f"bit {bit} of byte {at}" for at, bit in places)
        return self.given(name, data, f"{text} of {name} flipped")

    def filled(
        self, name: str, first: int = 0, sizes: tuple[int, ...] = FILLED
    ) -> Iterator["Opening"]:
        """Fill parts at both ends of an input, from `first` on, with zeros or ones."""
        value = self.value(name)
        for size in sorted(set(sizes) - {0}):
            ends = (first, first + size, len(value) - 2 * size, len(value) - size)
            for at in sorted({one for one in ends if first <= one <= len(value) - size}):
                for byte in (0, 0xFF):
                    data = value[:at] + bytes([byte]) * size + value[at + size :]
                    if data != value:
                        about = f"bytes {at} to {at + size - 1} of {name} set to {byte:02x}"
                        yield self.given(name, data, about)

    def given(self, name: str, value: bytes, about: str) -> "Opening":
        """Put in other bytes; the call gets their length where it asks for one."""
        return Opening(self.routine.resized(name, value), about, self.genuine or self.routine)


def calls_of(
    trial: OperationTrial, session: OperationSession, length: int = 0
) -> dict[str, Opening]:
    """Return each function's call on true inputs by its suffix, for messages of a length."""
    return {name: Opening(one) for name, one in trial.calls(session, length).items()}


def openings(trial: OperationTrial, session: OperationSession, length: int) -> Iterator[Opening]:
    """Yield the calls that open something, each with what an honest sender made.

    CheckInapplicable where the operation has none.
    """
    only_with_tags(trial, trial.operation.opening)
    return map(_equal, _calls(trial, session, length, trial.operation.opening))


def sealings(trial: OperationTrial, session: OperationSession, length: int) -> Iterator[Opening]:
    """Yield the calls that seal a message behind zeros which are part of its length."""
    pairs = trial.operation.seals if trial.operation.has_zeros else ()
    return _calls(trial, session, length, tuple(one.seal or "" for one in pairs))


def _calls(
    trial: OperationTrial, session: OperationSession, length: int, suffixes: tuple[str, ...]
) -> Iterator[Opening]:
    for batch in trial.computations(session, (length,)):
        session.agent.forget_buffers()
        yield from (Opening(one) for one in batch if trial.suffix(one) in suffixes)


def only_with_tags(trial: OperationTrial, suffixes: Sequence[object]) -> None:
    """Raise CheckInapplicable where nothing is opened, or tags are too short to judge."""
    if not suffixes:
        raise CheckInapplicable(f"{trial.subject.operation} refuses nothing")
    operation = trial.operation
    tag = operation.overhead or "BYTES"
    if trial.subject.constant(tag) in range(LEAST_TAG_BYTES) and not operation.has_zeros:
        raise CheckInapplicable(f"a tag of less than {LEAST_TAG_BYTES} bytes can be guessed")


def _equal(opening: Opening) -> Opening:
    """Return the opening; crypto_verify gets equal strings."""
    first, second = COMPARED
    if not {first, second} <= opening.routine.variables.keys():
        return opening
    return Opening(opening.routine.given(second, opening.value(first)))


def one_in_each_part(random: Random, first: int, end: int) -> list[int]:
    """Return a place in each part of some bytes; of a long message parts are longer."""
    part = PART if end - first < FROM else (end - first) // PARTS
    return [random.randrange(at, min(at + part, end)) for at in range(first, end, part)]


def overhead(trial: OperationTrial) -> int:
    """Return by how much what is sealed is longer than its message."""
    name = trial.operation.overhead
    return trial.subject.constant(name) if name else 0


def opened(arena: Arena, one: Opening, rubbish: int = FILLING) -> tuple[int, dict[str, bytes]]:
    """Perform a call; return its result, and all bytes of its outputs, refused or not."""
    pending = arena.begin(one.routine, rubbish)
    arena.session.settle()
    results = pending.results.of(one.routine.steps)[0] if pending.results else (0,)
    return results[0], {name: answer.data for name, answer in pending.outputs.items()}


CCA = "goal-indcca2"  # of primitives that promise security against chosen ciphertexts
RELATED = 4  # messages of which less than one bit in so many differs are no strangers


def promises_cca(trial: OperationTrial) -> bool:
    """Return whether the primitive declares security against chosen ciphertexts."""
    folder = trial.details.tree / trial.subject.operation / trial.subject.primitive
    return (folder / CCA).is_file()


def refuse_all(
    trial: OperationTrial,
    session: OperationSession,
    seconds: float,
    tried: Iterable[Opening],
    place: Placement = ordinary,
) -> str:
    """Fail if one of the attempts is accepted; return the remark on those left out."""
    attempts = tuple(tried)
    usual_seconds = _usual_seconds(session, attempts)
    budget, arena = trial.budget(seconds), Arena.alone(session, place)
    with session.waiting(usual_seconds):
        asked = [(one, arena.use(one.routine)) for one in budget.each(session, attempts)]
    accepted = [one for one, made in asked if made and made.of(one.routine.steps)[0] == (0,)]
    for one in sorted(accepted, key=lambda one: not _is_another(trial, one)):
        _accepted(trial, arena, one)
    return budget.remark("forgeries")


def _usual_seconds(session: OperationSession, attempts: tuple[Opening, ...]) -> float:
    """Return how long the call takes that the first attempt was made of, in ordinary buffers."""
    genuine = attempts[0].genuine if attempts else None
    if genuine is None:
        return 0.0
    began = time.monotonic()
    Arena.alone(session).outcome(genuine)
    return time.monotonic() - began


def _accepted(trial: OperationTrial, arena: Arena, one: Opening) -> None:
    """Raise what is to be said of an accepted forgery."""
    reason = f"{one.step.function} accepts {one.about}"
    evidence = f"{one.routine.name}\n{inputs(one.routine)}"
    excuse = _excuse(trial, arena, one)
    if not excuse:
        raise CheckFailed(reason, evidence)
    raise CheckFinding(f"{reason}, {excuse}", evidence)


def _excuse(trial: OperationTrial, arena: Arena, one: Opening) -> str:
    """Return why accepting a forgery need not be wrong; nothing if it is.

    SUPERCOP's own test accepts a changed signature that opens to the same message, but if nearly
    nothing of it is left, anything is accepted. Anybody can
    encrypt to a public key, so a changed ciphertext may open to a message of a stranger, but
    under chosen ciphertexts to none that has to do with the true one.
    """
    operation, primitive = trial.subject.operation, trial.subject.primitive
    if operation == Op.SIGN and primitive not in STRICT_SIGNATURES and one.genuine:
        if _is_another(trial, one):
            return ""
        same = arena.outcome(one.genuine) == arena.outcome(one.routine)
        same_text = "and opens it to the same message: not every scheme excludes that"
        return same_text if same else ""
    if operation != Op.ENCRYPT or one.genuine is None:
        return ""
    if not _related(arena.outcome(one.genuine), arena.outcome(one.routine)):
        return "and opens it to another message: not every scheme excludes that"
    return "" if promises_cca(trial) else f"and the package does not declare {CCA}"


def _is_another(trial: OperationTrial, one: Opening) -> bool:
    """Return whether what was changed is as much as a quarter of the bits of a signature."""
    if trial.subject.operation != Op.SIGN or one.genuine is None:
        return False
    (name,) = one.sealed
    genuine = Opening(one.genuine).value(name)
    changed = int.from_bytes(genuine, "little") ^ int.from_bytes(one.value(name), "little")
    same_size = len(genuine) == len(one.value(name))
    return same_size and changed.bit_count() * RELATED >= 8 * overhead(trial)


def _related(one: RoutineOutcome, other: RoutineOutcome) -> bool:
    """Return whether messages are equal, or differ in a few bits."""
    return all(_near(one.outputs[name], other.outputs[name]) for name in one.outputs)


def _near(one: bytes, other: bytes) -> bool:
    size = min(len(one), len(other))
    bits = int.from_bytes(one[:size], "little") ^ int.from_bytes(other[:size], "little")
    return bits.bit_count() * RELATED < 8 * size or not size


class Group(Struct, frozen=True):
    """A group, its order, and of how many bytes a number is that counts modulo that."""

    name: str
    order: int
    size: int


GROUPS = (
    Group("edwards25519", (1 << 252) + 27742317777372353535851937790883648493, 32),
    Group(
        "edwards448",
        (1 << 446) - 0x8335DC163BB124B65129C96FDE933D8D723A70AADC873D6D54A7BB0D,
        57,
    ),
)
"""Those whose numbers have bits to spare (RFC 8032, sections 5.1 and 5.2)."""


def often(trial: OperationTrial, opening: Opening) -> Iterator[Opening]:
    """Set the first bytes of a tag to zeros, beside many messages."""
    (name, *_), value = opening.sealed, opening.value(opening.sealed[0])
    read = [one for one in opening.routine.having(Role.MESSAGE) if opening.value(one)]
    text = SECOND if trial.subject.operation == Op.VERIFY else next(iter(read), "")
    first, tag = trial.subject.constant("BOXZEROBYTES"), max(overhead(trial), CHAINED)
    if trial.subject.operation == Op.ENCRYPT or (not text and len(value) < first + tag + FRESH):
        return  # anybody can encrypt
    for number in range(TRIES):
        at = 0 if text else (first, len(value) - tag)[number % 2]
        about = f"a tag that begins with zeros at byte {at} of {name}, beside one of many messages"
        if text:
            other = trial.bytes(FRESH) + opening.value(text)[FRESH:]
            opening = opening.given(text, other, "")
        yield opening.given(name, _zeros_at(value, at, b"" if text else trial.bytes(FRESH)), about)


def _zeros_at(value: bytes, at: int, fresh: bytes) -> bytes:
    """Return a value with zeros from a place on, and other bytes at its farther end."""
    size = min(CHAINED, len(value) - at)
    data = value[:at] + bytes(size) + value[at + size :]
    if 2 * at > len(value):
        return fresh + data[len(fresh) :]
    return data[: len(data) - len(fresh)] + fresh


def require_no_chain(trial: OperationTrial) -> None:
    """Make tags under one key; raise CheckFailed if they tell the tag of another message."""
    if trial.subject.operation != Op.AUTH:
        return  # one-time tags may be sums, and others have a nonce
    size = trial.subject.constant("BYTES")
    ((_, routine),) = trial.absorbing(((b"", trial.bytes(size)),))
    (name,) = (one for one in routine.having(Role.MESSAGE) if routine.variables[one].is_input)
    text = trial.bytes(size)
    with trial.session() as session:
        arena = Arena(session)
        tag = _tag(arena, routine, name, text)
        if _tag(arena, routine, name, text + added_up(text, tag)) == tag:
            _known(routine, f"{size} bytes behind which they and their tag are added up")
        first, second = ((trial.bytes(HALF), trial.bytes(HALF)) for _ in range(2))
        mixed = [_tag(arena, routine, name, a + b) for a, b in product(first, second)]
        if not any(all_added_up(mixed)):
            _known(routine, "a message with the halves of others")


def _tag(arena: Arena, routine: Routine, name: str, text: bytes) -> bytes:
    one = Opening(routine).given(name, text, "").routine
    return next(iter(arena.outcome(one).outputs.values()))


def _known(routine: Routine, what: str) -> None:
    raise CheckFailed(
        f"the tag of {what} follows from tags of {routine.steps[0].function}",
        f"{routine.name}\n{inputs(routine)}",
    )


def raised(trial: OperationTrial, opening: Opening, name: str) -> Iterator[Opening]:
    """Add an order to each number that a signature may have, at either end of what is signed."""
    length = overhead(trial)
    if trial.subject.operation != Op.SIGN or length > MOST_BYTES:
        return
    value = opening.value(name)
    for group in GROUPS:
        firsts = (0, group.size, length - 2 * group.size, length - group.size)
        behind = len(value) - length
        places = dict.fromkeys(at + more for more in (0, behind) for at in firsts if at >= 0)
        for at in places:
            number = int.from_bytes(value[at : at + group.size], "little") + group.order
            if number >> 8 * group.size == 0 and at + group.size <= len(value):
                data = number.to_bytes(group.size, "little")
                about = f"{name} with the order of {group.name} added to its bytes from {at} on"
                yield opening.given(name, value[:at] + data + value[at + group.size :], about)
