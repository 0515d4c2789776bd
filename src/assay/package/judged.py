# SPDX-License-Identifier: MIT
"""What a package's outputs are compared with, as a digest: verdicts hold as long as it does."""

import hashlib
import json
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from assay.errors import PackageError
from assay.model.packages import OperationDetails
from assay.package.text import VECTOR_BYTES, open_regular
from assay.package.vectors import family_of


def judged_by_vectors(vectors: Path | None) -> str:
    """Return the digest of verified vectors, all files of a family; empty without any."""
    if vectors is None:
        return ""
    digests = [_digest_of_vectors(one) for one in family_of(vectors)]
    return digests[0] if len(digests) == 1 else _digest(digests)


def _digest_of_vectors(path: Path) -> str:
    try:
        at = path.stat()
        return _digest_of_file(path, (at.st_dev, at.st_ino, at.st_size, at.st_mtime_ns))
    except (OSError, PackageError) as error:  # the check of vectors reports it
        return _digest([str(error)])


def judged_by_outputs(details: OperationDetails) -> str:
    """Return the digest of a primitive's known answers and checksums, and of these' settings."""
    answers = [_digest_of_vectors(one) for one in details.answers]
    if not (details.checksum_small or details.checksum_big):
        return _digest(answers) if answers else ""
    sums = [details.checksum_small, details.checksum_big]
    return _digest([*sums, *(details.loops or ()), details.weights, *answers])


@lru_cache(maxsize=1024)
def _digest_of_file(path: Path, _identity: tuple[int, ...]) -> str:
    """Digest as much of a file as is read of vectors."""
    with os.fdopen(open_regular(path), "rb") as file:
        return hashlib.sha256(file.read(VECTOR_BYTES + 1)).hexdigest()


def _digest(values: Sequence[str | int | None]) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()
