# SPDX-License-Identifier: MIT
"""How hashes are measured, and compared by long messages."""

from dataclasses import replace

from assay.measure.hash.task import HashTask, digest_bits
from assay.measure.kinds import RACE_SAMPLES, KindMeasures, of_package
from assay.model import HashSubject, Package
from assay.model.apis import LONG_MESSAGE
from assay.plan.plan import Plan


def _full(subject: HashSubject, package: Package, plan: Plan) -> HashTask:
    return HashTask(subject, digest_bits(package), plan.effort)


def _brief(subject: HashSubject, package: Package, plan: Plan) -> HashTask:
    samples = min(RACE_SAMPLES, plan.effort.samples)
    effort = replace(plan.effort, samples=samples, only=(LONG_MESSAGE,))
    return replace(_full(subject, package, plan), effort=effort)


MEASURES = KindMeasures(_full, _brief, LONG_MESSAGE, of_package)
