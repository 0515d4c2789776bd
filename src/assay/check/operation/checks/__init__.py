# SPDX-License-Identifier: MIT
"""All checks of the kind `operation`, in the order in which they are told."""

from assay.check import linked
from assay.check.check import Check
from assay.check.operation.checks import (
    guard,
    lengths,
    linking,
    registers,
    sanitized,
    secrets,
    state,
)
from assay.check.operation.checksum.checks import CHECKS as CHECKSUM_TESTS
from assay.check.operation.trial import OperationTrial

CHECKS: tuple[Check[OperationTrial], ...] = (
    *CHECKSUM_TESTS,
    guard.CHECK,
    lengths.LONG_CHECK,
    lengths.DEPENDENCE_CHECK,
    state.CALLS_CHECK,
    state.LEFTOVER_CHECK,
    state.STACK_CHECK,
    linking.NAMES_CHECK,
    linking.CONSTRUCTORS_CHECK,
    linking.CALLS_CHECK,
    *linked.checks(),
    *registers.CHECKS,
    *secrets.CHECKS,
    *sanitized.CHECKS,
)
