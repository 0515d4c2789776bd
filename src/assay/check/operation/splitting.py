# SPDX-License-Identifier: MIT
"""Divides a script into requests that an agent has room for.

Registers, buffers and randomness stay from one request to the next, so a script may end after
any step. Boards take 512 bytes at once, and their answers are as short.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.check.operation.script import CONSTANT, HOLLOW, ScriptStep
from assay.model.api import Way
from assay.model.operations import OPERATIONS

POINTER, WORD = 5, 8
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


@dataclass(frozen=True, slots=True)
class _Step:
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
    for step in _fitting(_steps(payload, ways), room):
        more = room if step.answer_bytes is None else step.answer_bytes
        full = len(parts[-1]) + len(step.payload) > room or answer + more > room - HEADROOM
        if full and parts[-1] and not bound:
            parts.append(b"")
            answer = 0
        parts[-1] += step.payload
        answer += more
        bound = step.payload[0] in BOUND
    return parts


def _fitting(steps: Iterator[_Step], room: int) -> Iterator[_Step]:
    """Yield the steps; one that writes or reads more than there is room for becomes several."""
    most = room - WRITE_BYTES - HEADROOM
    for step in steps:
        code, data = step.payload[0], step.payload[WRITE_BYTES:]
        if code == ScriptStep.WRITE and len(data) > most:
            for at in range(0, len(data), most):
                yield _write(step.payload, at, data[at : at + most])
        elif code == ScriptStep.READ and (step.answer_bytes or 0) > most:
            length = step.answer_bytes or 0
            for at in range(0, length, most):
                yield _read(step.payload, at, min(most, length - at))
        else:
            yield step


def _moved(payload: bytes, by: int) -> bytes:
    """Return the code and the place of a step, so many bytes further on."""
    offset = int.from_bytes(payload[2:6], "little") + by
    return payload[:2] + offset.to_bytes(4, "little")


def _write(payload: bytes, at: int, data: bytes) -> _Step:
    return _Step(_moved(payload, at) + len(data).to_bytes(4, "little") + data)


def _read(payload: bytes, at: int, length: int) -> _Step:
    number = bytes([CONSTANT]) + length.to_bytes(WORD, "little")
    return _Step(_moved(payload, at) + number, length)


def _steps(payload: bytes, ways: Sequence[Sequence[Way]]) -> Iterator[_Step]:
    at = 0
    while at < len(payload):
        end = _end(payload, at, ways)
        yield _Step(payload[at:end], _answer(payload[at:end]))
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
            at = _number(payload, at) if way in LENGTHS else at + POINTER
        return at
    if code in (ScriptStep.WRITE, ScriptStep.SUPPLY):
        at += POINTER if code == ScriptStep.WRITE else 0
        return at + 4 + int.from_bytes(payload[at : at + 4], "little")
    if code == ScriptStep.ADD:
        return _number(payload, at + POINTER + WORD) + 1
    form, plain = FORMS[code]
    for one in form:
        at = at + POINTER if one == "p" else _number(payload, at)
    return at + plain


def _number(payload: bytes, at: int) -> int:
    """Return where a number ends: a constant, or a register's."""
    return at + (1 + WORD if payload[at] == CONSTANT else 1)
