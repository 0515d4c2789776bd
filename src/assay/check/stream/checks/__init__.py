# SPDX-License-Identifier: MIT
"""The checks of the kind `stream`, in the order in which they are run and shown."""

from assay.check import families
from assay.check.check import Check, sharing
from assay.check.lengths import null
from assay.check.lengths.far import also_far
from assay.check.schemes import library
from assay.check.stream.checks import (
    aad,
    keystream,
    mac,
    names,
    pairs,
    rare_failures,
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
    library.CHECK,
    *state.CHECKS,
    *families.CALLS,
    *families.PROCESSOR,
    *families.SURROUNDINGS,
    *families.THREADS,
    *families.STATE,
    rare_failures.CHECK,
    *families.LENGTHS,
    null.CHECK,
    *keystream.CHECKS,
    *families.CONTEXT,
    *families.BUFFERS,
    *also_far(mac.CHECKS[:1]),
    *mac.CHECKS[1:],
    pairs.CHECK,
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
