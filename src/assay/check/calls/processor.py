# SPDX-License-Identifier: MIT
"""Whether results depend on which extensions the processor has."""

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped
from assay.check.evidence import judge
from assay.check.trial import AnyTrial
from assay.errors import MachineError
from assay.execute.agent import Agent, AgentFault

LENGTHS = (1, 64, 1025)
SIGILL = "SIGILL"


def processor(trial: AnyTrial) -> None:
    """Ask the same of a processor that has nothing but what every one of its architecture has."""
    if trial.bench is None or trial.bench.plain is None:
        raise CheckInapplicable("a plain processor is emulated for x86-64 alone")
    if not trial.deep:
        raise CheckSkipped("slow; run it with `--deep`")
    try:
        with trial.bench.plain() as agent:
            _compare(trial, agent)
    except MachineError as error:
        raise CheckSkipped(f"{error} {error.cure}".strip()) from None
    except AgentFault as fault:
        if fault.signal != SIGILL:
            raise
        raise CheckFailed(
            f"it does not look whether the processor has the instructions that it uses: {fault}"
        ) from None


def _compare(trial: AnyTrial, agent: Agent) -> None:
    with trial.session() as session:
        other = trial.converse(agent)
        for batch in trial.uses(LENGTHS):
            session.agent.forget_buffers()
            agent.forget_buffers()
            here, there = Arena(session), Arena(other)
            for routine in trial.representative(batch):
                complaint = f"on a processor without extensions {routine.name} differs"
                judge(there, routine, complaint, here.outcome(routine), there.outcome(routine))


CHECK: Check[AnyTrial] = Check(
    name="calls/processor",
    asks="Are the results the same on a processor without extensions?",
    why=(
        "Code that uses AVX2 by an attribute, and does not ask the processor for it, ends with an "
        "illegal instruction on others; and a branch for a newer extension may be wrong where "
        "nobody tried. The package is compiled without `-march`, and QEMU runs it as the first "
        "x86-64 processors would."
    ),
    cure="Ask with __builtin_cpu_supports, or have the compiler's options say what is needed.",
    run=processor,
)
