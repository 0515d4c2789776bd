# SPDX-License-Identifier: MIT
"""Computing vectors through an agent, and writing the file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.check.arena import ALIGNMENT, ROOM, Arena, BufferShape, PendingOutcome
from assay.check.routine import Variable
from assay.check.session import StreamSession
from assay.check.stream.routines import CipherMessage, accepted_sizes
from assay.check.stream.vectors.inputs import (
    LARGEST_FILL_BITS,
    LONG_STREAM_BYTES,
    VectorInput,
    vector_inputs,
)
from assay.check.stream.vectors.text import (
    BANNER,
    END,
    primitive_block,
    set_heading,
    vector_block,
)
from assay.execute.agent import Agent
from assay.model import SizeChoice, StreamSubject
from assay.model.api import Role

LARGEST_BYTES = {"key": LARGEST_FILL_BITS // 8, "IV": LARGEST_FILL_BITS // 8, "AAD": 64}


def vector_arena(session: StreamSession, longest: int = LONG_STREAM_BYTES) -> Arena:
    """Return an arena whose buffers serve all vectors with messages of up to `longest` bytes.

    They are roomy: what looks or writes beyond a size is the business of the
    checks that are about it, and vectors come out as they did originally. A context is not.
    """

    def place(name: str, variable: Variable) -> BufferShape:
        alignment = max(ALIGNMENT, variable.modulus)
        if variable.role is Role.STATE:
            return BufferShape(variable.size, alignment)
        size = longest if variable.role is Role.MESSAGE else LARGEST_BYTES.get(name, 0)
        return BufferShape(max(size, variable.size) + ROOM, alignment)

    return Arena(session, place)


@dataclass(frozen=True, slots=True)
class Computed:
    """A vector, and what comes out of it."""

    vector: VectorInput
    outcome: PendingOutcome

    @property
    def values(self) -> tuple[bytes, bytes | None]:
        """The ciphertext, and the MAC; None for APIs without one."""
        outputs = self.outcome.value.outputs
        return outputs["output"], outputs.get("MAC")


def compute(
    arena: Arena, subject: StreamSubject, sizes: SizeChoice, vector: VectorInput
) -> Computed:
    """Queue one vector: all inputs anew, fresh keysetup, then encrypt_packet.

    Code that changes an input would be given it for the next vector.
    """
    arena.forget()
    return Computed(vector, arena.begin(message_of(subject, sizes, vector).by("encrypt_packet")))


def message_of(subject: StreamSubject, sizes: SizeChoice, vector: VectorInput) -> CipherMessage:
    """Return the message of a vector, with what lies behind its key and IV."""
    key, iv = vector.key + vector.key_behind, vector.iv + vector.iv_behind
    return CipherMessage(subject, sizes, key, iv, vector.aad, vector.plaintext)


def combination_text(session: StreamSession, sizes: SizeChoice, *, long: bool) -> Iterator[str]:
    """Write one combination's part of the file, set by set."""
    arena = vector_arena(session)
    yield "\n" + primitive_block(session.subject, sizes)
    last_set = 0
    for vector in vector_inputs(session.subject, sizes, long=long):
        for number in range(last_set + 1, vector.set_number + 1):
            yield set_heading(number)  # of an empty set, too: set 5 where there is no IV
        last_set = vector.set_number
        done = compute(arena, session.subject, sizes, vector)
        yield vector_block(vector, *done.values)
    yield END


def file_text(
    connect: Callable[[], Agent],
    subject: StreamSubject,
    *,
    long: bool = False,
    advance: Callable[[SizeChoice], None] = lambda _: None,
) -> Iterator[str]:
    """Write the whole vector file, a fresh agent for every combination of sizes."""
    yield BANNER
    for sizes in accepted_sizes(subject):
        advance(sizes)
        with connect() as agent:
            yield from combination_text(StreamSession(agent, subject), sizes, long=long)
