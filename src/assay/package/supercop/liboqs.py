# SPDX-License-Identifier: MIT
"""An implementation of liboqs as a package: its sources, the headers of all, and its functions.

Names in the package are those below the tree's `src`. liboqs's own wrapper of an algorithm
(`OQS_KEM_kyber_512_keypair`) is called, so that all of them are used in one way, from the C in
`entries/`. A signed message there is the signature and the message behind it. Where signatures
are of different lengths, two bytes at the end say how long this one is, and nothing is written
behind them.
"""

import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from pathlib import Path

from assay.errors import PackageError
from assay.model import Package
from assay.model.operation import Op
from assay.model.packages import OperationDetails
from assay.package.records import language_of, operation_package
from assay.package.supercop.files import (
    SOURCES,
    Files,
    facts_of,
    is_below,
    is_inside,
    leaves,
    read_files,
)
from assay.package.supercop.liboqs_tree import AlgorithmFamily, LiboqsBuild, family_of
from assay.package.supercop.listing import Listed
from assay.package.text import code_of, read_text
from assay.targets.architectures import abi_of_pqclean

_HEADERS = (".h", ".inc", ".macros")
_MACRO = re.compile(r"""[A-Za-z_]\w*(?:=[\w.+-]*|="[\w./+-]*")?""", re.ASCII)
_MACHINES = {"x86_64": "x86_64", "avx2": "x86_64", "aarch64": "arm_8", "neon": "arm_8"}
_VARYING = frozenset({"falcon_512", "falcon_1024"})


def load_liboqs(one: Listed) -> Package:
    """Read an implementation that was listed; PackageError says why that is impossible."""
    operation, algorithm, *rest = one.place.split("/")
    source = one.tree / "src"
    family = family_of(source, operation, algorithm)
    name = "/".join(rest)
    built = [it for it in family.built() if (it.algorithm, it.name) == (algorithm, name)]
    if not built:
        raise PackageError(f"{family.folder} builds no {one.place}", "List the tree again.")
    return _package(one, family, built[0], source)


def _package(one: Listed, family: AlgorithmFamily, built: LiboqsBuild, source: Path) -> Package:
    sources = _sources(family, built)
    folders = family.names(built.target.folders)
    wanted = _enabled(family, built)
    macros = tuple(dict.fromkeys((*wanted, *filter(_MACRO.fullmatch, built.target.macros))))
    forced = family.names(built.target.forced)
    details = OperationDetails(
        operation=family.kind.operation,
        tree=one.tree,
        language=language_of(sources),
        layout=one.layout,
        constants=(),
        architectures=_architectures(built),
        shared=_public(source),
        folders=(*folders, "."),
        defines=tuple((name, macro) for name in sources for macro in macros),
        forced=tuple((name, header) for name in sources for header in forced),
        entry=entry(family, built.algorithm, wanted),
        answers=_answers(one.tree, family),
    )
    return operation_package(
        one.place,
        source,
        f"{family.kind.folder}/{family.name}/{family.header.name}",
        sources,
        _files(family, source, sources, folders),
        details,
    )


def _sources(family: AlgorithmFamily, built: LiboqsBuild) -> tuple[str, ...]:
    """Name what is compiled: the library's sources, and the wrapper of this algorithm alone.

    Sources that the build adds for other algorithms of the library are left out.
    """
    names = family.names(_own(family, built))
    foreign = [name for name in names if not name.endswith(SOURCES)]
    if foreign or not names:
        raise PackageError(
            f"{built.target.name} is built of {foreign[0] if foreign else 'nothing'}",
            f"Assay compiles {' '.join(SOURCES)}.",
        )
    wrappers = family.wrappers()
    own = tuple(name for name, which in wrappers.items() if built.algorithm in which)
    if not own:
        raise PackageError(
            f"no source of {family.folder} defines OQS_{family.kind.word}_{built.algorithm}_*",
            "Take the whole tree of liboqs.",
        )
    kept = (name for name in names if not wrappers.get(name) or name in own)
    return tuple(dict.fromkeys((*own, *kept)))


def _own(family: AlgorithmFamily, built: LiboqsBuild) -> Iterator[str]:
    """Yield sources but for those that only options of other algorithms ask for."""
    every = {f"OQS_ENABLE_{family.kind.word}_{one}" for one in family.algorithms()}
    mine = f"OQS_ENABLE_{family.kind.word}_{built.algorithm}"
    for source in built.target.sources:
        asked = every.intersection(built.target.under.get(source, ()))
        if not asked or mine in asked:
            yield source


def _files(
    family: AlgorithmFamily, source: Path, sources: Iterable[str], folders: Iterable[str]
) -> dict[str, str]:
    """Find the files of the folders of sources and headers, and the headers of all."""
    own = f"{family.kind.folder}/{family.name}/"
    inside = [*(name.rpartition("/")[0] for name in sources), *folders]
    tops = {name.removeprefix(own).split("/")[0] for name in inside if name.startswith(own)}
    found = {name: str(source / name) for name in sources}
    for top in sorted(tops):
        found |= _below(read_files(family.folder / top, source.parent), source)
    common = _below(read_files(source / "common", source.parent), source)
    found |= {name: real for name, real in common.items() if name.endswith(_HEADERS)}
    found |= {
        str(path.relative_to(source)): str(path)
        for path in family.folder.iterdir()
        if path.is_file() and path.name.endswith(_HEADERS)
    }
    return dict(sorted((name, _inside(path, source)) for name, path in found.items()))


def _inside(path: str, source: Path) -> str:
    """Return a file's real place; PackageError if it is outside of the tree, or is none."""
    real, limit = os.path.realpath(path), os.path.realpath(source.parent)
    if not is_below(real, limit):
        raise leaves(path, limit)
    facts_of(real)
    return real


def _below(files: Files, source: Path) -> dict[str, str]:
    above = files.folder.relative_to(source).as_posix()
    return {f"{above}/{name}": real for name, real in files.real.items()}


def _public(source: Path) -> tuple[tuple[str, Path], ...]:
    """Return the headers that liboqs's build copies into `oqs/`, by their names there."""
    every = [source / "oqs.h", *sorted((source / "common").glob("*.h"))]
    every += sorted((source / "common").glob("*/*.h"))
    for kind in ("kem", "sig", "sig_stfl"):
        every += [source / kind / f"{kind}.h", *sorted((source / kind).glob(f"*/{kind}_*.h"))]
    shims = source / "common" / "pqclean_shims"
    found = {f"oqs/{one.name}": one for one in every if one.parent != shims and one.is_file()}
    return tuple((name, Path(_inside(str(path), source))) for name, path in sorted(found.items()))


def _enabled(family: AlgorithmFamily, built: LiboqsBuild) -> tuple[str, ...]:
    """Name liboqs's options that have it use this implementation of this algorithm."""
    word = family.kind.word
    found = [f"OQS_ENABLE_{word}_{built.algorithm}"]
    own = [one for one in built.target.wanted if built.algorithm in one or one.isupper()]
    if any("LIBJADE" in one for one in own):
        found += ["OQS_LIBJADE_BUILD", f"OQS_ENABLE_LIBJADE_{word}_{built.algorithm}"]
    return tuple(dict.fromkeys((*found, *own)))


def _answers(tree: Path, family: AlgorithmFamily) -> tuple[Path, ...]:
    """Return the file with digests of known answers, of all algorithms of a kind."""
    path = tree / "tests" / "KATs" / family.kind.folder / "kats.json"
    return (path,) if is_inside(path, tree) and path.is_file() else ()


def _architectures(built: LiboqsBuild) -> tuple[str, ...]:
    words = built.name.split("_")
    named = [machine for name, machine in _MACHINES.items() if name in words or
             built.name.endswith(name)]  # fmt: skip
    return tuple(dict.fromkeys(map(abi_of_pqclean, named)))


def entry(family: AlgorithmFamily, algorithm: str, options: Iterable[str]) -> str:
    """Write what an adapter includes; `options` are liboqs's that enable the algorithm."""
    kind = family.kind
    lines = [f"#define {one} 1" for one in options]
    lines += ["#include <string.h>", f"#include <oqs/{family.header.name}>", ""]
    trailer = 2 if algorithm in _VARYING else 0
    own = f"OQS_{kind.word}_{algorithm}"
    pieces = (kind.operation, *_further(family, algorithm, own))
    text = "".join(map(_piece, pieces))
    text = text.replace("OQS_ALGORITHM", own).replace("TRAILER_BYTES", str(trailer))
    return "\n".join([*lines, text])


@cache
def _piece(name: str) -> str:
    """Read C of an entry, without the line that has its licence."""
    text = resources.files("assay.package").joinpath("supercop", "entries", f"{name}.c")
    return text.read_text("ascii").partition("\n")[2]


def _further(family: AlgorithmFamily, algorithm: str, own: str) -> Iterator[str]:
    """Name what only some algorithms have: functions that take coins, and with contexts.

    All are declared; where there is no such thing the length of the seed is 0 or unknown, and
    the wrapper's record says that there are no contexts.
    """
    if family.kind.operation == Op.KEM:
        header = code_of(read_text(family.header))
        for seed, piece in (("keypair", "keypair_derand"), ("encaps", "enc_derand")):
            if re.search(rf"\b{own}_length_{seed}_seed[ \t]+[1-9]", header):
                yield piece
    elif family.has_contexts(algorithm):
        yield "contexts"
