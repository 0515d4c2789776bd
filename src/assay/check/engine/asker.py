# SPDX-License-Identifier: MIT
"""What asks: a digest of the sources on which the verdicts on a kind of package depend.

Verdicts are kept with it, and those of another asker are not taken for an answer. Reports,
pages and measuring are not part of it; the harness and the compiler belong to the build.
"""

import functools
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from assay.model import PackageKind

SOURCE = Path(__file__).parents[2]
SHARED = ("compile", "elf", "execute", "machine", "model", "package", "targets", "timing")
SUFFIXES = (".py", ".toml")


@functools.cache
def asked_by(kind: str, source: Path = SOURCE) -> str:
    """Return the digest of all that asks packages of a kind."""
    digest = hashlib.sha256()
    for path in sorted(_files(kind, source)):
        digest.update(str(path.relative_to(source)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _files(kind: str, source: Path) -> Iterator[Path]:
    """Yield the sources; what other kinds are asked is none of them."""
    others = {str(source / "check" / other) for other in PackageKind if other != kind}
    for folder in ("check", *SHARED):
        for place, folders, files in os.walk(source / folder):
            folders[:] = [one for one in folders if f"{place}/{one}" not in others]
            yield from (Path(place, one) for one in files if one.endswith(SUFFIXES))
