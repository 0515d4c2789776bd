# SPDX-License-Identifier: MIT
"""Whether a call depends on anything but its inputs: on earlier calls, or on old memory."""

import time
from collections.abc import Callable

from assay.check.check import Check, CheckFailed, CheckSkipped
from assay.check.operation.checks.walking import (
    SHORT_BYTES,
    clock,
    groups,
    name_of,
    repeats,
    walked,
)
from assay.check.operation.script import STATE, Script
from assay.check.operation.trial import OperationTrial
from assay.check.operation.walk import RecordedCall, ReferenceWalk
from assay.execute.agent import AgentFault

CALLS = 4096
FEW_CALLS = 2048
FEW_PER_SCRIPT = 8  # at first, since a slow function would not answer in time
MOST_PER_SCRIPT = 1024
SLICE_SECONDS = 0.05
CALLS_PART = 0.2  # of a check's time: what costs milliseconds is called some dozens of times
MOST_STATE_BYTES = 4 << 20
TRIED_BYTES = 48
STACK_BYTES = 96 * 1024
STACK_VALUES = (0x00, 0xFF, 0x5A)
FLIP = 0x80
DRAWING = ("_keypair", "_enc", "crypto_sign", "crypto_encrypt")


def run_calls(trial: OperationTrial) -> None:
    """Make thousands of calls, and then the first one again."""
    remarks: list[str] = []
    with trial.session() as session:
        for one in groups(trial, (SHORT_BYTES,)):
            walk = ReferenceWalk(session, one)
            for call in walked(trial, walk):
                if repeats(walk, call):
                    _tell(trial, call, _many_calls(trial, walk, call), remarks)
    _remark(remarks)


def _tell(trial: OperationTrial, call: RecordedCall, found: str, remarks: list[str]) -> None:
    """Fail with what was found, if anything; of what draws randomness it is a remark.

    Some packages draw more random bytes than a call needs, and keep the rest for the next.
    """
    if found and _draws(trial, call):
        remarks.append(f"{found}; it may keep randomness from call to call")
    elif found:
        raise CheckFailed(found)


def _remark(remarks: list[str]) -> None:
    if remarks:
        raise CheckSkipped(remarks[0])


def _draws(trial: OperationTrial, call: RecordedCall) -> bool:
    """Return whether a call may take randomness, by what it is for."""
    operation, suffix = trial.subject.operation, call.task.suffix
    if operation == "crypto_sign" and trial.subject.constant("DETERMINISTIC") == 1:
        return suffix == "_keypair"
    return suffix in DRAWING or (operation in DRAWING and suffix == "")


def _many_calls(trial: OperationTrial, walk: ReferenceWalk, call: RecordedCall) -> str:
    """Return what is wrong after thousands of calls; nothing if all is well."""
    timer, done, number = clock(trial, CALLS_PART), 0, FEW_PER_SCRIPT
    one = Script()
    walk.enter(one, call.task, call.told)
    wanted = CALLS if trial.thorough else FEW_CALLS
    while done < wanted and not timer.over:
        started = time.monotonic()
        script = Script()
        walk.prepare(script, call.task, call.read, 0)
        script.times(number, one)
        walk.session.run(script)
        done += number
        fitting = SLICE_SECONDS * number / (time.monotonic() - started)
        number = max(1, min(MOST_PER_SCRIPT, int(fitting)))
        if not repeats(walk, call):
            return f"after {done} calls {name_of(trial, call)} gives another result than at first"
    return ""


def run_leftover(trial: OperationTrial) -> None:
    """Change what a call left in static memory, and call again."""
    if trial.subject.state_bytes == 0:
        raise CheckSkipped("the package has no static memory that it could write")
    if trial.subject.state_bytes > MOST_STATE_BYTES:
        raise CheckSkipped(f"its static memory has {trial.subject.state_bytes} bytes")
    remarks: list[str] = []
    with trial.session() as session:
        for one in groups(trial, (SHORT_BYTES,)):
            walk = ReferenceWalk(session, one)
            calls = walked(trial, walk)
            others = walked(trial, walk)
            for call, other in zip(calls, others, strict=True):
                if repeats(walk, call):
                    _tell(trial, call, _tamper(trial, walk, call, other), remarks)
    _remark(remarks)


def _tamper(
    trial: OperationTrial, walk: ReferenceWalk, call: RecordedCall, other: RecordedCall
) -> str:
    """Flip bytes that differ from call to call; none of them may matter to the next one."""
    walk.again(other)
    after_other = _state(walk, trial)
    walk.again(call)
    state = _state(walk, trial)
    changed = [at for at, (a, b) in enumerate(zip(state, after_other, strict=True)) if a != b]
    timer = clock(trial)
    for at in trial.random.sample(changed, min(TRIED_BYTES, len(changed))):
        try:
            same = walk.again(call, before=_flipped(state, at)) == (call.result, call.wrote)
        except AgentFault:
            same = False
        if not same:
            return (
                f"the result of {name_of(trial, call)} depends on byte {at} of the package's "
                "static memory, which an earlier call has written"
            )
        if timer.over:
            break
    return ""


def _flipped(state: bytes, at: int) -> Callable[[Script], None]:
    def before(script: Script) -> None:
        script.write(STATE, state)
        script.add(STATE, at, at + 1, FLIP)

    return before


def _state(walk: ReferenceWalk, trial: OperationTrial) -> bytes:
    script = Script()
    script.read(STATE, trial.subject.state_bytes)
    return walk.session.run(script)


def run_stack(trial: OperationTrial) -> None:
    """Leave different rubbish on the stack before the same call."""
    with trial.session() as session:
        for one in groups(trial, (SHORT_BYTES + 13,)):
            walk = ReferenceWalk(session, one)
            for call in walked(trial, walk):
                if repeats(walk, call):
                    _over_rubbish(trial, walk, call)


def _over_rubbish(trial: OperationTrial, walk: ReferenceWalk, call: RecordedCall) -> None:
    for value in STACK_VALUES:
        differs = walk.again(call, before=_rubbish(value)) != (call.result, call.wrote)
        if differs and repeats(walk, call):  # else it is not the stack that makes it differ
            raise CheckFailed(
                f"the result of {name_of(trial, call)} depends on what was on the stack before: "
                f"it differs where that was {value:02x}h"
            )


def _rubbish(value: int) -> Callable[[Script], None]:
    return lambda script: script.stack(STACK_BYTES, value)


CALLS_CHECK = Check(
    "state/calls",
    "Does a call give the same result after thousands of others, or dozens of slow ones?",
    "Short tests miss a static counter that overflows or a table that fills up.",
    "Keep no state between calls.",
    run_calls,
)
LEFTOVER_CHECK = Check(
    "state/leftover",
    "Are results independent of what earlier calls left in static memory?",
    (
        "Code that remembers its last message wins a benchmark that repeats one input, and two "
        "threads that share static memory corrupt each other's results."
    ),
    "Make variables local, and compute tables once, at compile time.",
    run_leftover,
)
STACK_CHECK = Check(
    "state/stack",
    "Are results independent of earlier contents of the stack?",
    ("An uninitialised variable may have the same value in every test and another one in use."),
    "Initialise the variable; memory/initialised (`--deep`) names it.",
    run_stack,
)
