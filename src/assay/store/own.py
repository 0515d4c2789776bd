# SPDX-License-Identifier: MIT
"""Which verdicts and launches this user's Assay stored here, and which came with the file.

Each carries a mark (`machine/cache.py`). Those without are shown, and nothing is built on them.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from assay.machine.cache import MARK_CHARACTERS, is_mark, mark_of
from assay.model import Build
from assay.store import records
from assay.store.rows import StoredChecks

# What verdicts are about: columns of `build`.
_BUILT = (
    *("place", "content_hash", "contents", "harness", "selector", "variant", "configuration"),
    *("target", "object_hash"),
)
# What a launch is of: the columns of `launch` between its number and its record.
LAUNCHED = (
    *("place", "selector", "variant", "configuration", "target", "object_hash", "harness"),
    "disturbed",
)
MARK = "mark"
_TEXT = json.JSONEncoder(default=repr).encode  # json.dumps makes an encoder for each call
_MARKED = re.compile(f'"{MARK}": "([0-9a-f]{{{MARK_CHARACTERS}}})", ')


def marked(row: Any, verdicts: StoredChecks) -> StoredChecks:
    """Return verdicts on the build in a row of `build`, with their mark."""
    build = records.load(Build, row["record"])
    text = records.dump(verdicts, omit=(MARK,))
    return replace(verdicts, mark=mark_of(*_about(row, build, text)))


def own_checks(row: Any, build: Build, results: str) -> bool:
    """Return whether verdicts were stored by this user's Assay, on just this build."""
    try:
        mark, text = _without_mark(results)
        return bool(mark) and is_mark(mark, *_about(row, build, text))
    except records.DAMAGE as why:
        raise records.damaged("verdict", why) from why


def marked_launch(columns: Sequence[Any], record: str, samples: bytes) -> str:
    """Return a launch's record with its mark; `samples` is their digest, `columns` LAUNCHED."""
    kept = {**json.loads(record), "samples_digest": samples.hex()}
    mark = mark_of(*_of_launch(columns, json.dumps(kept, sort_keys=True)))
    return json.dumps({**kept, MARK: mark}, sort_keys=True)


def own_launch(columns: Sequence[Any], record: str) -> bool:
    """Return whether a launch was stored by this user's Assay; `columns` are LAUNCHED."""
    try:
        mark, text = _without_mark(record)
        return bool(mark) and is_mark(mark, *_of_launch(columns, text))
    except records.DAMAGE as why:
        raise records.damaged("launch", why) from why


def _without_mark(text: str) -> tuple[str, str]:
    """Take a record's mark out of it: the rest is, byte by byte, what the mark is of."""
    found = _MARKED.search(text)
    return (found[1], text[: found.start()] + text[found.end() :]) if found else ("", text)


def samples_digest(samples: list[tuple[str, bytes]]) -> bytes:
    """Return the digest of the samples of a launch: their records and packed ticks."""
    digest = hashlib.sha256()
    for record, ticks in samples:
        text = record.encode()
        digest.update(b"%d %d " % (len(text), len(ticks)) + text + ticks)
    return digest.digest()


def _about(row: Any, build: Build, text: str) -> tuple[bytes, ...]:
    """Return what the mark of verdicts is of."""
    columns = [row[name] for name in _BUILT]  # by name: a stranger's file may order them otherwise
    about = (columns, build.object_hash, build.stage.value)
    return (b"checks", _TEXT(about).encode(), text.encode())


def _of_launch(columns: Sequence[Any], text: str) -> tuple[bytes, ...]:
    """Return what the mark of a launch is of."""
    return b"launch", _columns(*columns), text.encode()


@lru_cache(maxsize=256, typed=True)
def _columns(*values: Any) -> bytes:
    """Write columns, which most launches of a code have in common."""
    return _TEXT(values).encode()
