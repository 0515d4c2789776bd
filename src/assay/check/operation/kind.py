# SPDX-License-Identifier: MIT
"""What the engine needs of the kind `operation`."""

from assay.check.kinds import Kind
from assay.check.operation.checks import CHECKS
from assay.check.operation.exercise import exercise
from assay.check.operation.session import describe
from assay.check.operation.trial import OperationTrial

KIND = Kind(describe, OperationTrial, CHECKS, exercise)
