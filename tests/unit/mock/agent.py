# SPDX-License-Identifier: MIT
"""An agent in Python: a stream cipher behind the wire, with buffers and a clock of its own.

It answers the requests of docs/reference/protocol.md that the kind `stream` needs. Its clock
advances by what requests are said to cost and by nothing else, so every figure is known.
"""

import hashlib
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from assay.execute.protocol import NOTHING, PROTOCOL_VERSION, PayloadReader, Request, Status
from assay.model.wire import StreamFunction

KEY_BYTES, IV_BYTES, BLOCK_BYTES = 16, 8, 32
CONTEXT = struct.Struct(f"<{KEY_BYTES}s{IV_BYTES}sQ")  # key, IV, blocks done
STREAM_BYTES, AGILITY_BYTES, FIRST_BYTES = 4096, 256, 64
AUDITS = {5: (2, 1), 6: (3, 2), 7: (3, 1)}  # of setups: calls, and texts among them
MARGIN = bytes([0xA5]) * 16
NS_A_SECOND = 1_000_000_000
FAULT = struct.Struct("<BQBq")
SEGMENTATION_FAULT, ELSEWHERE = 11, 0xFF
OPERATION_CYCLES = 1.0  # of every loop of known cost
PLAIN = [one for one in StreamFunction if one <= StreamFunction.DECRYPT_PACKET]
SEED_BYTES = 8
CHOSEN_AT = 22  # of the setup of a timing: behind sizes, seed, agility and their number


Handler = Callable[[PayloadReader, bytes], bytes | None]


class Refused(Exception):
    """A request that the agent does not know."""


class Faulted(Exception):
    """A call that touched what is no buffer."""


@dataclass
class Program:
    """The cipher, and what each test costs in ticks of 1 ns: a call, and a byte.

    `tampers` may change the output of a call; `stops` makes the agent end before it answers.
    """

    name: str = "toy"
    call_ticks: int = 500
    byte_ticks: int = 10
    tampers: Callable[[bytes], bytes] = lambda data: data
    stops: bool = False


@dataclass
class Agent:
    """One process of a program."""

    program: Program
    ticks: int = 1_000_000
    buffers: dict[int, bytearray] = field(default_factory=dict)
    setup: tuple[bytes, bytes] = (b"", b"")
    chosen: tuple[int, ...] = ()
    timed: tuple[int, int] = (0, 0)

    def answer(self, code: int, payload: bytes) -> tuple[int, bytes]:
        """Answer a request: status and payload."""
        handler: Handler | None = getattr(self, f"_{Request(code).name.lower()}", None)
        try:
            if handler is None:
                raise Refused
            return Status.OK, handler(PayloadReader(payload), payload) or b""
        except Refused:
            return Status.BAD_REQUEST, b""
        except Faulted:
            return Status.FAULT, FAULT.pack(SEGMENTATION_FAULT, 0, ELSEWHERE, 0)

    def _hello(self, *_: object) -> bytes:
        greeting = struct.pack("<HBBBIII", PROTOCOL_VERSION, 64, 1, 1, 4096, 1 << 20, 48 << 10)
        return greeting + text("mock")

    def _describe(self, *_: object) -> bytes:
        functions = sum(1 << one for one in PLAIN)
        head = b"".join(map(text, ("stream", "ecrypt-sync", self.program.name))) + text(None)
        head += struct.pack("<6I", CONTEXT.size, BLOCK_BYTES, STREAM_BYTES, 1, functions, 0)
        sizes = (8 * KEY_BYTES, 1, 8 * KEY_BYTES, 8 * IV_BYTES, 1, 8 * IV_BYTES, 0, 0)
        return head + struct.pack("<8I", *sizes)

    # ------------------------------------------------------------ buffers

    def _buffer(self, reader: PayloadReader, _: bytes) -> None:
        number = reader.number(1)
        self.buffers[number] = bytearray(reader.number(4))

    def _write(self, reader: PayloadReader, payload: bytes) -> None:
        self._put(reader.number(1), reader.number(4), payload[5:])

    def _read(self, reader: PayloadReader, _: bytes) -> bytes:
        return self._get(reader.number(1), reader.number(4), reader.number(4))

    def _fill(self, reader: PayloadReader, _: bytes) -> None:
        number, offset, length = reader.number(1), reader.number(4), reader.number(4)
        self._put(number, offset, reader.bytes(1) * length)

    def _copy(self, reader: PayloadReader, _: bytes) -> None:
        to, source, length = reader.number(1), reader.number(1), reader.number(4)
        self._put(to, 0, self._get(source, 0, length))

    def _canaries(self, *_: object) -> bytes:
        return struct.pack("<Ii", 0, 0)

    def _mark(self, *_: object) -> bytes:
        return struct.pack("<BI", 0, 0)

    def _get(self, number: int, offset: int, length: int) -> bytes:
        found = self.buffers.get(number, b"")[offset : offset + length]
        if len(found) != length:
            raise Faulted
        return bytes(found)

    def _put(self, number: int, offset: int, data: bytes) -> None:
        self._get(number, offset, len(data))
        if data:  # nothing may go to no buffer
            self.buffers[number][offset : offset + len(data)] = data

    # ------------------------------------------------------------ calls

    def _call(self, reader: PayloadReader, _: bytes) -> bytes | None:
        function, pointers, numbers = (reader.number(1) for _ in range(3))
        places = [(reader.number(1), reader.number(4)) for _ in range(pointers)]
        values = [reader.number(4) for _ in range(numbers)]
        if function in {NOTHING, StreamFunction.INIT}:
            return None
        if function not in PLAIN:
            raise Refused
        name = StreamFunction(function).name.lower()
        if "packet" in name:
            self._packet(places, values)
        elif "setup" in name:
            self._set_up(name, places)
        else:
            self._crypt(name, places, values[0])
        self.ticks += self._price(name, values)
        return None

    def _set_up(self, name: str, places: list[tuple[int, int]]) -> None:
        (ctx, source), whole = places, CONTEXT.size
        key, _, _ = CONTEXT.unpack(self._get(*ctx, whole))
        iv = bytes(IV_BYTES)
        if name == "keysetup":
            key = self._get(*source, KEY_BYTES)
        else:
            iv = self._get(*source, IV_BYTES)
        self._put(*ctx, CONTEXT.pack(key, iv, 0))

    def _crypt(self, name: str, places: list[tuple[int, int]], amount: int) -> None:
        length = amount * (BLOCK_BYTES if name.endswith("blocks") else 1)
        key, iv, done = CONTEXT.unpack(self._get(*places[0], CONTEXT.size))
        self._get(*places[-1], length)
        data = bytes(length) if name.startswith("keystream") else self._get(*places[1], length)
        out = self.program.tampers(crypt(key, iv, data, done))
        self._put(*places[-1], out)
        done += -(-length // BLOCK_BYTES)
        self._put(*places[0], CONTEXT.pack(key, iv, done))

    def _packet(self, places: list[tuple[int, int]], values: list[int]) -> None:
        ctx, iv, _, source, to, _ = places
        key, _, _ = CONTEXT.unpack(self._get(*ctx, CONTEXT.size))
        nonce, data = self._get(*iv, IV_BYTES), self._get(*source, values[1])
        self._put(*to, self.program.tampers(crypt(key, nonce, data)))
        self._put(*ctx, CONTEXT.pack(key, nonce, -(-values[1] // BLOCK_BYTES)))

    # ------------------------------------------------------------ the clock

    def _counters(self, *_: object) -> bytes:
        return text("fake") + struct.pack("<BBQQQ", 1, 1, 1, NS_A_SECOND, NS_A_SECOND)

    def _select(self, *_: object) -> None:
        """There is one counter."""

    def _clock(self, *_: object) -> bytes:
        self.ticks += 100
        return struct.pack("<4Q", self.ticks, self.ticks, 0, 0)

    def _loop(self, reader: PayloadReader, _: bytes) -> bytes:
        reader.number(1)
        operations = reader.number(4) * 1000
        ticks = round(operations * OPERATION_CYCLES)
        self.ticks += ticks
        return struct.pack("<QI", ticks, round(OPERATION_CYCLES)) + text("loop")

    def _timing_setup(self, _: PayloadReader, payload: bytes) -> None:
        seed = hashlib.sha256(payload).digest()
        if len(payload) == SEED_BYTES:
            self.setup = self.setup[0], seed[-IV_BYTES:]
            return
        self.setup = seed[:KEY_BYTES], seed[-IV_BYTES:]
        self.chosen = struct.unpack_from(f"<{payload[CHOSEN_AT - 1]}I", payload, CHOSEN_AT)

    def _calibrate(self, reader: PayloadReader, _: bytes) -> bytes:
        test, length = reader.number(1), reader.number(4)
        window = reader.number(8)
        calls = max(1, window // self._cost(test, length))
        return struct.pack("<IIQ", 1, calls, calls * self._cost(test, length))

    def _time(self, reader: PayloadReader, _: bytes) -> bytes:
        test, length = reader.number(1), reader.number(4)
        keys, calls, samples, loops = (reader.number(size) for size in (4, 4, 4, 1))
        batch = keys * calls * self._cost(test, length)
        asked = [(reader.number(1), 1000 * reader.number(4)) for _ in range(loops)]
        series = [batch, *(round(one * OPERATION_CYCLES) for _, one in asked)] * (samples + 1)
        self.ticks += sum(series)
        answer = struct.pack(f"<{len(series)}Q", *series)
        self.timed = test, length
        return answer

    def _repeat(self, _: PayloadReader, payload: bytes) -> bytes:
        """Tell what the series came to that was timed, or is asked for: the chosen call."""
        if payload:
            end = CHOSEN_AT + 4 * payload[CHOSEN_AT - 1]
            self._timing_setup(_, payload[:end])
            self._timing_setup(_, payload[end : end + SEED_BYTES])
            self.timed = struct.unpack_from("<BI", payload, end + SEED_BYTES)
        test, length = self.timed
        sizes = (STREAM_BYTES, length, *(AGILITY_BYTES,) * 3, *(FIRST_BYTES,) * 3)
        size = sizes[test]
        used = {0: self.chosen[0] * STREAM_BYTES, 4: AGILITY_BYTES}.get(test, 0)
        before = used // BLOCK_BYTES
        out = self.program.tampers(crypt(*self.setup, bytes(size), before))
        parts = (*self.setup, bytes(size), out, b"")
        return b"".join(struct.pack("<I", len(one)) + one for one in parts)

    def _price(self, name: str, values: list[int]) -> int:
        """Return what a call costs outside of timed batches."""
        amount = 0 if "setup" in name else values[-1]
        size = amount * (BLOCK_BYTES if name.endswith("blocks") else 1)
        return self.program.call_ticks + size * self.program.byte_ticks

    def _cost(self, test: int, length: int) -> int:
        calls, texts = AUDITS.get(test, (1, 0))
        size = {0: STREAM_BYTES, 1: length, 4: AGILITY_BYTES}.get(test, texts * FIRST_BYTES)
        return calls * self.program.call_ticks + size * self.program.byte_ticks


def crypt(key: bytes, iv: bytes, data: bytes, blocks_before: int = 0) -> bytes:
    """Encrypt or decrypt from a block on: SHA-256 of key, IV and counter is the keystream."""
    count = -(-len(data) // BLOCK_BYTES)
    stream = b"".join(keystream(key, iv, blocks_before, count))[: len(data)]
    both = int.from_bytes(data, "little") ^ int.from_bytes(stream, "little")
    return both.to_bytes(len(data), "little")


def keystream(key: bytes, iv: bytes, first: int, count: int) -> Iterator[bytes]:
    """Yield so many blocks."""
    begun = hashlib.sha256(key + iv)
    for number in range(first, first + count):
        block = begun.copy()
        block.update(number.to_bytes(8, "little"))
        yield block.digest()


def text(said: str | None) -> bytes:
    """Spell a text of the protocol."""
    if said is None:
        return b"\xff\xff"
    return struct.pack("<H", len(said)) + said.encode()
