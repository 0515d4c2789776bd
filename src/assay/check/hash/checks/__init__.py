# SPDX-License-Identifier: MIT
"""The checks of the kind `hash`, in the order in which they are run and shown."""

from assay.check.check import Check
from assay.check.hash.checks import (
    bits,
    buffers,
    context,
    header,
    instructions,
    lengths,
    linking,
    memcheck,
    pieces,
    reentrant,
    registers,
    sanitized,
    stepping,
    verified,
)
from assay.check.hash.trial import HashTrial

CHECKS: tuple[Check[HashTrial], ...] = (
    *verified.CHECKS,
    *pieces.CHECKS,
    *bits.CHECKS,
    *context.CHECKS,
    *buffers.CHECKS,
    *lengths.CHECKS,
    *reentrant.CHECKS,
    *header.CHECKS,
    *linking.CHECKS,
    *instructions.CHECKS,
    *stepping.CHECKS,
    *registers.CHECKS,
    *memcheck.CHECKS,
    *sanitized.CHECKS,
)
