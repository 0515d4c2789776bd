# SPDX-License-Identifier: MIT
"""How stream ciphers are measured, and compared by their long streams."""

from assay.check.stream.sizes import accepted_sizes, nearest_sizes
from assay.measure.kinds import by_one_measure
from assay.measure.stream.task import StreamTask
from assay.model import Package, StreamSubject
from assay.plan.plan import Plan


def _full(subject: StreamSubject, _: Package, plan: Plan) -> StreamTask:
    sizes = nearest_sizes(subject, plan.sizes) if plan.sizes else accepted_sizes(subject)
    return StreamTask(subject, sizes, plan.effort)


MEASURES = by_one_measure(_full)
