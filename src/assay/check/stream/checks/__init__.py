# SPDX-License-Identifier: MIT
"""The checks of the kind `stream`, in the order in which they are run and shown."""

from assay.check import families
from assay.check.check import Check, sharing
from assay.check.stream.checks import (
    aad,
    carry,
    enumeration,
    keystream,
    linking,
    long_call,
    longrun,
    mac,
    sanitized,
    state,
    vectors,
)
from assay.check.stream.long import check as long
from assay.check.stream.trial import Trial

CHECKS: tuple[Check[Trial], ...] = (
    *enumeration.CHECKS,
    *vectors.CHECKS,
    *state.CHECKS,
    *families.CALLS,
    *families.PROCESSOR,
    *families.SURROUNDINGS,
    *families.THREADS,
    *families.STATE,
    *families.LENGTHS,
    *keystream.CHECKS,
    *families.CONTEXT,
    *families.BUFFERS,
    *mac.CHECKS,
    *aad.CHECKS,
    *families.ABI,
    *families.NEED,
    *linking.CHECKS,
    *families.OBJECT,
    *longrun.CHECKS,
    long_call.CHECK,
    *carry.CHECKS,
    long.CHECK,
    *families.SECRETS,
    *sharing("sanitizers", sanitized.CHECKS),
)
