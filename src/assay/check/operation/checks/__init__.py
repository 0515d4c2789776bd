# SPDX-License-Identifier: MIT
"""All checks of the kind `operation`, in the order in which they are told."""

from collections.abc import Callable
from contextlib import suppress

from assay.check import families
from assay.check.arena import Arena
from assay.check.buffers import distance, guard, read_only
from assay.check.check import Check, sharing
from assay.check.lengths import beyond_2_gib, beyond_4_kib, dependence, every
from assay.check.memory import sanitized
from assay.check.object import linked
from assay.check.operation.checks import (
    at_once,
    beyond_4_gib,
    generator,
    keystream,
    leftover,
    linking,
    order,
    randomness,
    related,
    secrets,
)
from assay.check.operation.checks.sparse import unless_sparse
from assay.check.operation.trial import OperationTrial
from assay.check.schemes import kem
from assay.check.schemes.checks import CHECKS as SCHEMES
from assay.check.schemes.long import CHECK as LONG_CHECK
from assay.check.schemes.sums import CHECKS as SUMS
from assay.check.seal import bits, ends, inputs, plaintext
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
    *sharing("checksum", CHECKSUM_TESTS),
    bits.CHECK,
    sealed_lengths.CHECK,
    ends.CHECK,
    inputs.CHECK,
    plaintext.CHECK,
    *SCHEMES,
    *SUMS,
    LONG_CHECK,
    *kem.CHECKS,
    related.CHECK,
    randomness.CHECK,
    generator.CHECK,
    guard.CHECK,
    distance.CHECK,
    read_only.CHECK,
    unless_sparse(beyond_4_kib.CHECK),
    beyond_2_gib.CHECK,
    beyond_4_gib.CHECK,
    keystream.CHECK,
    unless_sparse(dependence.CHECK),
    every.CHECK,
    order.CHECK,
    *families.STATE,
    leftover.CHECK,
    *families.PROCESSOR,
    *families.SURROUNDINGS,
    *families.THREADS,
    at_once.CHECK,
    *families.OBJECT,
    *linked.CHECKS,
    *families.ABI,
    *secrets.CHECKS,
    *sharing("sanitizers", sanitized.checks(use)),
)
