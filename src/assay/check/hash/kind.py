# SPDX-License-Identifier: MIT
"""What the engine needs of the kind `hash`."""

from assay.check.hash.checks import CHECKS
from assay.check.hash.session import describe
from assay.check.hash.trial import HashTrial, exercise
from assay.check.kinds import Kind

KIND = Kind(describe, HashTrial, CHECKS, exercise)
