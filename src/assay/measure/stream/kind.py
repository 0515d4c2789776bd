# SPDX-License-Identifier: MIT
"""How stream ciphers are measured, and compared by their long streams."""

from msgspec.structs import replace

from assay.check.stream.routines import accepted_sizes, nearest_sizes
from assay.execute.agent import Agent
from assay.measure.counted import CountedAgent
from assay.measure.kinds import CORRECT, KindCosts, by_one_measure
from assay.measure.stream.footprint import count, memory
from assay.measure.stream.task import StreamTask
from assay.model import Package, SizeChoice, StreamSubject
from assay.model.apis import LONG_STREAM
from assay.model.footprint import FunctionMemory, Steps
from assay.plan.plan import Plan


def _full(subject: StreamSubject, _: Package, plan: Plan) -> StreamTask:
    return StreamTask(subject, _sizes(subject, plan), plan.effort)


def _sizes(subject: StreamSubject, plan: Plan) -> tuple[SizeChoice, ...]:
    if plan.sizes:
        return nearest_sizes(subject, plan.sizes)
    accepted = accepted_sizes(subject)
    return accepted if plan.every_size else (max(accepted, key=SizeChoice.bits),)


def _memory(agent: Agent, subject: StreamSubject) -> tuple[FunctionMemory, ...]:
    return memory(agent, subject, accepted_sizes(subject)[-1])


def _counted(counter: CountedAgent, subject: StreamSubject) -> tuple[Steps, ...]:
    steps = count(counter, subject, accepted_sizes(subject)[-1])
    long = next(one for one in steps if one.measure == LONG_STREAM)
    return (replace(long, measure="long"), *steps)


MEASURES = by_one_measure(_full, KindCosts(CORRECT, _memory, _counted), paced=True)
