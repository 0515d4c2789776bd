# SPDX-License-Identifier: MIT
"""Requests that change what calls meet: threads with small stacks, memory that is not there."""

from collections.abc import Iterable, Sequence

from assay.execute.agent import Agent
from assay.execute.places import Buffer
from assay.execute.protocol import Request

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
        + _framed(requests)
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
    (`assay.check.rounds`); a round later, it is larger by MOST_PARTS.
    """
    payload = (
        seed.to_bytes(8, "little")
        + rounds.to_bytes(4, "little")
        + _parts(watched)
        + _parts(drawn)
        + _framed(requests)
    )
    return agent.ask(Request.VARY, payload, "computing many times", VARY_SECONDS).number(8)


def _parts(parts: Sequence[Part]) -> bytes:
    each = (bytes([one.number]) + size.to_bytes(4, "little") for one, size in parts)
    return bytes([len(parts)]) + b"".join(each)


def _framed(requests: Requests) -> bytes:
    framed = (
        bytes([code]) + len(payload).to_bytes(4, "little") + payload for code, payload in requests
    )
    return b"".join(framed)
