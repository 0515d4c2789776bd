# SPDX-License-Identifier: MIT
"""What travels between a server and its workers: jobs, and what is told of them.

Both are plain JSON, never pickles. Archives and bundles travel apart, by their SHA-256.
"""

from dataclasses import dataclass
from enum import StrEnum

FORMAT = 1
"""Of jobs and tidings; two versions of Assay work together if this number is the same."""
APPROVAL, ASKED = "approval", "asked"  # a fact of a machine where a person is to agree
CLOCK = "clock"  # a fact: the moment of a registration, as the machine's own clock has it


class Action(StrEnum):
    """What a worker does with a submission."""

    JUDGE = "judge"
    MEASURE = "measure"


def measure_lane(machine: str) -> str:
    """Return the lane of the workers of one machine."""
    return f"{Action.MEASURE}.{machine}"


def judge_lane(target: str) -> str:
    """Return the lane of whoever has a target."""
    return f"{Action.JUDGE}.{target}"


@dataclass(frozen=True, slots=True)
class Job:
    """One submission for one worker; a queue takes a name once.

    `lane` says who may take it: `judge.TARGET` for any worker that has the target, and
    `measure.MACHINE` for the workers of one machine.
    """

    name: str
    lane: str
    action: Action
    archive: str  # SHA-256, in hexadecimal
    account: str
    packages: tuple[str, ...] = ()  # selectors below the unpacked archive; all without any
    options: tuple[str, ...] = ()  # of `assay check` or `assay run`, from a list of what is safe
    format: int = FORMAT


class Advance(StrEnum):
    """How far a worker is with a job."""

    BEGUN = "begun"
    DONE = "done"
    REFUSED = "refused"  # by the machine's owner, or since it does not fit; another may take it


@dataclass(frozen=True, slots=True)
class Tidings:
    """What a worker tells of a job."""

    job: str
    machine: str
    advance: Advance
    bundle: str = ""  # SHA-256 of the bundle of results, once it is done
    reason: str = ""  # in words for the submitter
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Registration:
    """A machine as its worker describes it: facts are claims until a signed bundle has them."""

    machine: str
    lanes: tuple[str, ...]
    assay: str  # the version
    facts: dict[str, str]  # processor, compilers, targets, doctor's class
    key: str = ""  # the public key by which its bundles are signed
    state: str = "ready"  # or paused, draining
    format: int = FORMAT
