# SPDX-License-Identifier: MIT
"""Asking a package: buffers by name, calls with the random bytes they shall get.

It gets its random bytes from NIST's generator behind the KATs of post-quantum submissions.

The generator is CTR_DRBG with AES-256 (NIST SP 800-90A, section 10.2.1), without derivation
function, reseeding, personalisation and additional input; every call of `randombytes` is one
request (section 10.2.1.5.1), so what comes depends on the lengths of the calls before. AES is the
`cryptography` package's.

So the calls are made with any random bytes first, and their requests noted; then again with what
the generator gives to such requests, until the requests are those expected. Each round settles
at least one more of them.

Packages change: two requests for 32 bytes, when the file was made, may be one for 64 now.
So there are other ways to cut the generator's output, each tried where those before do not
give the known answer. All of them give the package bytes of this generator only: to equal
a known answer by chance is out of the question.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from assay.check.answers.records import KnownAnswer, Mismatch, Result
from assay.check.operation.script import Argument, Script
from assay.check.operation.session import OperationSession
from assay.check.routine import added_up
from assay.execute.places import Buffer, Register
from assay.execute.protocol import PayloadReader

LENGTH = Register(0)  # where calls write the length of their output
ALIGNMENT = 64  # as in timing; other checks place buffers elsewhere
SLACK_BYTES = 64  # who reads behind the end is found elsewhere, and not only at some lengths
FILLER = 0xA5  # an output that is not written does not have the last call's bytes
MOST_LOGGED = 4096
KEYS = ("public", "secret")
Call = tuple[str, Sequence[Argument]]

KEY_BYTES = 32
BLOCK_BYTES = 16
SEED_BYTES = KEY_BYTES + BLOCK_BYTES


class Unfit(Exception):
    """The package cannot be asked this; the text is the reason, and is counted."""


class Unfollowed(Unfit):
    """The package's requests for random bytes are too many, or change too often, to be met."""


class Called(Struct, frozen=True):
    """What came of a call: its value, and the length it wrote (0 if none)."""

    result: int
    length: int


class CallResults(Struct, frozen=True):
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
        self.session = session
        self._agent = session.agent
        self._agent.forget_buffers()
        self._buffers: dict[str, Buffer] = {}
        self.requests: tuple[tuple[int, ...], ...] = ()
        self.plain_signatures: bool | None = None

    def constant(self, name: str) -> int:
        """Return a constant of api.h."""
        return self.session.subject.constant(name)

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
            script.call(self.session.number(suffix), arguments)
            script.give(LENGTH)
            script.log()
        reader = PayloadReader(self.session.run(script))
        done, requests, total = [], [], 0
        for _ in calls:
            done.append(Called(reader.number(8, signed=True), reader.number(8)))
            before, total = total, reader.number(4)
            so_far = [reader.number(4) for _ in range(min(total, MOST_LOGGED))]
            requests.append(tuple(so_far[before:]))
        return CallResults(tuple(done), tuple(requests), total <= MOST_LOGGED)

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
    return Mismatch(f"{what} returned {called.result}, not 0") if called.result else None


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


class CtrDrbg:
    """The generator, begun with 48 bytes."""

    def __init__(self, entropy: bytes) -> None:
        """Instantiate; ValueError unless there are 48 bytes."""
        if len(entropy) != SEED_BYTES:
            raise ValueError(f"{len(entropy)} bytes of entropy, not {SEED_BYTES}")
        self._take(bytes(SEED_BYTES))
        self._take(added_up(self._blocks(SEED_BYTES // BLOCK_BYTES), entropy))

    def generate(self, length: int) -> bytes:
        """Answer one request for so many bytes."""
        count = -(-length // BLOCK_BYTES)
        blocks = self._blocks(count + SEED_BYTES // BLOCK_BYTES)
        self._take(blocks[count * BLOCK_BYTES :])
        return blocks[:length]

    def _take(self, state: bytes) -> None:
        self._key, self._counter = state[:KEY_BYTES], int.from_bytes(state[KEY_BYTES:], "big")

    def _blocks(self, count: int) -> bytes:
        """Encrypt the next `count` values of the counter; what is taken replaces it then."""
        from cryptography.hazmat.primitives.ciphers import (  # noqa: PLC0415 - only KATs need it
            Cipher,
            algorithms,
            modes,
        )

        first = (self._counter + 1) % (1 << 8 * BLOCK_BYTES)
        mode = modes.CTR(first.to_bytes(BLOCK_BYTES, "big"))
        return (
            Cipher(algorithms.AES(self._key), mode).encryptor().update(bytes(count * BLOCK_BYTES))
        )


def stream(entropy: bytes, lengths: tuple[int, ...]) -> bytes:
    """Return what calls of `randombytes` for these lengths return, joined."""
    generator = CtrDrbg(entropy)
    return b"".join(generator.generate(length) for length in lengths)


ROUNDS = 64
MOST_SUPPLIED = 65536  # the agent keeps no more
PIECE = 32

Requests = tuple[tuple[int, ...], ...]  # of each call, in order
Cut = Callable[[Requests], tuple[int, ...]]
Supply = Callable[[tuple[int, ...]], bytes]
"""What a generator that was seeded gives for requests of such lengths, joined."""


def as_asked(requests: Requests) -> tuple[int, ...]:
    """Cut as the package asks, which is NIST's way."""
    return tuple(length for call in requests for length in call)


def in_pieces(requests: Requests) -> tuple[int, ...]:
    """Cut long requests into pieces of 32 bytes."""
    pieces: list[int] = []
    for length in as_asked(requests):
        pieces += [PIECE] * (length // PIECE)
        pieces += [length % PIECE] if length % PIECE else []
    return tuple(pieces)


def call_by_call(requests: Requests) -> tuple[int, ...]:
    """Join the requests of each call to one."""
    return tuple(sum(call) for call in requests if call)


CUTS: tuple[Cut, ...] = (as_asked, in_pieces, call_by_call)


def settled(asked: AskedPackage, supply: Supply, cut: Cut, *calls: Call) -> CallResults:
    """Make the calls with the generator's bytes; Unfollowed if that does not settle."""
    requests = asked.requests
    for _ in range(ROUNDS):
        run = asked.calls(*calls, random=supply(cut(requests)))
        if not run.followed or run.drawn > MOST_SUPPLIED:
            raise Unfollowed("more requests for random bytes than can be followed")
        if run.requests == requests:
            return run
        asked.requests = requests = run.requests
    raise Unfollowed(f"requests for random bytes that change in each of {ROUNDS} rounds")
