# SPDX-License-Identifier: MIT
"""Records as JSON, and back with suspicion; names as parts of subjects, queues and files."""

import json
import re
from dataclasses import asdict
from typing import TypeVar

from assay.errors import AssayError
from assay.fleet.jobs import FORMAT, Job, Registration, Tidings
from assay.store import records

MOST_BYTES = 500_000  # of one record: NATS takes a million in one message, unless told otherwise
_PLAIN = re.compile(r"[A-Za-z0-9-]")
_ESCAPED = re.compile(r"_([0-9a-f]{2})")
Record = TypeVar("Record", Job, Tidings, Registration)


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
