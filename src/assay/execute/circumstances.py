# SPDX-License-Identifier: MIT
"""Requests that change what calls meet: threads with small stacks, memory that is not there."""

from assay.execute.agent import Agent
from assay.execute.protocol import Request


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
