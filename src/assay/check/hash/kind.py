# SPDX-License-Identifier: MIT
"""What the engine needs of the kind `hash`."""

from assay.check.description import describe_hash as describe
from assay.check.hash.checks import CHECKS
from assay.check.hash.trial import HashTrial, exercise
from assay.check.hash.vectors.verify import VECTORS
from assay.check.kinds import Kind

KIND = Kind(describe, HashTrial, CHECKS, exercise, VECTORS)
