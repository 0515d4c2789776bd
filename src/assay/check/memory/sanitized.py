# SPDX-License-Identifier: MIT
"""The checks that run code compiled with sanitizers, the same for every kind.

A kind brings what is done there: its other checks, whose verdicts are of no interest, and
for threads a use of two at once.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import replace

from assay.check.check import Check, CheckFailed, CheckSkipped, once, run_checks, sharing
from assay.check.depth import Depth
from assay.check.trial import BaseTrial
from assay.execute.agent import Agent, AgentError
from assay.execute.sanitizers import SanitizerReport

TrialT = TypeVar("TrialT", bound=BaseTrial[Any, Any])
Use = Callable[[TrialT, Callable[[], Agent]], None]
SHOWN = 4
TOOLS = {
    "address": "AddressSanitizer",
    "undefined": "UndefinedBehaviorSanitizer",
    "thread": "ThreadSanitizer",
}


def checks(use: Use[TrialT], use_threads: Use[TrialT] | None = None) -> tuple[Check[TrialT], ...]:
    """Return the checks of memory and of undefined behaviour; of races where threads use it."""
    address = Check(
        "sanitize/address",
        "Does the code stay within its own arrays, on the stack, on the heap and static ones?",
        (
            "Guard pages catch accesses beyond the caller's buffers, not those beyond the "
            "package's own tables and local arrays."
        ),
        "The report gives the source line; make the array larger or the loop shorter.",
        partial(_judge, use=use, tool="address"),
    )
    undefined = Check(
        "sanitize/undefined",
        "Is the code free of undefined behaviour?",
        (
            "The next compiler, or another optimisation level, may assume that it never "
            "happens. Misaligned words and left shifts of negative numbers, which compilers "
            "define, are not reported."
        ),
        "The report gives the source line; use unsigned numbers, and mask shift distances.",
        partial(_judge, use=use, tool="undefined"),
    )
    if use_threads is None:
        return sharing("sanitizers", (address, undefined))
    threads = Check(
        "sanitize/threads",
        "May two threads use the code at once, each with its own contexts?",
        (
            "A race gives right results in every test and wrong ones once in a thousand million "
            "calls."
        ),
        "Keep everything in the context, and compute tables at compile time.",
        partial(_judge, use=use_threads, tool="thread"),
    )
    return sharing("sanitizers", (address, undefined, threads))


def quietly(questions: Iterable[Check[TrialT]]) -> Use[TrialT]:
    """Return a use that runs checks on another agent, for what they make the code do."""

    def use(trial: TrialT, connect: Callable[[], Agent]) -> None:
        bench = trial.bench and replace(trial.bench, unsealed=connect)
        extent = replace(trial.extent, depth=Depth.SHORT)
        alike = replace(trial, connect=connect, bench=bench, extent=extent)
        other = replace(alike, opened=None, _session=None, notes={})
        try:
            run_checks(questions, other)
        finally:
            other.close()

    return use


def _judge(trial: TrialT, use: Use[TrialT], tool: str) -> None:
    """Raise CheckFailed for what one of the sanitizers reports."""
    found = [one for one in _findings(trial, use, threads=tool == "thread") if one.tool == tool]
    if found:
        lines = [f"{one.what}, {one.where}" for one in found[:SHOWN]]
        more = [f"and {len(found) - SHOWN} more places"] if len(found) > SHOWN else []
        raise CheckFailed(
            f"{TOOLS[tool]}: {found[0].what} in {found[0].where}", "\n".join([*lines, *more])
        )


def _findings(trial: TrialT, use: Use[TrialT], *, threads: bool) -> tuple[SanitizerReport, ...]:
    """Return what the sanitizers say; they are run once per trial and sort."""
    trial.only_deep()
    return once(trial.notes, f"sanitized {threads}", partial(_found, trial, use, threads=threads))


def _found(trial: TrialT, use: Use[TrialT], *, threads: bool) -> tuple[SanitizerReport, ...]:
    launched = trial.bench.sanitized if trial.bench else None
    if launched is None:
        raise CheckSkipped("there are no sanitizers for this target")
    try:
        with launched(threads) as (connect, findings):
            connect().close()  # whether it starts at all: sanitizers want much of a system
            try:
                use(trial, connect)
            except AgentError:
                if not findings.read():  # else it is why the agent has ended
                    raise
            return findings.read()
    except AgentError as error:
        raise CheckSkipped(f"with sanitizers: {error}") from None
