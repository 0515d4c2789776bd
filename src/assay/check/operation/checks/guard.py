# SPDX-License-Identifier: MIT
"""Whether functions read or write beyond the memory that they were given."""

from assay.check.check import Check, CheckFailed, CheckSkipped
from assay.check.operation.checks.walking import (
    LENGTHS_FACTOR,
    AtBegin,
    AtGuard,
    about,
    clock,
    groups,
    walked,
)
from assay.check.operation.trial import OperationTrial
from assay.check.operation.walk import ReferenceWalk

AROUND = (128, 256, 512, 1024, 4096)
LENGTHS = (*range(67), *(power + each for power in AROUND for each in (-1, 0, 1)))
FEW_LENGTHS = (0, 1, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 77, 127, 129, 255, 257, 1025)
BEGINNING = (0, 1, 64, 77)
LARGEST = 6200  # bytes of a message, what is added to it, and half as much again


def run(trial: OperationTrial) -> None:
    """Call everything with each variable ending where memory ends, then beginning there."""
    timer = clock(trial, LENGTHS_FACTOR)
    with trial.session() as session:
        if session.agent.page_bytes == 0:
            raise CheckSkipped("there are no inaccessible pages here; margins are looked at")
        place = AtGuard(session, LARGEST)
        for one in groups(trial, LENGTHS if trial.thorough else FEW_LENGTHS):
            walked(trial, ReferenceWalk(session, one, place))
            if timer.over:
                break
        for name, buffer in place.buffers.items():
            changed, first = session.agent.damage(buffer)
            if changed:
                where = f"from {-first} bytes before it on" if first < 0 else "behind it"
                what = f"{changed} bytes around {name} were changed"
                raise CheckFailed(f"{what}, {where} {about(one)}")
    with trial.fresh_session() as session:  # whose first buffers have nothing before them
        for one in groups(trial, BEGINNING):
            session.agent.forget_buffers()
            walked(trial, ReferenceWalk(session, one, AtBegin(session, session.agent.page_bytes)))


CHECK = Check(
    "buffers/guard",
    "Does every function read and write only within its buffers?",
    (
        "SUPERCOP looks at 16 bytes on either side of an output. A write 48 bytes behind it, or "
        "a read one byte behind an input, passes there and crashes a user's program later."
    ),
    (
        "Find the access that the report names. It is often a last block loaded or stored "
        "whole, or a loop that runs once too often."
    ),
    run,
)
