# SPDX-License-Identifier: MIT
"""The checks of the kind `stream`, in the order in which they are run and shown."""

from collections.abc import Callable

from assay.check import families
from assay.check.arena import SECOND_BASE, Arena
from assay.check.check import Check, CheckSkipped
from assay.check.lengths import splits
from assay.check.lengths.far import also_far
from assay.check.memory import sanitized
from assay.check.schemes import library
from assay.check.stream.checks import aad, keystream, mac, names, rare_failures, state, vectors
from assay.check.stream.long import carry, gigabytes
from assay.check.stream.long import check as long
from assay.check.stream.routines import fresh_message
from assay.check.stream.trial import Trial
from assay.execute.agent import Agent, AgentRefusal
from assay.model.wire import StreamFunction

BESIDE_BYTES = 1024  # as in harness/agent/stream.h
ARGUMENTS = ("key", "IV", "input")
# What makes the code compute, with sanitizers.
SANITIZED: tuple[Check[Trial], ...] = (
    *vectors.CHECKS,
    *families.LENGTHS,
    *keystream.CHECKS,
    *families.BUFFERS,
    *mac.CHECKS,
    *aad.CHECKS,
)


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


CHECKS: tuple[Check[Trial], ...] = (
    *names.HEADER,
    *vectors.CHECKS,
    library.CHECK,
    *state.CHECKS,
    *families.CALLS,
    *families.PROCESSOR,
    *families.SURROUNDINGS,
    *families.THREADS,
    *families.STATE,
    rare_failures.CHECK,
    *families.LENGTHS,
    splits.NULL,
    *keystream.CHECKS,
    *families.CONTEXT,
    *families.BUFFERS,
    *also_far(mac.CHECKS[:1]),
    *mac.CHECKS[1:],
    aad.PAIRS,
    *aad.CHECKS,
    *families.ABI,
    *families.NEED,
    *names.OBJECT,
    *families.OBJECT,
    *gigabytes.CHECKS,
    *carry.CHECKS,
    long.CHECK,
    *families.SECRETS,
    *sanitized.checks(sanitized.quietly(SANITIZED), use_threads),
)
