# SPDX-License-Identifier: MIT
"""All checks of the kind `operation`, in the order in which they are told."""

from collections.abc import Callable
from contextlib import suppress

from assay.check import families
from assay.check.arena import Arena
from assay.check.buffers import guard, inputs, places
from assay.check.calls import rare_failures
from assay.check.check import Check, sharing
from assay.check.entropy import drawn, nonces
from assay.check.lengths import beyond, dependence, every, splits
from assay.check.lengths.far import also_far
from assay.check.memory import sanitized
from assay.check.object import linked
from assay.check.operation.checks import (
    at_once,
    beyond_4_gib,
    generator,
    keystream,
    leftover,
    linking,
    long,
    order,
    randomness,
    related,
    secrets,
)
from assay.check.operation.checks.sparse import unless_sparse
from assay.check.operation.trial import OperationTrial
from assay.check.schemes import kem, library, rejected
from assay.check.schemes.checks import CHECKS as SCHEMES
from assay.check.schemes.long import CHECK as LONG_CHECK
from assay.check.schemes.sums import CHECKS as SUMS
from assay.check.seal import bits, ends, pairs, plaintext
from assay.check.seal import lengths as sealed_lengths
from assay.check.supercop.checks import CHECKS as CHECKSUM_TESTS
from assay.execute.agent import Agent, AgentError

SANITIZED_LENGTHS = (0, 1, 15, 16, 64, 77, 200, 1025, 4097)


def use(trial: OperationTrial, connect: Callable[[], Agent]) -> None:
    """Call everything; an agent that a report has ended is launched again."""
    for (batch,) in [tuple(trial.uses((length,))) for length in SANITIZED_LENGTHS]:
        with connect() as agent, suppress(AgentError):  # an error that is reported ends it
            Arena(trial.converse(agent)).outcome(batch[0])


CHECKS: tuple[Check[OperationTrial], ...] = (
    linking.NAMES_CHECK,  # the first, for randombytes of one's own makes other checksums
    *sharing("checksum", long.asked(CHECKSUM_TESTS)),
    *also_far((bits.CHANGED_BITS,)),
    sealed_lengths.CHECK,
    ends.CHECK,
    pairs.CHECK,
    *also_far((bits.CHANGED_INPUTS, plaintext.PLAINTEXT)),
    plaintext.UNDONE,
    *SCHEMES,
    *SUMS,
    LONG_CHECK,
    library.CHECK,
    *kem.CHECKS,
    rejected.CHECK,
    related.CHECK,
    randomness.RANDOMNESS,
    rare_failures.CHECK,
    drawn.CHECK,
    nonces.CHECK,
    generator.CHECK,
    *also_far((guard.CHECK,)),
    places.DISTANCE,
    randomness.DRAWN_IN_PLACE,
    *also_far((inputs.READ_ONLY,)),
    unless_sparse(beyond.BEYOND_4_KIB),
    beyond.BEYOND_2_GIB,
    beyond_4_gib.CHECK,
    keystream.CHECK,
    unless_sparse(dependence.CHECK),
    every.CHECK,
    splits.NULL,
    order.CHECK,
    *families.STATE,
    leftover.CHECK,
    *families.PROCESSOR,
    *families.SURROUNDINGS,
    *families.THREADS,
    *also_far((at_once.CHECK,)),
    at_once.FIRST_CHECK,
    *families.OBJECT,
    *linked.CHECKS,
    *families.ABI,
    *secrets.CHECKS,
    *sanitized.checks(use),
)
