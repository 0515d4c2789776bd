# SPDX-License-Identifier: MIT
"""The checks of what the System V ABI says of calls, the same for every kind.

A kind brings a function that calls everything once or more often; the agent makes these
calls through a stub in assembly (harness/agent/abi.c). The stub is believed only if it has
just seen all that functions made for it do wrong.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from assay.check.check import Check, CheckFailed, CheckSkipped
from assay.check.trial import BaseTrial
from assay.execute.agent import AgentError, AgentFault, AgentRefusal
from assay.execute.registers import FINDINGS, REGISTERS, SHIFTS, Watched, watch

TrialT = TypeVar("TrialT", bound=BaseTrial[Any, Any])
Use = Callable[[TrialT, Any], None]
Name = Callable[[TrialT, int], str]
Observed = dict[int, tuple[Watched, AgentFault | None]]  # by how the stack stood
NOTE = "registers"
NO_STUB = "registers are looked at on x86-64 only"


def checks(use: Use[TrialT], name: Name[TrialT]) -> tuple[Check[TrialT], ...]:
    """Return the checks of a kind; `use` makes the calls, `name` tells functions by number."""

    def run_registers(trial: TrialT) -> None:
        """Fail where a register that is the caller's comes back changed."""
        _judge(trial, use, name, range(REGISTERS))

    def run_flags(trial: TrialT) -> None:
        """Fail where a flag or mode comes back changed."""
        _judge(trial, use, name, range(REGISTERS, len(FINDINGS)))

    def run_stack(trial: TrialT) -> None:
        """Call with the stack at every place that the ABI allows."""
        faults = {shift: fault for shift, (_, fault) in _observed(trial, use).items() if fault}
        if len(faults) == len(SHIFTS):
            raise CheckSkipped(f"it faults at every stack alignment: {faults[0]}")
        for shift, fault in faults.items():
            raise CheckFailed(f"with the stack {shift} bytes off a multiple of 64: {fault}")

    return (
        Check(
            "abi/registers",
            "Do rbx, rbp, r12 to r15 and the stack pointer keep their values across calls?",
            (
                "The caller keeps its variables in them. The failure appears elsewhere, and "
                "only with some compilers and options."
            ),
            "Push the register on entry, and pop it on every path out.",
            run_registers,
        ),
        Check(
            "abi/flags",
            (
                "Are the direction flag, the state of x87 and MMX, and the rounding modes "
                "preserved?"
            ),
            (
                "Otherwise the next memory copy or floating-point computation of the program "
                "gives wrong results."
            ),
            "Use cld after std and emms after MMX, and restore control words.",
            run_flags,
        ),
        Check(
            "abi/stack",
            "Do the functions work at every stack alignment that the ABI allows?",
            (
                "The ABI promises a multiple of 16, so aligned accesses of 32 bytes work only "
                "by luck."
            ),
            "Align the frame (`and $-32, %rsp`), or use unaligned accesses.",
            run_stack,
        ),
    )


def _judge(trial: TrialT, use: Use[TrialT], name: Name[TrialT], bits: range) -> None:
    watched, fault = _observed(trial, use)[0]
    for number, found in enumerate(watched.findings):
        changed = [FINDINGS[bit] for bit in bits if found >> bit & 1]
        if changed:
            raise CheckFailed(f"{name(trial, number)} changes {', '.join(changed)}")
    if fault:
        raise CheckSkipped(f"it faults, which other checks report: {fault}")
    if watched.calls == 0:
        raise CheckSkipped("no call went through the stub")


def _observed(trial: TrialT, use: Use[TrialT]) -> Observed:
    """Make the calls at every place of the stack, once for all checks.

    CheckSkipped if there is no stub that can be believed.
    """
    found: Observed | str | None = trial.notes.get(NOTE)
    if found is None:
        try:
            found = _at_all_places(trial, use)
        except CheckSkipped as skipped:
            found = str(skipped)
        trial.notes[NOTE] = found
    if isinstance(found, str):
        raise CheckSkipped(found)
    return found


def _at_all_places(trial: TrialT, use: Use[TrialT]) -> Observed:
    """Use one agent as long as it does not fault; what was seen before a fault is given."""
    found: Observed = {}
    while left := [shift for shift in SHIFTS if shift not in found]:
        try:
            with trial.fresh_session() as session:
                for shift in left:
                    found[shift] = _conversation(trial, session, use, shift)
                    if found[shift][1]:
                        break
        except AgentError as error:
            raise CheckSkipped(f"its agent ends, which other checks report: {error}") from None
    return found


def _conversation(
    trial: TrialT, session: Any, use: Use[TrialT], shift: int
) -> tuple[Watched, AgentFault | None]:
    try:
        before = watch(session.agent, on=True, shift_bytes=shift)
    except AgentRefusal:
        raise CheckSkipped(NO_STUB) from None
    if before.proven != before.tried:
        raise CheckSkipped(
            f"the stub is not to be believed: it sees {before.proven} of {before.tried} "
            "planted changes"
        )
    try:
        use(trial, session)
    except AgentFault as fault:
        return watch(session.agent, on=False), fault
    return watch(session.agent, on=False), None
