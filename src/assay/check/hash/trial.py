# SPDX-License-Identifier: MIT
"""What a check of the kind `hash` gets to work with."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial

from msgspec import Struct, field

from assay.check.answers.vector_text import Vector, read_family
from assay.check.check import Check, CheckFailed, CheckFinding, CheckSkipped, Origin
from assay.check.hash.sizes import HashBuffers, found_sizes, supported_sizes
from assay.check.routine import Pieces, Routine, Splitter, Step, Variable, sparse
from assay.check.session import HashSession
from assay.check.trial import Absorbed, BaseTrial, Batch
from assay.check.uses import MOST_COMPILED, MessageCalls, called, path_by
from assay.errors import VectorFormatError
from assay.execute.agent import Agent
from assay.model import HashSubject
from assay.model.api import Api, Promise, Role, Way
from assay.model.apis import PACKAGED
from assay.model.wire import HashFunction

EXERCISED_BYTES, OUT_BITS = 261, 256
ONE_CALL, WORD = "Hash", 0xFFFF_FFFF


def unless(promise: Promise) -> Callable[["HashTrial"], str]:
    """Return what excuses code whose API does not promise something."""

    def excuse(trial: HashTrial) -> str:
        if promise in trial.api.promises:
            return ""
        return f"the API {trial.api.name} does not promise that {promise}"

    return excuse


def wrong_digest(session: HashSession, reason: str, evidence: str) -> CheckFailed:
    """Return what to raise for a digest that differs: a finding if a call was refused.

    Whoever calls the functions then knows that the digest is none.
    """
    if not session.refused():
        return CheckFailed(reason, evidence)
    return CheckFinding(f"a function refuses its call, so {reason}", evidence)


class HashedMessage(Struct, frozen=True):
    """A message that the code under test cannot know, and the size of its digest in bits.

    `from_nowhere` says whether calls without data may be given a null pointer.
    """

    subject: HashSubject
    out_bits: int
    text: bytes
    from_nowhere: bool = False

    def in_one_piece(self, length: int) -> Routine:
        """Return the hash of the first bytes with one call of update."""
        name = f"init, update and close of {length} bytes ({self.out_bits})"
        return self._routine(name, (length,), from_nowhere=False)

    def in_pieces(self, pieces: Pieces) -> Routine:
        """Return the hash of the first bytes with a call of update for every piece."""
        name = f"init, {len(pieces)} x update and close of {sum(pieces)} bytes ({self.out_bits})"
        return self._routine(name, pieces, from_nowhere=self.from_nowhere)

    def in_one_call(self, length: int) -> Routine:
        """Return the hash of the first bytes by the function for whole messages."""
        numbers = {"bits": self.out_bits, "low": 8 * length & WORD, "high": 8 * length >> 32}
        steps = (called(HashFunction.WHOLE, numbers),)
        name = f"{ONE_CALL} of {length} bytes ({self.out_bits})"
        return Routine(name, self._buffers(length), steps, str(length))

    def _routine(self, name: str, pieces: Pieces, *, from_nowhere: bool) -> Routine:
        steps = _compiled(self.subject.api, self.out_bits, pieces, from_nowhere=from_nowhere)
        context, align = self.subject.context_bytes, self.subject.context_alignment
        state = Variable(Role.STATE, Way.BOTH, context, modulus=align)
        length = sum(pieces)
        return Routine(name, {"ctx": state, **self._buffers(length)}, steps, str(length))

    def _buffers(self, length: int) -> dict[str, Variable]:
        text = self.text[:length]
        return {
            "data": Variable(Role.MESSAGE, Way.IN, length, text, secret=True, matters=True),
            "digest": Variable(Role.DIGEST, Way.OUT, self.out_bits // 8),
        }


@lru_cache(maxsize=MOST_COMPILED)
def _compiled(api: str, out_bits: int, pieces: Pieces, *, from_nowhere: bool) -> tuple[Step, ...]:
    """Return the calls for a message in pieces, once for all messages of these lengths."""
    numbers = {"bits": out_bits, "last": 0, "count": 0}
    path = path_by(api, HashFunction.UPDATE)
    return MessageCalls(path, pieces, 1, numbers, from_nowhere=from_nowhere).steps()


class HashTrial(BaseTrial[HashSubject, HashSession]):
    """A built hash on trial; see BaseTrial.

    The sizes of the output are those that the header states, or those that the package's own
    verified vectors have, or else those for which the code writes what a digest may be.
    """

    _sizes: tuple[int, ...] | None = field(default=None)

    def converse(self, agent: Agent) -> HashSession:
        """Open a session with an agent."""
        return HashSession(agent, self.subject)

    @property
    def vectors(self) -> tuple[Vector, ...]:
        """Return the verified vectors; none if the package has no file.

        Of those that Assay comes with, they are the ones of the package's sizes.
        """
        if self.package.vectors is None:
            return ()
        try:
            known = read_family(self.package.vectors)
        except (VectorFormatError, OSError):
            if self.package.vectors.is_file() and not self.package.reference:
                raise
            return ()  # the file was moved since the package was loaded
        if not self.package.reference:
            return known
        return tuple(one for one in known if one.out_bits in self.sizes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the output sizes in bits that are tested; CheckSkipped if there are none."""
        if self._sizes is None:
            self._sizes = self.stated_sizes or self._found_sizes()
        if not self._sizes:
            raise CheckSkipped("the code supports no output size that could be found out")
        return self._sizes

    def _found_sizes(self) -> tuple[int, ...]:
        if self.api.sizes:
            return supported_sizes(self.session, self.api.sizes)
        return found_sizes(self.session, self.random)

    @property
    def api(self) -> Api:
        """Return what the table says of the package's API."""
        return PACKAGED[self.package.api]

    @property
    def refuses_bits(self) -> bool:
        """Return whether the code says that messages must be whole bytes."""
        with self.desk(1, self.sizes[-1]) as desk:
            desk.session.refused()
            desk.digest(b"\0", 0x80, 1)
            return desk.session.refused()

    @property
    def stated_sizes(self) -> tuple[int, ...]:
        """Return the sizes that the package states; none if they have to be found out."""
        own = self.package.vectors and not self.package.reference
        known = {one.out_bits for one in self.vectors} if own else set()
        return self.package.sizes or tuple(sorted(known))

    @property
    def few_sizes(self) -> tuple[int, ...]:
        """Return a few of the sizes that are tested."""
        return self.few_of(self.sizes)

    def name_of(self, number: int) -> str:
        """Name a function."""
        return HashFunction(number).name.lower()

    def excuse(self, promise: Promise) -> str:
        """Return what excuses code whose API does not promise something."""
        return unless(promise)(self)

    def uses(self, lengths: tuple[int, ...], *, wide: bool = False) -> Iterator[Batch]:
        """Yield a batch for each size of the digest; the last has all lengths."""
        lengths = self.asked(lengths)
        for message in self._messages(lengths[-1], wide=wide and not self.stretch):
            last = message.out_bits == self.sizes[-1]
            chosen = lengths if last else sparse(lengths)
            in_pieces = tuple(message.in_one_piece(length) for length in chosen)
            in_one = map(message.in_one_call, chosen if self.api.has(ONE_CALL) else ())
            yield (*in_pieces, *in_one)

    def absorbing(self, texts: Sequence[Absorbed]) -> Iterator[tuple[Absorbed, Routine]]:
        """Yield the hashes of the messages, with the longest digest."""
        for data, text in texts:
            if not data:
                message = HashedMessage(self.subject, self.sizes[-1], text)
                yield (data, text), message.in_one_piece(len(text))

    def splitters(self, length: int) -> Iterator[Splitter]:
        """Yield a message for a few sizes of the digest."""
        for message in self._messages(length):
            yield Splitter(length, 1, message.in_one_piece, message.in_pieces)

    def _messages(self, length: int, *, wide: bool = False) -> Iterator[HashedMessage]:
        nowhere = Promise.EMPTY in self.api.promises
        for size in self.asked_of(self.sizes if wide else self.few_sizes):
            yield HashedMessage(self.subject, size, self.bytes(length), nowhere)

    @contextmanager
    def desk(self, longest: int, out_bits: int) -> Iterator[HashBuffers]:
        """Lend a session with a context, room for a message of `longest` bytes and a digest."""
        with self.session() as session:
            desk = HashBuffers.of(session, longest, out_bits)
            session.refused()
            yield desk


def exercise(agent: Agent, subject: HashSubject, out_bits: int = OUT_BITS) -> None:
    """Hash a message whose address, length and digest are odd; the context is as the type asks."""
    session = HashSession(agent, subject)
    ctx = session.context(residue=1)
    data = agent.buffer("data", EXERCISED_BYTES, modulus=16, residue=1)
    to = agent.buffer("digest", out_bits // 8, modulus=16, residue=3)
    session.call(HashFunction.INIT, ctx, out_bits)
    session.call(HashFunction.UPDATE, ctx, data, EXERCISED_BYTES)
    session.call(HashFunction.CLOSE, ctx, to, 0, 0)
    agent.flush()


paper_rule = partial(Check[HashTrial], origin=Origin.PAPER)
"""Makes the check of a rule of the Shabal paper."""
