# SPDX-License-Identifier: MIT
"""How stream ciphers are measured, and compared by their long streams."""

from dataclasses import replace

from assay.check.stream.sizes import accepted_sizes, nearest_sizes
from assay.measure.kinds import RACE_SAMPLES, KindMeasures, of_package
from assay.measure.stream.task import StreamTask
from assay.model import Package, StreamSubject
from assay.model.apis import LONG_STREAM
from assay.plan.plan import Plan


def _full(subject: StreamSubject, _: Package, plan: Plan) -> StreamTask:
    sizes = nearest_sizes(subject, plan.sizes) if plan.sizes else accepted_sizes(subject)
    return StreamTask(subject, sizes, plan.effort)


def _brief(subject: StreamSubject, package: Package, plan: Plan) -> StreamTask:
    samples = min(RACE_SAMPLES, plan.effort.samples)
    effort = replace(plan.effort, samples=samples, only=(LONG_STREAM,))
    return replace(_full(subject, package, plan), effort=effort)


MEASURES = KindMeasures(_full, _brief, LONG_STREAM, of_package)
