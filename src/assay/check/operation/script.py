# SPDX-License-Identifier: MIT
"""Scripts: many steps for an agent in one request, straight on, with registers.

An agent of the kind `operation` performs thousands of calls per request, and gives back
bytes, never opinions. A script is independent of what it computes: the same script for
every implementation of a primitive, so that what an honest one answers is the same
string of bytes, too. docs/reference/protocol.md describes the steps.

A script is divided into requests that an agent has room for. Registers, buffers and randomness
stay from one request to the next, so it may end after any step. Boards take 512 bytes at once,
and their answers are as short.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum

from msgspec import Struct

from assay.execute.places import Buffer, BufferPlace, Register, pointer
from assay.model.api import Way
from assay.model.operations import OPERATIONS

WORD = 8
REGISTERS = 16
CONSTANT = 0xFF  # a number that follows, instead of a register's
HOLLOW = 0x80  # added to a function's number: arguments are taken, and nothing is called
ZEROS = Buffer(0xFD, 0, "zeros")  # what the step of that name has mapped, to be read
STATE = Buffer(0xFE, 0, "static memory")  # all that the package may write and that stays


class ScriptStep(IntEnum):
    """What a script can do."""

    WRITE = 1
    READ = 2
    COPY = 3
    FILL = 4
    ADD = 5
    CALL = 6
    GIVE = 7
    SECRET = 8
    PUBLIC = 9
    SEED = 10
    RANDOM = 11
    STACK = 12
    SET = 13
    SUPPLY = 14
    LOG = 15
    ZEROS = 16
    BESIDE = 17
    FAIL = 18
    DRAW = 19
    EQUAL = 20
    WATCH = 21
    WATCHED = 22


class GeneratorFault(IntEnum):
    """How `randombytes` can fail (harness/agent/operation.h)."""

    STAYS_AWAY = 1
    ZEROS = 2
    REPEATS = 3


Number = int | Register
Where = Buffer | BufferPlace
Argument = Where | Number | None


class Script:
    """Builds the bytes of a script; every method appends one step.

    `answer_bytes` is how long the answer will be where all lengths are constants.
    """

    def __init__(
        self, payload: bytes | bytearray = b"", count: int = 0, answer_bytes: int = 0
    ) -> None:
        """Begin with no step, or with about `count` that were made before."""
        self._steps = bytearray(payload)
        self.count = count
        self.answer_bytes = answer_bytes

    @property
    def payload(self) -> bytes:
        """The bytes of the request."""
        return bytes(self._steps)

    def write(self, to: Where, data: bytes) -> None:
        """Put bytes into a buffer."""
        self._add(ScriptStep.WRITE, pointer(to), len(data).to_bytes(4, "little"), data)

    def read(self, source: Where, length: Number) -> None:
        """Answer the bytes at a place."""
        self._add(ScriptStep.READ, pointer(source), _number(length))
        self.answer_bytes += length if isinstance(length, int) else 0

    def copy(self, to: Where, source: Where, length: Number) -> None:
        """Copy bytes; the places may overlap."""
        self._add(ScriptStep.COPY, pointer(to), pointer(source), _number(length))

    def fill(self, to: Where, length: Number, value: int = 0) -> None:
        """Fill bytes with one value."""
        self._add(ScriptStep.FILL, pointer(to), _number(length), bytes([value]))

    def add(self, to: Where, position: int, modulus: Number, value: int) -> None:
        """Add to the byte at `position % modulus`; nothing happens if the modulus is 0."""
        at = position.to_bytes(8, "little")
        self._add(ScriptStep.ADD, pointer(to), at, _number(modulus), bytes([value & 0xFF]))

    def call(self, function: int, arguments: Sequence[Argument]) -> None:
        """Call a function by its number, and answer what it returned (i64; 0 if nothing).

        Arguments in the order of the prototype: places (None is a null pointer), numbers,
        and a register where the function writes a length.
        """
        self._add(ScriptStep.CALL, bytes([function]), *_arguments(arguments))
        self.answer_bytes += 8

    def beside(self, function: int, arguments: Sequence[Argument]) -> None:
        """Let a thread repeat a call while the steps that follow are performed."""
        self._add(ScriptStep.BESIDE, bytes([function]), *_arguments(arguments))

    def fail(self, how: GeneratorFault, first: int) -> None:
        """Let `randombytes` fail from its call number `first` (0: the next) to the next seed."""
        self._add(ScriptStep.FAIL, bytes([how]), first.to_bytes(4, "little"))

    def set(self, register: Register, value: int) -> None:
        """Set a register."""
        self._add(ScriptStep.SET, bytes([register.number]), value.to_bytes(8, "little"))

    def give(self, number: Number) -> None:
        """Answer a number (u64)."""
        self._add(ScriptStep.GIVE, _number(number))
        self.answer_bytes += 8

    def secret(self, place: Where, length: Number) -> None:
        """Declare bytes secret: under valgrind nothing may depend on them in time."""
        self._add(ScriptStep.SECRET, pointer(place), _number(length))

    def public(self, place: Where, length: Number) -> None:
        """Declare bytes public again."""
        self._add(ScriptStep.PUBLIC, pointer(place), _number(length))

    def seed(self, key: bytes = bytes(32)) -> None:
        """Begin the stream of `randombytes` anew (32 bytes; zeros as in SUPERCOP's tests)."""
        self._add(ScriptStep.SEED, key)

    def supply(self, data: bytes) -> None:
        """Let `randombytes` give these bytes first, and the seeded stream after them."""
        self._add(ScriptStep.SUPPLY, len(data).to_bytes(4, "little"), data)

    def random(self) -> None:
        """Answer how often (u64) `randombytes` was called so far, and for how many bytes (u64)."""
        self._add(ScriptStep.RANDOM)
        self.answer_bytes += 16

    def log(self) -> None:
        """Answer how often `randombytes` was called since the seed (u32), and the lengths (u32).

        Of more than 4096 calls the first 4096 lengths come.
        """
        self._add(ScriptStep.LOG)
        self.answer_bytes += 4

    def stack(self, length: int, value: int) -> None:
        """Fill so many bytes of the unused stack below the agent with one value."""
        self._add(ScriptStep.STACK, length.to_bytes(4, "little"), bytes([value]))

    def zeros(self, length: int) -> None:
        """Map so many bytes of zeros at `ZEROS`, instead of those before."""
        self._add(ScriptStep.ZEROS, length.to_bytes(8, "little"))

    def draw(self, place: Where, length: Number) -> None:
        """Fill bytes from the stream of `randombytes`."""
        self._add(ScriptStep.DRAW, pointer(place), _number(length))

    def equal(self, one: Where, other: Where, length: Number) -> None:
        """Answer 1 (u64) if so many bytes are the same at both places, else 0."""
        self._add(ScriptStep.EQUAL, pointer(one), pointer(other), _number(length))
        self.answer_bytes += 8

    def watch(self, buffer: Where, expected: Where, length: Number) -> None:
        """Count writes to a buffer, and its first bytes that ever are as expected."""
        self._add(ScriptStep.WATCH, pointer(buffer), pointer(expected), _number(length))

    def watched(self) -> None:
        """End that; answer the writes (u64), and the most bytes that were as expected (u64)."""
        self._add(ScriptStep.WATCHED)
        self.answer_bytes += 16

    def times(self, count: int, steps: "Script") -> None:
        """Do the steps of another script so many times."""
        self._steps += steps.payload * count
        self.count += steps.count * count
        self.answer_bytes += steps.answer_bytes * count

    def filled(self, numbers: Mapping[int, int]) -> "Script":
        """Return the steps with other numbers of 64 bits, which stand nowhere else in them."""
        made = Script(self._steps, self.count)
        for old, new in numbers.items():
            made._steps = made._steps.replace(
                old.to_bytes(WORD, "little"), new.to_bytes(WORD, "little")
            )
        return made

    def _add(self, step: ScriptStep, *parts: bytes) -> None:
        self._steps.append(step)
        for part in parts:
            self._steps += part
        self.count += 1


def _arguments(arguments: Sequence[Argument]) -> Iterator[bytes]:
    for argument in arguments:
        number = isinstance(argument, (int, Register))
        yield _number(argument) if number else pointer(argument)  # type: ignore[arg-type]


def _number(value: Number | None) -> bytes:
    if isinstance(value, Register):
        return bytes([value.number])
    return bytes([CONSTANT]) + (value or 0).to_bytes(8, "little")


POINTER = 5
LENGTHS = {Way.LENGTH, Way.LENGTH_OUT}
# What follows the code of a step: p a place, n a number, and plain bytes.
FORMS: dict[int, tuple[str, int]] = {
    ScriptStep.READ: ("pn", 0),
    ScriptStep.COPY: ("ppn", 0),
    ScriptStep.FILL: ("pn", 1),
    ScriptStep.GIVE: ("n", 0),
    ScriptStep.SECRET: ("pn", 0),
    ScriptStep.PUBLIC: ("pn", 0),
    ScriptStep.SEED: ("", 32),
    ScriptStep.RANDOM: ("", 0),
    ScriptStep.STACK: ("", 5),
    ScriptStep.SET: ("", 9),
    ScriptStep.LOG: ("", 0),
    ScriptStep.ZEROS: ("", 8),
    ScriptStep.FAIL: ("", 5),
    ScriptStep.DRAW: ("pn", 0),
    ScriptStep.EQUAL: ("ppn", 0),
    ScriptStep.WATCH: ("ppn", 0),
    ScriptStep.WATCHED: ("", 0),
}
ANSWERS = {ScriptStep.CALL: WORD, ScriptStep.GIVE: WORD, ScriptStep.RANDOM: 2 * WORD,
           ScriptStep.EQUAL: WORD, ScriptStep.WATCHED: 2 * WORD}  # fmt: skip
BOUND = {ScriptStep.STACK, ScriptStep.BESIDE}  # belongs to the steps behind it
WRITE_BYTES = 1 + POINTER + 4  # of a WRITE before the data
HEADROOM = 32  # what is said of a fault, and of a step


class SplitStep(Struct, frozen=True):
    """A step as it is sent, and how many bytes it answers (None: that is not known before)."""

    payload: bytes
    answer_bytes: int | None = 0


def ways_of(operation: str, functions: Sequence[str]) -> tuple[tuple[Way, ...], ...]:
    """Return the parameters of an agent's functions, which are named by their suffixes."""
    row = OPERATIONS[operation]
    every = {one.suffix: one for one in (*row.functions, *row.optional, *row.related)}
    return tuple(tuple(p.way for p in every[one].parameters) for one in functions)


def split(payload: bytes, ways: Sequence[Sequence[Way]], room: int) -> list[bytes]:
    """Return the script in parts, each with requests and answers of at most `room` bytes.

    A step whose answer has a length that the agent alone knows stands alone.
    """
    parts, answer, bound = [b""], 0, False
    for step in _fitting(_steps_of(payload, ways), room):
        more = room if step.answer_bytes is None else step.answer_bytes
        full = len(parts[-1]) + len(step.payload) > room or answer + more > room - HEADROOM
        if full and parts[-1] and not bound:
            parts.append(b"")
            answer = 0
        parts[-1] += step.payload
        answer += more
        bound = step.payload[0] in BOUND
    return parts


def _fitting(steps: Iterator[SplitStep], room: int) -> Iterator[SplitStep]:
    """Yield the steps; one that writes or reads more than there is room for becomes several."""
    most = room - WRITE_BYTES - HEADROOM
    for step in steps:
        code, data = step.payload[0], step.payload[WRITE_BYTES:]
        if code == ScriptStep.WRITE and len(data) > most:
            for at in range(0, len(data), most):
                part = data[at : at + most]
                place = _moved(step.payload, at)
                yield SplitStep(place + len(part).to_bytes(4, "little") + part)
        elif code == ScriptStep.READ and (step.answer_bytes or 0) > most:
            length = step.answer_bytes or 0
            for at in range(0, length, most):
                size = min(most, length - at)
                yield SplitStep(_moved(step.payload, at) + _number(size), size)
        else:
            yield step


def _moved(payload: bytes, by: int) -> bytes:
    """Return the code and the place of a step, so many bytes further on."""
    offset = int.from_bytes(payload[2:6], "little") + by
    return payload[:2] + offset.to_bytes(4, "little")


def _steps_of(payload: bytes, ways: Sequence[Sequence[Way]]) -> Iterator[SplitStep]:
    at = 0
    while at < len(payload):
        end = _end(payload, at, ways)
        yield SplitStep(payload[at:end], _answer(payload[at:end]))
        at = end


def _answer(step: bytes) -> int | None:
    code = step[0]
    if code == ScriptStep.READ:
        known = step[1 + POINTER] == CONSTANT
        return int.from_bytes(step[2 + POINTER :], "little") if known else None
    return None if code == ScriptStep.LOG else ANSWERS.get(ScriptStep(code), 0)


def _end(payload: bytes, at: int, ways: Sequence[Sequence[Way]]) -> int:
    """Return where the step ends that begins at `at`."""
    code, at = payload[at], at + 1
    if code in (ScriptStep.CALL, ScriptStep.BESIDE):
        parameters, at = ways[payload[at] & ~HOLLOW], at + 1
        for way in parameters:
            at = _number_end(payload, at) if way in LENGTHS else at + POINTER
        return at
    if code in (ScriptStep.WRITE, ScriptStep.SUPPLY):
        at += POINTER if code == ScriptStep.WRITE else 0
        return at + 4 + int.from_bytes(payload[at : at + 4], "little")
    if code == ScriptStep.ADD:
        return _number_end(payload, at + POINTER + WORD) + 1
    form, plain = FORMS[code]
    for one in form:
        at = at + POINTER if one == "p" else _number_end(payload, at)
    return at + plain


def _number_end(payload: bytes, at: int) -> int:
    """Return where a number ends: a constant, or a register's."""
    return at + (1 + WORD if payload[at] == CONSTANT else 1)
