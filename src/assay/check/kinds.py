# SPDX-License-Identifier: MIT
"""The kinds of primitives that can be put on trial: one entry each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assay.check.bench import Bench
from assay.check.check import Check
from assay.check.hash import session as hash_session
from assay.check.hash.checks import CHECKS as HASH_CHECKS
from assay.check.hash.exercise import exercise as exercise_hash
from assay.check.hash.trial import HashTrial
from assay.check.operation import session as operation_session
from assay.check.operation.checks import CHECKS as OPERATION_CHECKS
from assay.check.operation.exercise import exercise as exercise_operation
from assay.check.operation.trial import OperationTrial
from assay.check.stream import session as stream_session
from assay.check.stream.checks import CHECKS as STREAM_CHECKS
from assay.check.stream.exercise import exercise as exercise_stream
from assay.check.stream.trial import Trial as StreamTrial
from assay.check.trial import BaseTrial
from assay.execute.agent import Agent, AgentLost
from assay.model import Package, StreamSubject, Subject


@dataclass(frozen=True, slots=True)
class Kind:
    """How agents of a kind describe themselves, and what they are asked.

    `exercise` uses an agent a little, for what is seen from outside meanwhile.

    The checks of a kind take its own trials, which no common type can say.
    """

    name: str
    describe: Callable[[Agent], Subject]
    trial: Callable[..., BaseTrial[Any, Any]]
    checks: tuple[Check[Any], ...]
    exercise: Callable[..., None]


def _describe_stream(agent: Agent) -> StreamSubject:
    """Ask for a description; AgentLost if nothing could be asked of such a cipher."""
    subject = stream_session.describe(agent)
    sizes = (
        subject.key_bits and subject.iv_bits and (subject.mac_bits or not subject.authenticates)
    )
    if not sizes or not subject.block_bytes or not subject.buffer_bytes:
        raise AgentLost(
            f"by its header a block has {subject.block_bytes} bytes, the buffer "
            f"{subject.buffer_bytes}, and there are {len(subject.key_bits)} key sizes"
        )
    return subject


KINDS = {
    kind.name: kind
    for kind in (
        Kind("stream", _describe_stream, StreamTrial, STREAM_CHECKS, exercise_stream),
        Kind("hash", hash_session.describe, HashTrial, HASH_CHECKS, exercise_hash),
        Kind(
            "operation",
            operation_session.describe,
            OperationTrial,
            OPERATION_CHECKS,
            exercise_operation,
        ),
    )
}


def kind_of(package: Package) -> Kind:
    """Return the kind of a package."""
    return KINDS[package.kind]


def open_trial(
    package: Package,
    subject: Subject,
    connect: Callable[[], Agent],
    *,
    bench: Bench | None = None,
    thorough: bool = True,
    deep: bool = False,
    only: tuple[str, ...] = ("",),
) -> BaseTrial[Any, Any]:
    """Put a built package on trial; `only` says how the names of the checks begin."""
    kind = kind_of(package)
    return kind.trial(
        package, subject, connect, bench=bench, thorough=thorough, deep=deep, only=only
    )
