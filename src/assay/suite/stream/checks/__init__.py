# SPDX-License-Identifier: MIT
"""The checks of the kind `stream`, in the order in which they are run and shown."""

from assay.suite.check import Check
from assay.suite.stream.checks import consistency, enumeration, verified
from assay.suite.stream.trial import Trial

CHECKS: tuple[Check[Trial], ...] = (
    *enumeration.CHECKS,
    *consistency.CHECKS,
    *verified.CHECKS,
)
