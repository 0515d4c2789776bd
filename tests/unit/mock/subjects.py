# SPDX-License-Identifier: MIT
"""Agents in Python of the other kinds: a hash, and an operation that performs scripts."""

import hashlib
import struct
from dataclasses import dataclass, field

from tests.unit.mock.agent import Agent, Faulted, Refused, text

from assay.check.operation.script import CONSTANT, ScriptStep
from assay.execute.protocol import NO_BUFFER, NOTHING, PayloadReader
from assay.model.wire import HashFunction

MOST_BYTES = 1 << 14  # of a message that a context holds
CONTEXT = struct.Struct(f"<II{MOST_BYTES}s")  # bits of the digest, bytes so far, and these
TAG_BYTES, BLOCK_BYTES = 16, 32
AEAD = (("KEYBYTES", 16), ("NSECBYTES", 0), ("NPUBBYTES", 8), ("ABYTES", 16), ("NOOVERLAP", 1))
WORD = (1 << 64) - 1


@dataclass
class HashAgent(Agent):
    """SHA-256 in SHAKE's clothes: a context keeps the whole message."""

    def _describe(self, *_: object) -> bytes:
        head = b"".join(map(text, ("hash", "compact-hash", self.program.name)))
        return head + struct.pack("<II", CONTEXT.size, 4)

    def _call(self, reader: PayloadReader, _: bytes) -> bytes | None:
        function, pointers, numbers = (reader.number(1) for _ in range(3))
        places = [(reader.number(1), reader.number(4)) for _ in range(pointers)]
        values = [reader.number(4) for _ in range(numbers)]
        self.ticks += self.program.call_ticks
        if function == NOTHING:
            return None
        if function == HashFunction.REFUSED:
            return bytes(4)
        if function not in {HashFunction.INIT, HashFunction.UPDATE, HashFunction.CLOSE}:
            raise Refused
        if function == HashFunction.INIT:
            self._put(*places[0], CONTEXT.pack(values[0], 0, b""))
            return None
        bits, done, held = CONTEXT.unpack(self._get(*places[0], CONTEXT.size))
        if function == HashFunction.CLOSE:
            last, count = values
            rest = bytes([count, last & 0xFF00 >> count & 0xFF])
            digest = hashlib.shake_256(held[:done] + rest + bytes([bits // 8])).digest(bits // 8)
            self._put(*places[1], self.program.tampers(digest))
        elif values[0]:
            if done + values[0] > MOST_BYTES:
                raise Faulted
            data = held[:done] + self._get(*places[1], values[0])
            self._put(*places[0], CONTEXT.pack(bits, len(data), data))
            self.ticks += values[0] * self.program.byte_ticks
        return None


@dataclass
class SealingAgent(Agent):
    """The operation `crypto_aead`: a stream of SHA-256, and its tag."""

    registers: list[int] = field(default_factory=lambda: [0] * 16)
    random: tuple[bytes, int] = (bytes(32), 0)

    def _describe(self, *_: object) -> bytes:
        head = b"".join(map(text, ("operation", "crypto_aead", self.program.name, "mock")))
        constants = b"".join(text(name) + struct.pack("<Q", value) for name, value in AEAD)
        functions = text("_encrypt") + text("_decrypt") + text(None)
        return head + constants + text(None) + functions + struct.pack("<IB", 0, 0)

    def _script(self, reader: PayloadReader, _: bytes) -> bytes:
        answer = bytearray()
        while not reader.done:
            answer += self._step(ScriptStep(reader.number(1)), reader)
        return bytes(answer)

    def _step(self, step: ScriptStep, reader: PayloadReader) -> bytes:
        if step is ScriptStep.CALL:
            return self._perform(reader).to_bytes(8, "little", signed=True)
        if step is ScriptStep.GIVE:
            return self._amount(reader).to_bytes(8, "little")
        if step is ScriptStep.READ:
            return self._get(*self._place(reader), self._amount(reader))
        if step is ScriptStep.LOG:
            return bytes(4)
        if step is ScriptStep.SEED:
            reader.bytes(32)
        elif step is ScriptStep.STACK:
            reader.bytes(5)
        elif step is ScriptStep.SET:
            register = reader.number(1)
            self.registers[register] = reader.number(8)
        else:
            self._move(step, reader)
        return b""

    def _move(self, step: ScriptStep, reader: PayloadReader) -> None:
        to = self._place(reader)
        if step is ScriptStep.WRITE:
            self._put(*to, reader.bytes(reader.number(4)))
        elif step is ScriptStep.COPY:
            source = self._place(reader)
            self._put(*to, self._get(*source, self._amount(reader)))
        elif step is ScriptStep.FILL:
            length = self._amount(reader)
            self._put(*to, reader.bytes(1) * length)
        elif step is ScriptStep.ADD:
            at, modulus, value = reader.number(8), self._amount(reader), reader.number(1)
            if modulus:
                place = (to[0], to[1] + at % modulus)
                self._put(*place, bytes([(self._get(*place, 1)[0] + value) & 0xFF]))
        else:
            raise Refused

    @staticmethod
    def _place(reader: PayloadReader) -> tuple[int, int]:
        return reader.number(1), reader.number(4)

    def _amount(self, reader: PayloadReader) -> int:
        first = reader.number(1)
        return reader.number(8) if first == CONSTANT else self.registers[first]

    def _perform(self, reader: PayloadReader) -> int:
        opens, to, register = reader.number(1), self._place(reader), 0
        register = reader.number(1)
        if opens:
            self._place(reader)
        source, length = self._place(reader), self._amount(reader)
        data, beside = self._place(reader), self._amount(reader)
        if not opens:
            self._place(reader)
        nonce, key = self._got(self._place(reader), 8), self._got(self._place(reader), 16)
        text_, ad = self._got(source, length), self._got(data, beside)
        self.ticks += self.program.call_ticks + length * self.program.byte_ticks
        if not opens:
            sealed = masked(key, nonce, text_)
            sealed += tag(key, nonce, ad, sealed)
            self._put(*to, self.program.tampers(sealed))
            self.registers[register] = len(sealed)
            return 0
        body, given = text_[:-TAG_BYTES], text_[-TAG_BYTES:]
        if length < TAG_BYTES or tag(key, nonce, ad, body) != given:
            return -1
        self._put(*to, masked(key, nonce, body))
        self.registers[register] = len(body)
        return 0

    def _got(self, place: tuple[int, int], length: int) -> bytes:
        return b"" if place[0] == NO_BUFFER and not length else self._get(*place, length)


def masked(key: bytes, nonce: bytes, data: bytes) -> bytes:
    """Add the stream of a key and a nonce to bytes."""
    stream = hashlib.shake_256(key + nonce).digest(len(data))
    both = int.from_bytes(data, "little") ^ int.from_bytes(stream, "little")
    return both.to_bytes(len(data), "little")


def tag(key: bytes, nonce: bytes, ad: bytes, body: bytes) -> bytes:
    """Authenticate associated data and what is sealed."""
    parts = (key, nonce, len(ad).to_bytes(8, "little"), ad, body)
    return hashlib.sha256(b"".join(parts)).digest()[:TAG_BYTES]
