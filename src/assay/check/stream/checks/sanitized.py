# SPDX-License-Identifier: MIT
"""With sanitizers: the checks that call everything, and two threads."""

from collections.abc import Callable

from assay.check import families
from assay.check.check import Check, CheckSkipped
from assay.check.memory import sanitized
from assay.check.session import StreamSession
from assay.check.stream.checks import aad, keystream, mac, vectors
from assay.check.stream.trial import Trial
from assay.execute.agent import Agent, AgentRefusal
from assay.model.wire import StreamFunction

BESIDE_BYTES = 1024  # as in harness/agent/stream.h
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
        StreamSession(agent, trial.subject)
        places = [
            agent.buffer(f"{label} of thread {thread}", length)
            for label, length in (
                ("key", sizes.key_bits // 8),
                ("IV", max(sizes.iv_bits // 8, 1)),
                ("input", BESIDE_BYTES),
            )
            for thread in (1, 2)
        ]
        for one in places:
            agent.write(one, trial.bytes(one.size_bytes))
        numbers = (sizes.key_bits, sizes.iv_bits, sizes.mac_bits or 0)
        try:
            agent.answer(StreamFunction.THREADS, tuple(places), numbers)
        except AgentRefusal:
            raise CheckSkipped("a thread is not to be had on this target") from None


CHECKS = (*sanitized.checks(use), sanitized.thread_check(use_threads))
