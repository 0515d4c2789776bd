# SPDX-License-Identifier: MIT
"""Requests that change what calls meet: threads with small stacks, memory that is not there."""

from collections.abc import Iterable

from assay.execute.agent import Agent
from assay.execute.places import Buffer
from assay.execute.protocol import Request

SLACK_SECONDS = 60.0


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
    requests: Iterable[tuple[Request, bytes]],
    watched: Iterable[tuple[Buffer, int]],
    most: int,
    seconds: float,
) -> tuple[int, int]:
    """Perform requests up to `most` times, for as many seconds at most.

    Return how often, and in which round an answer or a watched buffer first was another one
    than in the first round (0: in none). Of a buffer so many bytes are watched.
    """
    looked_at = [bytes([one.number]) + size.to_bytes(4, "little") for one, size in watched]
    parts = [most.to_bytes(4, "little"), round(seconds * 1000).to_bytes(4, "little")]
    parts += [bytes([len(looked_at)]), *looked_at]
    for code, payload in requests:
        parts += [bytes([code]), len(payload).to_bytes(4, "little"), payload]
    reader = agent.ask(Request.AGAIN, b"".join(parts), "repeating calls", seconds + SLACK_SECONDS)
    return reader.number(4), reader.number(4)
