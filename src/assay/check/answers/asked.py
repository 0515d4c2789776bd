# SPDX-License-Identifier: MIT
"""Asking a package: buffers by name, calls with the random bytes they shall get."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.check.answers.records import KnownAnswer, Mismatch, Result
from assay.check.operation.script import Argument, Script
from assay.check.operation.session import OperationSession
from assay.execute.places import Buffer, Register
from assay.execute.protocol import PayloadReader

LENGTH = Register(0)  # where calls write the length of their output
ALIGNMENT = 64  # as in timing; other checks place buffers elsewhere
SLACK_BYTES = 64  # who reads behind the end is found elsewhere, and not only at some lengths
FILLER = 0xA5  # an output that is not written does not have the last call's bytes
MOST_LOGGED = 4096
KEYS = ("public", "secret")
Call = tuple[str, Sequence[Argument]]


class Unfit(Exception):
    """The package cannot be asked this; the text is the reason, and is counted."""


class Unfollowed(Unfit):
    """The package's requests for random bytes are too many, or change too often, to be met."""


@dataclass(frozen=True, slots=True)
class Called:
    """What came of a call: its value, and the length it wrote (0 if none)."""

    result: int
    length: int


@dataclass(frozen=True, slots=True)
class CallResults:
    """What came of some calls.

    `requests` are the lengths for which each asked `randombytes`; `followed` is whether
    all of them are known.
    """

    calls: tuple[Called, ...]
    requests: tuple[tuple[int, ...], ...]
    followed: bool

    @property
    def drawn(self) -> int:
        """How many random bytes were asked for."""
        return sum(map(sum, self.requests))

    @property
    def first(self) -> Called:
        """What came of the first call."""
        return self.calls[0]


class AskedPackage:
    """A package that is asked one answer after another."""

    def __init__(self, session: OperationSession) -> None:
        """Take over all buffers of the session's agent."""
        self._session = session
        self._agent = session.agent
        self._agent.forget_buffers()
        self._buffers: dict[str, Buffer] = {}
        self.requests: tuple[tuple[int, ...], ...] = ()
        self.plain_signatures: bool | None = None

    def constant(self, name: str) -> int:
        """Return a constant of api.h."""
        return self._session.subject.constant(name)

    def fits(self, what: str, value: bytes, constant: str) -> None:
        """Raise Unfit unless a value has the package's size."""
        size = self.constant(constant)
        if len(value) != size:
            raise Unfit(f"a {what} of {len(value)} bytes: the package has {size}")

    def given(self, answer: KnownAnswer, name: str, constant: str) -> Buffer:
        """Return a buffer with a value of an answer; Unfit unless it has the package's size."""
        what = f"{name} key" if name in KEYS else name
        self.fits(what, answer.value(name), constant)
        return self.put(name, answer.value(name))

    def room(self, label: str, size: int) -> Buffer:
        """Return a buffer for an output of at most `size` bytes, filled with one value."""
        buffer = self._buffer(label, size)
        self._agent.fill(buffer, FILLER, size)
        return buffer

    def put(self, label: str, data: bytes) -> Buffer:
        """Return a buffer that begins with these bytes; those behind are not the last input's."""
        buffer = self._buffer(label, len(data))
        self._agent.write(buffer, data + bytes([FILLER]) * SLACK_BYTES)
        return buffer

    def buffer(self, label: str) -> Buffer:
        """Return a buffer as it is."""
        return self._buffers[label]

    def get(self, label: str, length: int) -> bytes:
        """Read a buffer, as much of `length` as it has."""
        buffer = self._buffers[label]
        return self._agent.read(buffer, min(length, buffer.size_bytes))

    def call(self, suffix: str, *arguments: Argument, random: bytes = b"") -> CallResults:
        """Call one function; `randombytes` gives `random` first."""
        return self.calls((suffix, arguments), random=random)

    def calls(self, *calls: Call, random: bytes = b"") -> CallResults:
        """Call functions one after another, with one stream of random bytes."""
        script = Script()
        script.seed()
        if random:
            script.supply(random)
        for suffix, arguments in calls:
            script.set(LENGTH, 0)
            script.call(self._session.number(suffix), arguments)
            script.give(LENGTH)
            script.log()
        reader = PayloadReader(self.run(script))
        done, requests, total = [], [], 0
        for _ in calls:
            done.append(Called(reader.number(8, signed=True), reader.number(8)))
            before, total = total, reader.number(4)
            so_far = [reader.number(4) for _ in range(min(total, MOST_LOGGED))]
            requests.append(tuple(so_far[before:]))
        return CallResults(tuple(done), tuple(requests), total <= MOST_LOGGED)

    def run(self, script: Script) -> bytes:
        """Perform a script."""
        return self._session.run(script)

    def number(self, suffix: str) -> int:
        """Return the number of a function, for a script."""
        return self._session.number(suffix)

    def _buffer(self, label: str, size: int) -> Buffer:
        """Return the buffer of a name; a larger one where it is too small."""
        known = self._buffers.get(label)
        if known is not None and known.size_bytes >= size + SLACK_BYTES:
            return known
        number = known.number if known else len(self._buffers)
        room = 1 << (size + SLACK_BYTES - 1).bit_length()
        made = self._agent.buffer(label, room, modulus=ALIGNMENT, number=number)
        self._buffers[label] = made
        return made


def compared(*values: tuple[str, bytes, bytes]) -> Mismatch | None:
    """Return the first difference of: what, expected, got."""
    return next((Mismatch(*one) for one in values if one[1] != one[2]), None)


def succeeded(what: str, called: Called) -> Mismatch | None:
    """Return a difference unless the call returned 0."""
    if called.result == 0:
        return None
    return Mismatch(f"{what} returned {called.result}, not 0")


def refusal(answer: KnownAnswer, what: str, called: Called) -> tuple[bool, Mismatch | None]:
    """Return whether the answer is settled by whether the call refused, and how.

    Settled: the input is invalid, or may be refused and was, or was refused wrongly.
    """
    refused = called.result != 0
    if answer.result is Result.INVALID:
        said = f"{what} accepted an invalid input (it returned 0)"
        return True, None if refused else Mismatch(said)
    if refused and answer.result is Result.ACCEPTABLE:
        return True, None
    return refused, succeeded(what, called)
