# SPDX-License-Identifier: MIT
"""The checks of the kind `stream`, in the order in which they are run and shown."""

from assay.check.check import Check
from assay.check.stream.checks import (
    aad,
    alignment,
    buffers,
    calling,
    calls,
    consistency,
    context,
    enumeration,
    guard,
    keystream,
    lengths,
    linking,
    longrun,
    mac,
    recovery,
    registers,
    sanitized,
    state,
    valgrind,
    verified,
)
from assay.check.stream.trial import Trial

CHECKS: tuple[Check[Trial], ...] = (
    *enumeration.CHECKS,
    *verified.CHECKS,
    *consistency.CHECKS,
    *state.CHECKS,
    *calls.CHECKS,
    *calling.CHECKS,
    *lengths.CHECKS,
    *keystream.CHECKS,
    *recovery.CHECKS,
    *context.CHECKS,
    *buffers.CHECKS,
    *alignment.CHECKS,
    *guard.CHECKS,
    *mac.CHECKS,
    *aad.CHECKS,
    *registers.CHECKS,
    *linking.CHECKS,
    *longrun.CHECKS,
    *valgrind.CHECKS,
    *sanitized.CHECKS,
)
