# SPDX-License-Identifier: MIT
"""The checks of the kind `stream`, in the order in which they are run and shown."""

from assay.check import families
from assay.check.check import Check, sharing
from assay.check.stream.checks import (
    aad,
    keystream,
    mac,
    names,
    sanitized,
    state,
    vectors,
)
from assay.check.stream.long import carry, gigabytes
from assay.check.stream.long import check as long
from assay.check.stream.trial import Trial

CHECKS: tuple[Check[Trial], ...] = (
    *names.HEADER,
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
    *names.OBJECT,
    *families.OBJECT,
    *gigabytes.CHECKS,
    *carry.CHECKS,
    long.CHECK,
    *families.SECRETS,
    *sharing("sanitizers", sanitized.CHECKS),
)
