# SPDX-License-Identifier: MIT
"""Which sizes of keys, IVs and MACs are tested, and the uses of a cipher with them as routines.

The sizes follow the rules of the original framework.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import pairwise, product
from typing import TypeGuard

from assay.check.routine import Pieces, Routine, Splitter, Step, Variable
from assay.check.uses import MOST_COMPILED, MessageCalls, named, path_by, pieces_by
from assay.model import SizeChoice, StreamSubject, Subject
from assay.model.api import Role, Way
from assay.model.wire import StreamFunction, paths

AAD_BYTES = 24
MOST_SUBJECTS = 64  # of which sizes and ways are remembered
LARGEST_ALIGNMENT = 64
VERBS = ("encrypt", "decrypt")
KEYSTREAM = (StreamFunction.KEYSTREAM_BYTES, StreamFunction.KEYSTREAM_BLOCKS)
Draw = Callable[[int], bytes]


def _power_of_two(size: int) -> bool:
    return size > 0 and size & (size - 1) == 0


def _key_accepted(size: int) -> bool:
    return 64 <= size <= 256 and (_power_of_two(size) or size % 80 == 0)


def _iv_accepted(size: int) -> bool:
    return size <= 256 and ((size >= 32 and _power_of_two(size)) or size % 80 == 0)


def _mac_accepted(size: int) -> bool:
    return size <= 128 and size % 32 == 0


def mac_bytes(sizes: SizeChoice) -> int:
    """Return the length of a MAC."""
    return ((sizes.mac_bits or 0) + 7) // 8


def increasing(sizes: tuple[int, ...]) -> bool:
    """Return whether an enumeration increases strictly, as the API demands."""
    return all(a < b for a, b in pairwise(sizes))


def _accepted(sizes: tuple[int, ...], rule: Callable[[int], bool]) -> tuple[int, ...]:
    """Pick the accepted sizes; the first one if none is."""
    return tuple(filter(rule, sizes)) or sizes[:1]


@lru_cache(maxsize=MOST_SUBJECTS)
def accepted_sizes(subject: StreamSubject) -> tuple[SizeChoice, ...]:
    """Combine all accepted sizes: keys outermost, MACs innermost."""
    keys = _accepted(subject.key_bits, _key_accepted)
    ivs = _accepted(subject.iv_bits, _iv_accepted)
    macs: tuple[int | None, ...] = (None,)
    if subject.authenticates:
        macs = _accepted(subject.mac_bits, _mac_accepted)
    return tuple(SizeChoice(*sizes) for sizes in product(keys, ivs, macs))


def alike(other: Subject | None, one: StreamSubject) -> TypeGuard[StreamSubject]:
    """Return whether another is a cipher, too, with blocks, keys and IVs of the same sizes."""
    if not isinstance(other, StreamSubject) or one.block_bytes != other.block_bytes:
        return False
    return accepted_sizes(one)[-1] in accepted_sizes(other)


def _nearest(sizes: Iterable[int], target: int) -> int:
    """Pick the size nearest to the target; a tie keeps the smaller."""
    return min(sizes, key=lambda size: (abs(size - target), size))


def nearest_sizes(subject: StreamSubject, targets: Iterable[SizeChoice]) -> tuple[SizeChoice, ...]:
    """For each target the nearest enumerated sizes, without repetition."""
    chosen: dict[SizeChoice, None] = {}
    for target in targets:
        mac = None
        if subject.authenticates:
            mac = _nearest(subject.mac_bits, target.mac_bits or 0)
        key = _nearest(subject.key_bits, target.key_bits)
        chosen[SizeChoice(key, _nearest(subject.iv_bits, target.iv_bits), mac)] = None
    return tuple(chosen)


@dataclass(frozen=True, slots=True)
class CipherMessage:
    """Inputs that the code under test cannot know; `aad` is empty where it takes none.

    Routines for one length share their variables, which are made once.
    """

    subject: StreamSubject
    sizes: SizeChoice
    key: bytes
    iv: bytes
    aad: bytes
    text: bytes
    _made: dict[tuple[int, bool], dict[str, Variable]] = field(
        default_factory=dict, repr=False, compare=False, init=False
    )

    def by(self, name: str, length: int | None = None, data: int | None = None) -> Routine:
        """Return a way to process first bytes of message and data (all); room is for all."""
        length = len(self.text) if length is None else length
        data = len(self.aad) if data is None else data
        pieces = _pieces(self.subject.api, name, self.unit, length)
        title = f"{name} of {length} bytes ({self.sizes})"
        return self.cut(title, name, pieces, (data,) if data else ())

    @property
    def unit(self) -> int:
        """Return the bytes of a block."""
        return self.subject.block_bytes

    def beginning(self, name: str, length: int) -> Routine:
        """Return a way to process first bytes of the message, and room for them."""
        pieces = _pieces(self.subject.api, name, self.unit, length)
        title = f"{name} of {length} bytes ({self.sizes})"
        result = f"{name.partition('_')[0]} {length}"
        return self.cut(title, name, pieces, self._data, length, result=result)

    def in_pieces(self, verb: str, pieces: Pieces) -> Routine:
        """Return a way to process first bytes in calls of *_blocks, and one of *_bytes."""
        title = f"{verb}_blocks and _bytes of {sum(pieces)} bytes ({self.sizes})"
        title = title if pieces else f"no {verb}_bytes ({self.sizes})"
        return self.cut(title, f"{verb}_bytes", pieces, self._data, sum(pieces))

    @property
    def _data(self) -> Pieces:
        return (len(self.aad),) if self.aad else ()

    def cut(
        self, title: str, name: str, pieces: Pieces, data: Pieces, room: int | None = None, *,
        in_blocks: bool = False, result: str = "",
    ) -> Routine:  # fmt: skip
        """Return a use in which a function is given pieces of the message; `room` is for all.

        All pieces but the last are whole blocks, where the way has a function for those, and
        so are pieces of the data if it is authenticated `in_blocks`.
        """
        subject, room = self.subject, len(self.text) if room is None else room
        steps, used = _compiled(
            subject.api, name, self.unit, self.sizes, pieces, data, in_blocks,
            () if subject.authenticates else ("MAC",),
        )  # fmt: skip
        hides = not name.startswith("decrypt")
        if (room, hides) not in self._made:
            self._made[room, hides] = dict(self._variables(room, hides=hides))
        variables = self._made[room, hides]
        kept = {one: variable for one, variable in variables.items() if one in used}
        return Routine(title, kept, steps, result, setup=1)

    def _variables(self, length: int, *, hides: bool) -> Iterator[tuple[str, Variable]]:
        context = self.subject.context_bytes
        modulus = min(context & -context or 1, LARGEST_ALIGNMENT)
        yield "ctx", Variable(Role.STATE, Way.BOTH, context, modulus=modulus)
        idle, in_part = self._idle(self.key), self._in_part
        yield "key", _given(Role.KEY, self.key, secret=True, idle=idle, clamped=in_part)
        yield "IV", _given(Role.NONCE, self.iv, idle=self._idle(self.iv), clamped=self._in_part)
        yield "AAD", _given(Role.DATA, self.aad)
        yield "input", _given(Role.MESSAGE, self.text[:length], secret=hides)
        yield "output", Variable(Role.MESSAGE, Way.OUT, length)
        yield "MAC", Variable(Role.MAC, Way.OUT, mac_bytes(self.sizes))

    @property
    def _in_part(self) -> bool:
        """Return whether the last byte of a key or an IV is used in part."""
        sizes, used = self.sizes, self.subject.used_bits
        return any(one % 8 for one in (sizes.key_bits, sizes.iv_bits, used))

    def _idle(self, value: bytes) -> int:
        """Return how many last bytes do not matter, as the header says."""
        used = (self.subject.used_bits + 7) // 8 or len(value)
        return max(len(value) - used, 0)


@lru_cache(maxsize=MOST_COMPILED)
def _compiled(
    api: str, name: str, unit: int, sizes: SizeChoice, pieces: Pieces, data: Pieces,
    in_blocks: bool, absent: tuple[str, ...],
) -> tuple[tuple[Step, ...], frozenset[str]]:  # fmt: skip
    """Return the calls of a way, once for all messages of these lengths, and what they use."""
    key, iv, mac = sizes.bits()
    numbers = {"keybits": key, "IVbits": iv, "MACbits": mac}
    path = path_by(api, StreamFunction[name.upper()])
    steps = MessageCalls(
        path, pieces, unit, numbers, data, in_blocks=in_blocks, absent=absent
    ).steps()
    return steps, named(steps)


@lru_cache(maxsize=MOST_COMPILED)
def _pieces(api: str, name: str, unit: int, length: int) -> Pieces:
    function = StreamFunction[name.upper()]
    return pieces_by(path_by(api, function), function, unit, length)


def _given(
    role: Role, value: bytes, *, secret: bool = False, idle: int = 0, clamped: bool = False
) -> Variable:
    return Variable(
        role, Way.IN, len(value), value, secret=secret, matters=True, idle=idle, clamped=clamped
    )


def fresh_message(
    draw: Draw, subject: StreamSubject, sizes: SizeChoice, length: int, data: int = AAD_BYTES
) -> CipherMessage:
    """Draw a random message; it has data if the cipher takes some."""
    aad = data if "supports-aad" in subject.flags else 0
    key, iv = draw((sizes.key_bits + 7) // 8), draw((sizes.iv_bits + 7) // 8)
    return CipherMessage(subject, sizes, key, iv, draw(aad), draw(length))


@lru_cache(maxsize=MOST_SUBJECTS)
def ways_of(subject: StreamSubject) -> tuple[str, ...]:
    """Name the functions that a message can be given to, keystream last."""
    offered = [
        one
        for one in paths(subject.api)
        if all(
            part.function.takes(Role.DATA) or part.function.name.lower() in subject.functions
            for part in one
        )
    ]
    found = {part.function for one in offered for part in one if part.function.takes(Role.MESSAGE)}
    return tuple(
        one.name.lower() for one in sorted(found, key=lambda one: (one in KEYSTREAM, one))
    )


def in_all_ways(message: CipherMessage, lengths: tuple[int, ...]) -> Iterator[Routine]:
    """Yield the ways to process beginnings of a message, those for one length together."""
    ways = ways_of(message.subject)
    return (message.beginning(name, length) for length in lengths for name in ways)


def splitters(message: CipherMessage) -> Iterator[Splitter]:
    """Yield the message, to be encrypted and to be decrypted in pieces of whole blocks."""
    for verb in VERBS:
        whole = partial(message.beginning, f"{verb}_packet")
        cut = partial(message.in_pieces, verb)
        yield Splitter(len(message.text), message.unit, whole, cut)
