# SPDX-License-Identifier: MIT
"""How hashes are measured, and compared by long messages."""

from assay.measure.hash.task import HashTask, digest_bits
from assay.measure.kinds import by_one_measure
from assay.model import HashSubject, Package
from assay.plan.plan import Plan


def _full(subject: HashSubject, package: Package, plan: Plan) -> HashTask:
    return HashTask(subject, digest_bits(package), plan.effort)


MEASURES = by_one_measure(_full)
