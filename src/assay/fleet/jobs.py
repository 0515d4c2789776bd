# SPDX-License-Identifier: MIT
"""What travels between a server and its workers: jobs, and what is told of them.

Both are plain JSON, read with suspicion, and never pickles. Archives and bundles travel apart, by
their SHA-256. A job may have options that change the effort, and nothing about the machine;
servers and workers both look, since neither takes the other's word.
"""

import json
import re
from collections.abc import Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import asdict

from assay.errors import AssayError
from assay.store import records

FORMAT = 1
"""Of jobs and tidings; two versions of Assay work together if this number is the same."""
APPROVAL, ASKED = "approval", "asked"  # a fact of a machine where a person is to agree
CLOCK = "clock"  # a fact: the moment of a registration, as the machine's own clock has it
MOST_BYTES = 500_000  # of one record: NATS takes a million in one message, unless told otherwise
_PLAIN = re.compile(r"[A-Za-z0-9-]")
_ESCAPED = re.compile(r"_([0-9a-f]{2})")


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


class Job(Struct, frozen=True):
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


class Tidings(Struct, frozen=True):
    """What a worker tells of a job."""

    job: str
    machine: str
    advance: Advance
    bundle: str = ""  # SHA-256 of the bundle of results, once it is done
    reason: str = ""  # in words for the submitter
    format: int = FORMAT


class Registration(Struct, frozen=True):
    """A machine as its worker describes it: facts are claims until a signed bundle has them."""

    machine: str
    lanes: tuple[str, ...]
    assay: str  # the version
    facts: dict[str, str]  # processor, compilers, targets, doctor's class
    key: str = ""  # the public key by which its bundles are signed
    state: str = "ready"  # or paused, draining
    format: int = FORMAT


Record = TypeVar("Record", Job, Tidings, Registration)
FLAG = re.compile("")
NUMBER = re.compile(r"[1-9]\d{0,3}")
SIZES = re.compile(r"\d{1,4}/\d{1,4}(/\d{1,4})?|all")
CHECK = re.compile(r"[a-z0-9-]{1,40}/[a-z0-9-]{0,40}")
PERCENT = re.compile(r"\d{1,2}(\.\d{1,3})?%?")
SAFE = MappingProxyType(
    {
        Action.JUDGE: {"--deep": FLAG, "--unhurried": FLAG},
        Action.MEASURE: {
            "--accept": CHECK,
            "--all": FLAG,
            "--best": NUMBER,
            "--curve": FLAG,
            "--exhaustive": FLAG,
            "--glance": FLAG,
            "--launches": NUMBER,
            "--most-launches": NUMBER,
            "--precision": PERCENT,
            "--race": FLAG,
            "--samples": NUMBER,
            "--sizes": SIZES,
        },
    }
)


class WireError(AssayError):
    """What came over a queue is no record, or another version's."""


def encode(record: Job | Tidings | Registration) -> str:
    """Return a record as JSON; WireError if it is too long to travel."""
    text = json.dumps(asdict(record))
    if len(text) > MOST_BYTES:
        raise WireError(f"a {type(record).__name__} of {len(text)} bytes is too long for a queue")
    return text


def decode(kind: type[Record], text: str | bytes) -> Record:
    """Return the record of JSON that a stranger may have written; WireError if it is none."""
    if len(text) > MOST_BYTES:
        raise WireError(f"a {kind.__name__} of {len(text)} bytes is too long")
    try:
        record = records.load(kind, text)
    except AssayError as error:
        raise WireError(f"no {kind.__name__} came over the queue: {error}") from error
    if record.format != FORMAT:
        raise WireError(
            f"a {kind.__name__} has format {record.format}; this Assay knows {FORMAT}",
            "Use one version of Assay for the server and all of its workers.",
        )
    return record


def token(name: str) -> str:
    """Return a name in letters, digits, `-` and `_`, by which the name can be told again."""
    return "".join(chr(one) if _PLAIN.match(chr(one)) else f"_{one:02x}" for one in name.encode())


def name_of(text: str) -> str:
    """Return the name of which `token` made this."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text).encode("latin-1").decode()


def refused_option(action: Action, options: Sequence[str]) -> str:
    """Return why a job with these options is refused; nothing if all of them are safe."""
    left = list(options)
    while left:
        name = left.pop(0)
        form = SAFE[action].get(name)
        if form is None:
            known = ", ".join(SAFE[action])
            return f"a job that is to {action.value} has no option {name!a}; there are {known}"
        if form is FLAG:
            continue
        value = left.pop(0) if left else ""
        if not form.fullmatch(value):
            return f"{name} has the value {value!a}, which does not have its form"
    return ""
