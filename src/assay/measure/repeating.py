# SPDX-License-Identifier: MIT
"""Whether code did all of a timed series: another agent repeats it, and ends in the same state.

Keys, IVs, texts and messages of a series follow from a seed that the bench chose, and the input
of each call is the output of one before. The agent that repeats it was never timed, and makes
every call as it makes those of the checks. So code that leaves calls of a series undone, all
but the last or only some, ends in another state.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from assay.execute.agent import Agent
from assay.execute.protocol import Request
from assay.measure.task import WrongOutput

REPEAT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class TimedSeries:
    """A series that was timed: its setup and what was asked, and the state that it told."""

    measure: str
    request: bytes
    end: bytes


def repeat(agent: Agent, series: Iterable[TimedSeries]) -> None:
    """Have an agent do each series again; WrongOutput names the first that ends otherwise."""
    for one in series:
        what = f"repeating {one.measure}"
        if agent.ask(Request.REPEAT, one.request, what, REPEAT_SECONDS).rest() != one.end:
            raise WrongOutput(
                f"while {one.measure} was timed it wrote another output than when it was not: "
                "the calls of the series, repeated, come to something else"
            )
