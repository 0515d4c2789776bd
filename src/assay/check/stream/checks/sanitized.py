# SPDX-License-Identifier: MIT
"""With sanitizers: the checks that call everything, and two threads."""

from collections.abc import Callable

from assay.check import families
from assay.check.arena import SECOND_BASE, Arena
from assay.check.check import Check, CheckSkipped
from assay.check.memory import sanitized
from assay.check.stream.checks import aad, keystream, mac, vectors
from assay.check.stream.routines import fresh_message
from assay.check.stream.trial import Trial
from assay.execute.agent import Agent, AgentRefusal
from assay.model.wire import StreamFunction

BESIDE_BYTES = 1024  # as in harness/agent/stream.h
ARGUMENTS = ("key", "IV", "input")
QUESTIONS: tuple[Check[Trial], ...] = (
    *vectors.CHECKS,
    *families.LENGTHS,
    *keystream.CHECKS,
    *families.BUFFERS,
    *mac.CHECKS,
    *aad.CHECKS,
)


def use(trial: Trial, connect: Callable[[], Agent]) -> None:
    """Ask what makes the code compute."""
    sanitized.quietly(trial, connect, QUESTIONS)


def use_threads(trial: Trial, connect: Callable[[], Agent]) -> None:
    """Have two threads encrypt with contexts, keys and IVs of their own."""
    sizes = trial.sizes[-1]
    with connect() as agent:
        session = trial.converse(agent)
        arenas = Arena(session), Arena(session, base=SECOND_BASE)
        for arena in arenas:
            message = fresh_message(trial.bytes, trial.subject, sizes, BESIDE_BYTES)
            routine = message.by("encrypt_bytes", data=0)
            arena.lay(routine)
            arena.fill(routine)
        places = tuple(arena.buffer(name) for name in ARGUMENTS for arena in arenas)
        try:
            agent.answer(StreamFunction.THREADS, places, sizes.bits())
        except AgentRefusal:
            raise CheckSkipped("a thread is not to be had on this target") from None


CHECKS = (*sanitized.checks(use), sanitized.thread_check(use_threads))
