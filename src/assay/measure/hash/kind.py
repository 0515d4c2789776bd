# SPDX-License-Identifier: MIT
"""How hashes are measured, and compared by long messages."""

from assay.execute.agent import Agent
from assay.measure.counted import CountedAgent
from assay.measure.hash.footprint import count, memory
from assay.measure.hash.task import OUT_BITS, HashTask, digest_bits
from assay.measure.kinds import CORRECT, KindCosts, by_one_measure
from assay.model import HashSubject, Package
from assay.model.footprint import FunctionMemory, Steps
from assay.plan.plan import Effort, Plan

SAMPLES = 101  # of a single launch, where nothing but a footprint is wanted


def _full(subject: HashSubject, package: Package, plan: Plan) -> HashTask:
    return HashTask(subject, digest_bits(package), plan.effort)


def _memory(agent: Agent, subject: HashSubject) -> tuple[FunctionMemory, ...]:
    return memory(agent, subject, OUT_BITS)


def _counted(counter: CountedAgent, subject: HashSubject) -> tuple[Steps, ...]:
    return count(counter, subject, OUT_BITS)


def _timed(subject: HashSubject) -> HashTask:
    return HashTask(subject, OUT_BITS, Effort(samples=SAMPLES))


MEASURES = by_one_measure(_full, KindCosts(CORRECT, _memory, _counted, _timed))
