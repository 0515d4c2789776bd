# SPDX-License-Identifier: MIT
"""What an authenticated operation must refuse to open, and what it leaves behind then."""

from assay.check.check import Check
from assay.check.operation.trial import OperationTrial
from assay.check.seal import bits, ends, inputs, lengths, plaintext

CHECKS: tuple[Check[OperationTrial], ...] = (
    bits.CHECK,
    lengths.CHECK,
    ends.CHECK,
    inputs.CHECK,
    plaintext.CHECK,
)
