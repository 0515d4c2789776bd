# SPDX-License-Identifier: MIT
"""The uses of a hash: messages in one piece and in many."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.check.hash.session import HashSession
from assay.check.routine import Routine, Variable, recorded, symbol
from assay.check.splitting import Pieces, Splitter
from assay.execute.agent import Agent
from assay.model import HashSubject
from assay.model.api import Role, Way

CTX, DATA, DIGEST = symbol("ctx"), symbol("data"), symbol("digest")


@dataclass(frozen=True, slots=True)
class HashedMessage:
    """A message that the code under test cannot know, and the size of its digest in bits.

    `from_nowhere` says whether calls without data may be given a null pointer.
    """

    subject: HashSubject
    out_bits: int
    text: bytes
    from_nowhere: bool = False

    def in_one_piece(self, length: int) -> Routine:
        """Return the hash of the first bytes with one call of update."""
        return self._routine(
            f"init, update and close of {length} bytes ({self.out_bits})",
            length,
            lambda session: session.update(CTX, DATA, length),
        )

    def in_pieces(self, pieces: Pieces) -> Routine:
        """Return the hash of the first bytes with a call of update for every piece."""

        def use(session: HashSession) -> None:
            at = 0
            for length in pieces:
                nowhere = self.from_nowhere and not length
                session.update(CTX, None if nowhere else DATA.at(at), length)
                at += length

        name = f"init, {len(pieces)} x update and close of {sum(pieces)} bytes ({self.out_bits})"
        return self._routine(name, sum(pieces), use)

    def _routine(self, name: str, length: int, use: Callable[[HashSession], None]) -> Routine:
        def whole(agent: Agent) -> None:
            session = HashSession(agent, self.subject)
            session.init(CTX, self.out_bits)
            use(session)
            session.close(CTX, DIGEST)

        text = self.text[:length]
        variables = {
            "ctx": Variable(
                Role.STATE, Way.BOTH, self.subject.context_bytes,
                modulus=self.subject.context_alignment,
            ),
            "data": Variable(Role.MESSAGE, Way.IN, length, text, secret=True, matters=True),
            "digest": Variable(Role.DIGEST, Way.OUT, self.out_bits // 8),
        }  # fmt: skip
        return Routine(name, variables, recorded(whole))

    def splitter(self) -> Splitter:
        """Return the message, to be split anywhere."""
        return Splitter(len(self.text), 1, self.in_one_piece, self.in_pieces)


def of_lengths(message: HashedMessage, lengths: tuple[int, ...]) -> Iterator[Routine]:
    """Yield the hashes of beginnings of a message."""
    for length in lengths:
        yield message.in_one_piece(length)
