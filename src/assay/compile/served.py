# SPDX-License-Identifier: MIT
"""Headers of SUPERCOP that packages of other APIs include: of integers, of other primitives.

SUPERCOP has them for whatever it compiles (`crypto_uint32.h`, `crypto_verify_16.h`). A package
finds them behind its own files and its API's, and is linked with Assay's own implementation.
"""

import shutil
from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay.compile.files import key_of
from assay.compile.parts import HARNESS, HOSTED
from assay.compile.supercop.layout import write_texts
from assay.compile.supercop.names import abi_of, shared_headers
from assay.compile.supercop.subroutines import Subroutine, resolved
from assay.model import Configuration, Package, Target
from assay.package.places import TREE, shipped
from assay.package.supercop.api import subroutines
from assay.package.supercop.files import Files

_PROVIDED = HARNESS / "supercop" / "include"
_RANDOM = "agent/random.c"


class Served(Struct, frozen=True):
    """What a package gets of Assay's own: names of headers, and implementations of primitives."""

    headers: tuple[str, ...] = ()
    subroutines: tuple[Subroutine, ...] = ()

    def __bool__(self) -> bool:
        """Return whether it gets anything."""
        return bool(self.headers or self.subroutines)

    @property
    def identity(self) -> str:
        """Name what compilers see of it besides the harness; empty for nothing."""
        texts = (f"{one.package.code_identity} {one.league}" for one in self.subroutines)
        return key_of(*self.headers, *texts) if self else ""

    @property
    def folder(self) -> str:
        """Name the folder of the headers in that of a build, after what is in it."""
        return f"served-{self.identity[:16]}"

    @property
    def options(self) -> tuple[str, ...]:
        """Return what a compile line ends with, so that all other folders come first."""
        return (f"-I{self.folder}",) if self else ()

    @property
    def notes(self) -> tuple[str, ...]:
        """State what was taken, for the record of a build."""
        return (f"with Assay's own {', '.join(self.headers)}",) if self.headers else ()

    def services(self, target: Target) -> tuple[str, ...]:
        """Name the sources of the harness whose functions these headers declare."""
        return (_RANDOM,) if self and target.runtime in HOSTED else ()

    def stage(self, home: Path) -> None:
        """Write the headers into the folder of a build."""
        if self:
            shutil.copytree(_PROVIDED, home / self.folder)
            for one in self.subroutines:
                write_texts(home / self.folder, shared_headers(one.package, one.league))


def served(package: Package, configuration: Configuration, target: Target) -> Served:
    """Find what a package includes and has not; those of operations have a way of their own."""
    if package.kind.rules.combined:
        return Served()
    headers, primitives = _wanted(package.root, package.files, package.content_hash)
    if not primitives:
        return Served(headers)
    wanted = [(name, "") for name in primitives]
    chosen = resolved(wanted, shipped() / TREE, abi_of(configuration, target))
    return Served(headers, tuple(replace(one, shipped=True) for one in chosen.subroutines))


@lru_cache(maxsize=4096)
def _wanted(
    root: Path, names: tuple[str, ...], _content: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the headers of the harness and the primitives that a package's files include."""
    files = Files(root, {name: str(root / name) for name in names}, ())
    own = {name.rsplit("/", 1)[-1] for name in names} | _of_apis()
    headers = sorted(one for one in files.includes() if one in _provided() and one not in own)
    return tuple(headers), subroutines(files, "", own)[0]


@lru_cache(maxsize=1)
def _provided() -> frozenset[str]:
    return frozenset(path.name for path in _PROVIDED.iterdir())


@lru_cache(maxsize=1)
def _of_apis() -> frozenset[str]:
    return frozenset(path.name for path in (HARNESS / "api").iterdir())
