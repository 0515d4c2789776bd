# SPDX-License-Identifier: MIT
"""The checks of the kind `stream`, in the order in which they are run and shown."""

from assay.suite.check import Check
from assay.suite.stream.checks import (
    aad,
    alignment,
    buffers,
    calls,
    consistency,
    context,
    enumeration,
    guard,
    keystream,
    lengths,
    mac,
    recovery,
    state,
    verified,
)
from assay.suite.stream.trial import Trial

CHECKS: tuple[Check[Trial], ...] = (
    *enumeration.CHECKS,
    *verified.CHECKS,
    *consistency.CHECKS,
    *state.CHECKS,
    *calls.CHECKS,
    *lengths.CHECKS,
    *keystream.CHECKS,
    *recovery.CHECKS,
    *context.CHECKS,
    *buffers.CHECKS,
    *alignment.CHECKS,
    *guard.CHECKS,
    *mac.CHECKS,
    *aad.CHECKS,
)
