# SPDX-License-Identifier: MIT
"""Rounds of requests that differ in their inputs alone, each timed, in an order of the bench's."""

from collections.abc import Sequence

from assay.execute.agent import Agent
from assay.execute.circumstances import Requests, framed
from assay.execute.protocol import Request

MOST_CLASSES, MOST_ROUNDS = 64, 4096  # harness/agent/timing.c
Class = tuple[Requests, Requests]


def class_ticks(
    agent: Agent, classes: Sequence[Class], order: bytes, seconds: float
) -> tuple[int, ...]:
    """Return the ticks of each round; `order` has the number of its class.

    Of a class the first requests prepare, and the second ones are timed.
    """
    payload = bytes([len(classes)]) + b"".join(map(_written, classes)) + order
    reader = agent.ask(Request.CLASSES, payload, "timing classes of inputs", seconds)
    return tuple(reader.number(8) for _ in order)


def _written(one: Class) -> bytes:
    preparing, timed = map(framed, one)
    lengths = (len(part).to_bytes(4, "little") for part in (preparing, timed))
    return b"".join((*lengths, preparing, timed))
