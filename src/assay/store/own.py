# SPDX-License-Identifier: MIT
"""Which verdicts and launches this user's Assay stored here, and which came with the file.

Each carries a mark (`machine/marks.py`). Those without are shown, and nothing is built on them.
"""

import hashlib
import json
from dataclasses import replace
from typing import Any

from assay.machine.marks import is_mark, mark_of
from assay.model import Build
from assay.store import records
from assay.store.rows import StoredChecks

# What verdicts are about: columns of `build`.
_BUILT = (
    *("place", "content_hash", "contents", "harness", "selector", "variant", "configuration"),
    *("target", "object_hash"),
)
# What a launch is of: columns of `launch`.
_LAUNCHED = (
    *("place", "selector", "variant", "configuration", "target", "object_hash", "harness"),
    "disturbed",
)
MARK = "mark"


def marked(row: Any, verdicts: StoredChecks) -> StoredChecks:
    """Return verdicts on the build in a row of `build`, with their mark."""
    build = records.load(Build, row["record"])
    return replace(verdicts, mark=mark_of(*_about(row, build, verdicts)))


def own_checks(row: Any, build: Build, verdicts: StoredChecks) -> bool:
    """Return whether verdicts were stored by this user's Assay, on just this build."""
    return is_mark(verdicts.mark, *_about(row, build, verdicts))


def marked_launch(row: dict[str, Any], record: str, samples: bytes) -> str:
    """Return a launch's record with its mark; `samples` is their digest, `row` its columns."""
    kept = {**json.loads(record), "samples_digest": samples.hex()}
    return json.dumps({**kept, MARK: mark_of(*_of_launch(row, kept))}, sort_keys=True)


def own_launch(row: Any) -> bool:
    """Return whether a row of `launch` was stored by this user's Assay."""
    with records.told("launch"):
        kept = json.loads(row["record"])
        return is_mark(str(kept.pop(MARK, "")), *_of_launch(row, kept))


def samples_digest(samples: list[tuple[str, bytes]]) -> bytes:
    """Return the digest of the samples of a launch: their records and packed ticks."""
    digest = hashlib.sha256()
    for record, ticks in samples:
        text = record.encode()
        digest.update(b"%d %d " % (len(text), len(ticks)) + text + ticks)
    return digest.digest()


def _about(row: Any, build: Build, verdicts: StoredChecks) -> tuple[bytes, ...]:
    """Return what the mark of verdicts is of."""
    columns = [row[name] for name in _BUILT]
    about = (columns, build.object_hash, build.stage.value)
    return (b"checks", json.dumps(about, default=repr).encode(), _text(verdicts))


def _text(verdicts: StoredChecks) -> bytes:
    return records.dump(verdicts, omit=(MARK,)).encode()


def _of_launch(row: Any, kept: dict[str, Any]) -> tuple[bytes, ...]:
    """Return what the mark of a launch is of."""
    columns = [row[name] for name in _LAUNCHED]
    return (
        b"launch",
        *(json.dumps(one, sort_keys=True, default=repr).encode() for one in (columns, kept)),
    )
