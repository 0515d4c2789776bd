# SPDX-License-Identifier: MIT
"""Whether all instructions of a package are a compiler's choice."""

import re
from pathlib import Path

from assay.model import Package
from assay.model.operations import OPERATIONS

_BY_HAND = re.compile(r"\basm\b|__asm|\b_mm\d*_|__builtin_ia32|<\w*intrin\.h>|\bincbin\b")
_COMPILED = (".c", ".cc", ".cpp")
_OTHERS = (".s", ".S", ".asm", ".a", ".o", ".rs", ".jazz")
_MOST_BYTES = 4 << 20


def compiled_alone(package: Package) -> bool:
    """Return whether the package is plain C or C++, without assembly, intrinsics or libraries.

    Of a subroutine of another primitive, every implementation in the tree has to be.
    """
    details = package.details
    folders = [package.root]
    if details is not None:
        if details.shared:
            return False
        folders += [_primitive(details.tree, name) for name in details.includes]
    return all(_plain(folder) for folder in folders)


def _primitive(tree: Path, name: str) -> Path:
    """Return the folder of a primitive that a header is named after: `crypto_hash_sha512`."""
    operation = max((one for one in OPERATIONS if name.startswith(f"{one}_")), key=len, default="")
    return tree / operation / name.removeprefix(f"{operation}_") if operation else tree / name


def _plain(folder: Path) -> bool:
    """Return whether a folder has files, and none in assembly or with intrinsics."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    sources = [path for path in paths if path.suffix in (*_COMPILED, ".h", ".inc")]
    foreign = any(path.suffix in _OTHERS for path in paths)
    return bool(sources) and not foreign and not any(_BY_HAND.search(_text(p)) for p in sources)


def _text(path: Path) -> str:
    with path.open(encoding="latin-1") as file:
        return file.read(_MOST_BYTES)
