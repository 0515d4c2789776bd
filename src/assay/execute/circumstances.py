# SPDX-License-Identifier: MIT
"""Requests that change what calls meet, or watch what they do besides their result.

Calls meet threads with small stacks, memory that is not there and floating-point modes; they
may leave registers and flags changed.
"""

import struct
from collections.abc import Iterable, Sequence

from msgspec import Struct

from assay.execute.agent import Agent, AgentRefusal
from assay.execute.places import Buffer
from assay.execute.protocol import NO_BUFFER, Request

SLACK_SECONDS = 60.0
VARY_SECONDS = 600.0
MOST_PARTS = 16  # harness/agent/again.c
Part = tuple[Buffer, int]
Requests = Iterable[tuple[Request, bytes]]


def in_threads(agent: Agent, stack_bytes: int) -> None:
    """Have every later call made in a new thread with so much stack; in none of its own if 0.

    AgentRefusal where there are no threads, or none with so little.
    """
    agent.ask(Request.THREAD, stack_bytes.to_bytes(4, "little"), "starting a thread")


def starve(agent: Agent, number: int) -> tuple[int, bool]:
    """Have allocation number `number` fail from now on; none if 0.

    Return how many there were since the last such request, and whether one failed. AgentRefusal
    if the agent is not linked for it.
    """
    payload = number.to_bytes(4, "little")
    reader = agent.ask(Request.STARVE, payload, "letting an allocation fail")
    return reader.number(4), bool(reader.number(1))


def heap_use(agent: Agent) -> tuple[int, int] | None:
    """Return how many allocations there were since this was last asked, and the most bytes.

    Those are what was out at a time beyond what was out then. None where nobody knows.
    """
    try:
        reader = agent.ask(Request.HEAP_USE, b"", "asking what was allocated")
    except AgentRefusal:
        return None
    return reader.number(4), reader.number(8)


def again(
    agent: Agent,
    requests: Requests,
    watched: Sequence[Part],
    most: int,
    seconds: float,
) -> tuple[int, int]:
    """Perform requests up to `most` times, for as many seconds at most.

    Return how often, and in which round an answer or a watched buffer first was another one
    than in the first round (0: in none). Of a buffer so many bytes are watched.
    """
    payload = (
        most.to_bytes(4, "little")
        + round(seconds * 1000).to_bytes(4, "little")
        + _parts(watched)
        + framed(requests)
    )
    reader = agent.ask(Request.AGAIN, payload, "repeating calls", seconds + SLACK_SECONDS)
    return reader.number(4), reader.number(4)


def vary(
    agent: Agent,
    requests: Requests,
    watched: Sequence[Part],
    drawn: Sequence[Part],
    seed: int,
    rounds: int,
) -> int:
    """Perform requests so many times, with other bytes in `drawn` each time.

    Return a digest of all answers and watched buffers. What is drawn follows from the seed
    (`assay.check.budget`); a round later, it is larger by MOST_PARTS.
    """
    payload = (
        seed.to_bytes(8, "little")
        + rounds.to_bytes(4, "little")
        + _parts(watched)
        + _parts(drawn)
        + framed(requests)
    )
    return agent.ask(Request.VARY, payload, "computing many times", VARY_SECONDS).number(8)


def _parts(parts: Sequence[Part]) -> bytes:
    each = (bytes([one.number]) + size.to_bytes(4, "little") for one, size in parts)
    return bytes([len(parts)]) + b"".join(each)


def framed(requests: Requests) -> bytes:
    """Write requests that are part of another one."""
    return b"".join(
        bytes([code]) + len(payload).to_bytes(4, "little") + payload for code, payload in requests
    )


FUNCTIONS = 16  # whose findings an agent keeps apart
STACK_POINTER = "the stack pointer"
FINDINGS = (
    "rbx",
    "rbp",
    "r12",
    "r13",
    "r14",
    "r15",
    STACK_POINTER,
    "the direction flag",
    "the control word of x87",
    "the registers of x87 (MMX without emms)",
    "the control bits of MXCSR",
    "the upper halves of the AVX registers",
    "rdi",
    "rsi",
    "xmm6 to xmm15",
    "the stack above its arguments",
)
UPPER_HALVES = FINDINGS.index("the upper halves of the AVX registers")
FLAGS = range(FINDINGS.index("the direction flag"), UPPER_HALVES)
REGISTERS = (*range(FLAGS.start), *range(UPPER_HALVES + 1, len(FINDINGS)))
MODES = {  # of harness/agent/modes.c, and what the caller then does
    1: "rounds towards zero with single precision, and has no denormal numbers",
    2: "rounds upwards with double precision, and has no denormal numbers",
}
SHIFTS = (0, 16, 32, 48)  # bytes off a multiple of 64 where the ABI lets a stack stand


class Watched(Struct, frozen=True):
    """How the stub has proven itself, and what calls did since it was last asked.

    All are bits in the order of FINDINGS. Functions spoil each of `tried`, the upper halves
    where the processor has AVX; of `proven` that and nothing else was seen. `findings` are those
    of each function by its number. `names` are those of registers that have others than on
    x86-64: all that is looked at there.
    """

    tried: int
    proven: int
    calls: int
    findings: tuple[int, ...]
    names: tuple[str, ...] = ()

    @property
    def sees_upper_halves(self) -> bool:
        """Return whether the processor has AVX."""
        return bool(self.tried >> UPPER_HALVES & 1)


def watch(agent: Agent, *, on: bool, shift_bytes: int = 0) -> Watched:
    """Let calls go through a stub that watches registers; give what the last ones did.

    The stack then stands `shift_bytes` (of SHIFTS) off a multiple of 64. AgentRefusal
    where there is no such stub.
    """
    reader = agent.ask(Request.WATCH, bytes([on, shift_bytes]), "watching registers")
    tried, proven, calls = (reader.number(4) for _ in range(3))
    findings = tuple(reader.number(4) for _ in range(FUNCTIONS))
    names = (reader.text() or "").split()
    return Watched(tried, proven, calls, findings, (*names, STACK_POINTER) if names else ())


def keep_left(
    agent: Agent,
    buffer: Buffer | None,
    stack_bytes: int = 0,
    freed_bytes: int = 0,
    static: Iterable[tuple[int, int]] = (),
) -> tuple[int, int]:
    """Have what later calls leave behind copied to a buffer right after each; to none if None.

    Vector and general registers come first, and are as many bytes as is returned; then so many of
    the stack below the call, from the farthest on; static memory, given as places relative to the
    agent's function `left_set` and sizes; and what is freed. AgentRefusal where there is no room.
    """
    number = NO_BUFFER if buffer is None else buffer.number
    payload = struct.pack("<BII", number, stack_bytes, freed_bytes)
    payload += b"".join(struct.pack("<qI", *each) for each in static)
    reader = agent.ask(Request.LEFT, payload, "keeping what calls leave behind")
    return reader.number(4), reader.number(4)


def set_modes(agent: Agent, mode: int) -> None:
    """Have later calls made under floating-point modes of MODES, 0 for those of the agent.

    AgentRefusal where none are known.
    """
    agent.ask(Request.MODES, bytes([mode]), "setting floating-point modes")
