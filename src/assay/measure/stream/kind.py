# SPDX-License-Identifier: MIT
"""How stream ciphers are measured, and compared by their long streams."""

from assay.check.stream.sizes import accepted_sizes, nearest_sizes
from assay.measure.kinds import by_one_measure
from assay.measure.stream.task import StreamTask
from assay.model import Package, SizeChoice, StreamSubject
from assay.plan.plan import Plan


def _full(subject: StreamSubject, _: Package, plan: Plan) -> StreamTask:
    return StreamTask(subject, _sizes(subject, plan), plan.effort)


def _sizes(subject: StreamSubject, plan: Plan) -> tuple[SizeChoice, ...]:
    if plan.sizes:
        return nearest_sizes(subject, plan.sizes)
    accepted = accepted_sizes(subject)
    return accepted if plan.every_size else (max(accepted, key=SizeChoice.bits),)


MEASURES = by_one_measure(_full)
