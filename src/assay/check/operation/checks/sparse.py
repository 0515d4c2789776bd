# SPDX-License-Identifier: MIT
"""Primitives that leave out bytes of their input by definition: no defect of an implementation.

SUPERCOP's `crypto_xof/bitwrite16` sets one bit of the output for every two bytes, so a byte
may set a bit that is set, or one beyond the output. That every byte matters is a guess about
a primitive, which published checksums disprove. A package's own checksum files do not count,
since whoever submits code that skips bytes could write them; nor does a name. Of other
operations there is no such primitive, and a hash function has to process every byte.
"""

from assay.check.check import Check, CheckFinding, CheckSkipped, Said
from assay.check.lengths.dependence import IdleByte
from assay.check.operation.trial import OperationTrial
from assay.check.supercop.outcomes import outcomes
from assay.check.trial import AnyTrial
from assay.model.operation import Op

CURE = "Compare it with another implementation (`--against`), also for long messages."
# The small and the big checksum, from SUPERCOP 20260330.
PUBLISHED: dict[str, dict[tuple[str, str], str]] = {
    Op.XOF: {
        (
            "2a0c679fd13fe74f21610d5377326b5089346cb6b24dbd4524f1dbd357d57180",
            "375a8005efef8dda9b2277c93b8ef7e099acfd82df96f458f01d51b702846dd3",
        ): "bitwrite16"
    }
}


def unless_sparse(check: Check[AnyTrial]) -> Check[OperationTrial]:
    """Return the check with a finding where the primitive is known to leave out bytes."""

    def run(trial: OperationTrial) -> Said:
        try:
            return check.run(trial)
        except IdleByte as idle:
            primitive = _sparse(trial)
            if not primitive:
                raise
            reason = f"the outputs have the checksums of {primitive}, which leaves out bytes"
            raise CheckFinding(f"{idle} ({reason} by definition)", cure=CURE) from None

    return check.answered_by(run)


def _sparse(trial: OperationTrial) -> str:
    """Name the primitive of which the outputs are, if it leaves out bytes; empty if not."""
    operation = trial.subject.operation
    if operation not in PUBLISHED:
        return ""
    try:
        found = tuple(one.checksum for one in outcomes(trial).runs if not one.left_out)
    except CheckSkipped:
        return ""
    for sums, name in PUBLISHED[operation].items():
        if found and found == sums[: len(found)]:
            return f"{operation}/{name}"
    return ""
