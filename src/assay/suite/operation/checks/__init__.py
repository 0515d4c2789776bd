# SPDX-License-Identifier: MIT
"""All checks of the kind `operation`, in the order in which they are told."""

from assay.suite.check import Check
from assay.suite.operation.trial import OperationTrial

CHECKS: tuple[Check[OperationTrial], ...] = ()
