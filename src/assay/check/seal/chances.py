# SPDX-License-Identifier: MIT
"""Forgeries for those who try often, who know other tags, or who add the order of a group.

A tag that is compared as a string is right as soon as both begin with a zero byte, which is so
for one message in 256. In a chain of blocks the tag is what the next block is added to: added
twice it is gone, and the tag of a longer message is known. Where a tag is a sum in which each part
has its share, those of three messages tell that of a fourth.

A number of a signature counts modulo the order of a group. Where it may be any number of its
bytes there is a second signature of each message, which anybody can compute.
"""

from collections.abc import Iterator
from itertools import product

from msgspec import Struct

from assay.check.arena import Arena
from assay.check.check import CheckFailed
from assay.check.evidence import inputs
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, added_up, all_added_up
from assay.check.seal.openings import Opening, overhead
from assay.model.api import Role
from assay.model.operation import Op

OFTEN = 0.4  # seconds
TRIES = 800  # one in 256 is missed by so many 4 times in a hundred
PART = 16
HALF = 512  # of a message: whole blocks
FRESH = 8  # bytes that are others in each try
SECOND = "y"  # of crypto_verify
MOST_BYTES = 256  # of a signature of numbers: those of lattices and hashes are longer


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
    first, tag = trial.subject.constant("BOXZEROBYTES"), max(overhead(trial), PART)
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
    size = min(PART, len(value) - at)
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
