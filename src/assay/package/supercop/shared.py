# SPDX-License-Identifier: MIT
"""Sources that all packages of a tree share: those of `common/` in the folders above.

PQClean has it beside its operations, mupq too; pqm4 has one of its own and mupq's as well.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from assay.package.supercop.files import Files, read_files
from assay.package.supercop.links import is_below

COMMON = "common"
_ELSEWHERE = ("mupq/common", "pqclean/common", "mupq/pqclean/common")
"""Where mupq, and pqm4 and its kind, keep the trees that they take sources from."""

_PQCLEANS = re.compile(r"(?:aes|sha2)\.[ch]")
"""mupq's own are for boards, whose assembly they call; its build for a host takes PQClean's."""

_OURS = frozenset({"randombytes.h", "randombytes.c", "crypto_declassify.h"})
_NISTS = frozenset({"rng.h", "rng.c"})
"""What Assay provides to submissions to NIST besides."""

_LEVELS = 4
_SUBFOLDER = re.compile(r"\bcommon/(\w{1,40})")


def shared_files(files: Files, tree: Path, *, lacking: bool = False) -> dict[str, str]:
    """Find what a package reaches of `common/` by #include or by its Makefile, with its places.

    With `lacking` a header that the package has itself is not looked for. Names begin with
    `common/`; of two folders the nearer one counts.
    """
    common = _joined([read_files(one, tree) for one in _commons(files.folder, tree)])
    if common is None:
        return {}
    own = {name.rsplit("/", 1)[-1] for name in files.real} | _NISTS if lacking else set()
    queue = [one for one in files.includes() if one.rsplit("/", 1)[-1] not in own]
    queue += _whole_folders(files, common)
    found: set[str] = set()
    while queue:
        for name in _meant(queue.pop(), common):
            if name not in found and name not in own:
                found.add(name)
                queue += common.facts(name).includes
    return {f"{COMMON}/{name}": common.real[name] for name in sorted(found)}


def is_framework(folder: Path, tree: Path) -> bool:
    """Return whether a package stands in a tree of PQClean's kind, which is not SUPERCOP's."""
    return next(_commons(folder, tree), None) is not None


def _joined(commons: list[Files]) -> Files | None:
    """Return several folders as one."""
    if not commons:
        return None
    real: dict[str, str] = {}
    for each in reversed(commons):
        real |= each.real
    hosts = (one.real for one in commons if "/pqclean/" in f"{one.folder}")
    real |= {name: at for one in hosts for name, at in one.items() if _PQCLEANS.fullmatch(name)}
    return Files(commons[0].folder, real, ())


def _whole_folders(files: Files, common: Files) -> list[str]:
    """Name what is in those folders of `common/` that the package's Makefile goes into."""
    makefile = files.text("Makefile") if "Makefile" in files.real else ""
    folders = set(_SUBFOLDER.findall(makefile))
    return [name for name in common.real if name.split("/")[0] in folders and "/" in name]


def _meant(header: str, common: Files) -> tuple[str, ...]:
    """Name the files that belong to a header: itself, and its source or its folder's sources."""
    if header in _OURS or header not in common.real:
        return ()
    parent, _, _ = header.rpartition("/")
    if parent:
        return tuple(name for name in common.real if name.startswith(f"{parent}/"))
    twin = f"{header.removesuffix('.h')}.c"
    return (header, twin) if twin in common.real else (header,)


def _commons(folder: Path, tree: Path) -> Iterator[Path]:
    """Yield the `common/` of the nearest folder above that has one, up to the tree."""
    limit = os.path.realpath(tree)
    for above in [*folder.parents][:_LEVELS]:
        if not is_below(os.path.realpath(above), limit):
            return
        found = [above / name for name in (COMMON, *_ELSEWHERE) if (above / name).is_dir()]
        if found:
            yield from found
            return
