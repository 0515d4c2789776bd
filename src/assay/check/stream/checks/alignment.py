# SPDX-License-Identifier: MIT
"""Whether buffers may stand anywhere.

The API promises buffers that are aligned for the machine's largest word, so
code that faults on others conforms: it is skipped, with the reason. Code that
accepts them and gives other results is wrong everywhere.
"""

from dataclasses import replace
from typing import Any

from assay.check.check import Check, CheckSkipped
from assay.check.stream.checks.laying import (
    SECOND,
    EqualPairs,
    Message,
    Places,
    Processed,
    fresh,
    lay,
    load_key,
    process,
    put,
)
from assay.check.stream.checks.ways import shift, ways_of
from assay.check.stream.session import StreamSession
from assay.check.stream.trial import Trial
from assay.check.stream.vectors.produce import ROOM
from assay.execute.agent import AgentFault

ALIGNMENT = 16  # of the framework's own buffers, MAXT
LONG_BLOCKS = 9  # enough for implementations that take eight blocks at a time
GROUPS = (
    ("source",),
    ("to",),
    ("key", "iv", "aad", "mac"),
    ("key", "iv", "aad", "source", "to", "mac"),
)


def alignments(trial: Trial) -> None:
    """Put the buffers at every alignment."""
    faults: dict[int, str] = {}
    for sizes in trial.few_sizes:
        message = fresh(trial, sizes, LONG_BLOCKS * trial.subject.block_bytes + 7)
        with trial.session() as session:
            _try_all(session, message, (1, 4, 8), faults)
            if trial.thorough:
                rest = sorted(set(range(1, ALIGNMENT)) - {1, 4, 8})
                _try_all(session, message, rest, faults)
    if faults:
        step, fault = min(faults.items())
        raise CheckSkipped(
            "this code works with aligned buffers only, and the API promises no others: "
            f"{step} bytes off, {fault}"
        )


def _try_all(
    session: StreamSession, message: Message, steps: list[int] | tuple[int, ...],
    faults: dict[int, str],
) -> None:  # fmt: skip
    """Compare misaligned with aligned use; remember faults and go on after them."""
    places = lay(session, message)
    load_key(session, places, message.sizes)
    aligned = [process(session, way, places, message) for way in ways_of(session.subject)]
    session.agent.flush()
    far = lay(session, message, SECOND, room=ALIGNMENT + ROOM)
    for step in steps:
        try:
            _shift_each(session, message, places, far, aligned, step)
        except AgentFault as fault:
            faults.setdefault(step, str(fault))


def _shift_each(
    session: StreamSession, message: Message, places: Places, far: Places,
    aligned: list[Processed], step: int,
) -> None:  # fmt: skip
    """Put groups of buffers `step` bytes off alignment and compare the outcomes."""
    moved: dict[str, Any] = {name: shift(getattr(far, name), step) for name in GROUPS[-1]}
    inputs = {"key": message.key, "iv": message.iv, "aad": message.aad, "source": message.text}
    for name, value in inputs.items():
        put(session, moved[name], value)
    pairs = EqualPairs(message)
    for group in GROUPS:
        there = replace(places, **{name: moved[name] for name in group})
        load_key(session, there, message.sizes)
        for way, expected in zip(ways_of(session.subject), aligned, strict=True):
            complaint = f"{way.name} gives other results with {' and '.join(group)} "
            complaint += f"{step} bytes off alignment"
            pairs.expect(complaint, expected, process(session, way, there, message))
    pairs.judge()


CHECKS = (
    Check(
        name="buffers/alignment",
        asks="May buffers have any alignment?",
        why=(
            "Fields of network packets can have any alignment. The API promises aligned "
            "buffers, so a fault on misaligned ones is skipped, not failed; wrong results "
            "without a fault would go unnoticed."
        ),
        cure=(
            "Load and store words with U8TO32_LITTLE, U32TO8_LITTLE and their family, or with "
            "memcpy. Never round or mask an address."
        ),
        run=alignments,
    ),
)
