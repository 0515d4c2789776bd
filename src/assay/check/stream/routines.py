# SPDX-License-Identifier: MIT
"""The uses of a stream cipher: messages in all ways that its API has."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from assay.check.routine import Routine, Step, Variable, recorded, symbol
from assay.check.splitting import Pieces, Splitter
from assay.check.stream.session import DECRYPT, ENCRYPT, StreamSession
from assay.check.stream.sizes import mac_bytes
from assay.check.stream.ways import (
    CRYPT_WAYS,
    KEYSTREAM_WAYS,
    ProcessingWay,
    begin,
    shift,
    ways_of,
)
from assay.execute.agent import Buffer, BufferPlace
from assay.model import SizeChoice, StreamSubject
from assay.model.api import Role, Way

AAD_BYTES = 24
LARGEST_ALIGNMENT = 64
VERBS = {ENCRYPT: "encrypt", DECRYPT: "decrypt"}
WAYS = {way.name: way for way in (*CRYPT_WAYS, *KEYSTREAM_WAYS)}
INIT = 1  # the first step of every recording, which a session has done already
Draw = Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class Symbols:
    """Stand for the arguments of a message, whose variables have these names."""

    ctx: Buffer
    key: Buffer
    iv: Buffer
    aad: Buffer
    source: Buffer
    to: Buffer
    mac: Buffer


LAID = Symbols(*map(symbol, ("ctx", "key", "IV", "AAD", "input", "output", "MAC")))


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
    _made: dict[tuple[int, int, bool], dict[str, Variable]] = field(
        default_factory=dict, repr=False, compare=False, init=False
    )

    def by(self, name: str, length: int | None = None, data: int | None = None) -> Routine:
        """Return a way to process first bytes of message and data (all); room is for all."""
        length = len(self.text) if length is None else length
        data, way = len(self.aad) if data is None else data, WAYS[name]
        what = f"{name} of {length} bytes ({self.sizes})"
        return self.using(what, lambda session: way.run(session, LAID, length, data), way.action)

    def using(self, name: str, use: Callable[[StreamSession], None], action: int) -> Routine:
        """Return a use of the message, in any calls that follow the one that loads the key."""
        return self.routine(name, len(self.text), use, action=action)

    def calls(self, use: Callable[[StreamSession], None]) -> tuple[Step, ...]:
        """Return the calls of a use of what stands for the variables."""
        return recorded(lambda agent: use(StreamSession(agent, self.subject)))[INIT:]

    def routine(self, name: str, length: int, way: Callable[[StreamSession], None], *,
                action: int, reads: bool = True, result: str = "") -> Routine:  # fmt: skip
        """Return the use of the first bytes of the message under its key."""

        def use(session: StreamSession) -> None:
            session.keysetup(LAID.ctx, LAID.key, self.sizes)
            way(session)

        steps = self.calls(use)
        used = {name for step in steps for name in _named(step)}
        variables = self._made.get((length, action, reads))
        if variables is None:
            variables = dict(self._variables(length, action=action, reads=reads))
            self._made[length, action, reads] = variables
        kept = {name: one for name, one in variables.items() if name in used}
        return Routine(name, kept, steps, result, setup=1)

    def _variables(
        self, length: int, *, action: int, reads: bool
    ) -> Iterator[tuple[str, Variable]]:
        context = self.subject.context_bytes
        modulus = min(context & -context or 1, LARGEST_ALIGNMENT)
        yield "ctx", Variable(Role.STATE, Way.BOTH, context, modulus=modulus)
        yield "key", _given(Role.KEY, self.key, secret=True, idle=self._idle(self.key))
        yield "IV", _given(Role.NONCE, self.iv, idle=self._idle(self.iv))
        if self.aad:
            yield "AAD", _given(Role.DATA, self.aad)
        if reads:
            yield "input", _given(Role.MESSAGE, self.text[:length], secret=action == ENCRYPT)
        yield "output", Variable(Role.MESSAGE, Way.OUT, length)
        yield "MAC", Variable(Role.MAC, Way.OUT, mac_bytes(self.sizes))

    def _idle(self, value: bytes) -> int:
        """Return how many last bytes do not matter, as the header says."""
        used = (self.subject.used_bits + 7) // 8 or len(value)
        return max(len(value) - used, 0)


def _given(role: Role, value: bytes, *, secret: bool = False, idle: int = 0) -> Variable:
    return Variable(role, Way.IN, len(value), value, secret=secret, matters=True, idle=idle)


def _named(step: Step) -> Iterator[str]:
    for argument in step.arguments:
        if isinstance(argument, Buffer):
            yield argument.label
        elif isinstance(argument, BufferPlace):
            yield argument.buffer.label


def fresh_message(
    draw: Draw, subject: StreamSubject, sizes: SizeChoice, length: int, data: int = AAD_BYTES
) -> CipherMessage:
    """Draw a random message; it has data if the cipher takes some."""
    aad = data if "supports-aad" in subject.flags else 0
    key, iv = draw((sizes.key_bits + 7) // 8), draw((sizes.iv_bits + 7) // 8)
    return CipherMessage(subject, sizes, key, iv, draw(aad), draw(length))


def in_all_ways(message: CipherMessage, lengths: tuple[int, ...]) -> Iterator[Routine]:
    """Yield the ways to process beginnings of a message, those for one length together."""
    for length in lengths:
        for way in ways_of(message.subject):
            yield _in_one_way(message, way, length)


def _in_one_way(message: CipherMessage, way: ProcessingWay, length: int) -> Routine:
    def use(session: StreamSession) -> None:
        way.run(session, LAID, length, len(message.aad))

    name = f"{way.name} of {length} bytes ({message.sizes})"
    result = f"{VERBS[way.action]} {length}" if way.reads else f"keystream {length}"
    return message.routine(name, length, use, action=way.action, reads=way.reads, result=result)


def splitters(message: CipherMessage) -> Iterator[Splitter]:
    """Yield the message, to be encrypted and to be decrypted in pieces of whole blocks."""
    length, unit = len(message.text), message.subject.block_bytes
    for action in (ENCRYPT, DECRYPT):
        packet = WAYS[f"{VERBS[action]}_packet"]

        def whole(length: int, way: ProcessingWay = packet) -> Routine:
            return _in_one_way(message, way, length)

        def cut(pieces: Pieces, action: int = action) -> Routine:
            return _in_pieces(message, action, pieces)

        yield Splitter(length, unit, whole, cut)


def _in_pieces(message: CipherMessage, action: int, pieces: Pieces) -> Routine:
    block = message.subject.block_bytes

    def use(session: StreamSession) -> None:
        begin(session, LAID, len(message.aad))
        at = 0
        for number, length in enumerate(pieces, 1):
            source, to = shift(LAID.source, at), shift(LAID.to, at)
            if number < len(pieces):
                session.crypt_blocks(action, LAID.ctx, source, to, length // block)
            else:
                session.crypt_bytes(action, LAID.ctx, source, to, length)
            at += length
        session.finalize(LAID.ctx, LAID.mac)

    name = f"{VERBS[action]}_blocks and _bytes of {sum(pieces)} bytes ({message.sizes})"
    return message.routine(name, sum(pieces), use, action=action)
