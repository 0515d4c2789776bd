# SPDX-License-Identifier: MIT
"""What an implementation consists of, by the layout that its author chose.

SUPERCOP's own: all sources directly in the folder. NIST's: the same less test programs
and its random numbers, with functions under their plain names, and sources in folders below.
PQClean's: prefixed names, and sources shared by all packages in `common/`.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay.model.api import Api
from assay.model.packages import Quirk
from assay.package.builds.rules import macros, unnamed
from assay.package.quirks import quirk
from assay.package.supercop.api import function_names
from assay.package.supercop.common import COMMON, framework_macros, is_framework, shared_files
from assay.package.supercop.elsewhere import HEADERS, NO_PART, beside_headers, helper_files
from assay.package.supercop.files import NAMESPACE, SOURCES, Files, names_symbols, reached
from assay.package.supercop.listing import API
from assay.package.text import defines, identifier

_GENERATOR = re.compile(r"(?:PQCgenKAT|genkat)\w*\.c(?:pp|c)?", re.IGNORECASE)
_C = (".c", ".cc", ".cpp")
_VECTORS = (".rsp", ".req")
_RANDOM = re.compile(r"\w*(?:rng|random)\w*\.c", re.IGNORECASE)
_RNG_SERVICES = re.compile(r"\b(?:seedexpander(?:_init)?|AES256_CTR_DRBG_Update|AES256_ECB)\s*\(")
SUPERCOPS = ("SUPERCOP",)
"""The macro that SUPERCOP defines, which code of its own for SUPERCOP asks for."""
OWN_RANDOM = "randombytes=package_randombytes"


class OperationParts(Struct, frozen=True):
    """What there is to compile, and how; see OperationDetails for the fields."""

    layout: str
    files: tuple[str, ...]
    sources: tuple[str, ...]
    prefix: str = ""
    shared: tuple[tuple[str, Path], ...] = ()
    folders: tuple[str, ...] = ()
    defines: tuple[tuple[str, str], ...] = ()
    by_table: bool = False
    quirks: tuple[Quirk, ...] = ()


def pqclean_parts(files: Files, prefix: str, tree: Path) -> OperationParts:
    """Return the parts of a package: its own sources and what it uses of `common/`."""
    sources = files.top(*SOURCES)
    shared = shared_files(files, tree)
    linked = tuple(name for name in shared if name.endswith(SOURCES))
    return OperationParts(
        "pqclean",
        tuple(files.real),
        (*sources, *linked),
        prefix=prefix,
        shared=tuple((name, Path(place)) for name, place in shared.items()),
        folders=(COMMON,) if shared else (),
    )


def own_parts(files: Files, operation: Api, primitive: str, tree: Path) -> OperationParts:
    """Return the parts of a package in SUPERCOP's or NIST's layout."""
    sources = files.top(*SOURCES)
    programs = tuple(name for name in sources if _GENERATOR.fullmatch(name))
    kept = tuple(name for name in sources if name not in programs)
    elsewhere = beside_headers(files, tree)
    if elsewhere:
        return _apart(files, (kept, programs), elsewhere, tree, operation)
    if has_table(files, kept, operation):
        return replace(_nist(files, kept, programs, tree, operation), by_table=True)
    undefined = SUPERCOPS if is_framework(files.folder, tree) else ()
    if uses_names(files, operation, primitive, undefined) or not _plain(files, kept, operation):
        random = tuple(name for name in kept if _is_random(files, name))
        alone = any(NAMESPACE in one.defined for one in files.every())  # it builds without, too
        dropped = random if alone and not _serves(files, kept, random) else ()
        names = tuple(name for name in files.real if name not in (*programs, *dropped))
        kept = tuple(name for name in kept if name not in dropped)
        quirks = _quirks(programs, dropped, dropped)
        return _with_shared(OperationParts("supercop", names, kept, quirks=quirks), files, tree)
    return _nist(files, kept, programs, tree, operation)


def _apart(
    files: Files,
    own: tuple[tuple[str, ...], tuple[str, ...]],
    elsewhere: dict[str, Path],
    tree: Path,
    operation: Api,
) -> OperationParts:
    """Return the parts of a package whose sources stand in a folder beside its api.h."""
    sources, programs = own
    programs += tuple(name for name in elsewhere if _GENERATOR.fullmatch(_base(name)))
    real = {**files.real, **{name: str(path) for name, path in elsewhere.items()}}
    every = Files(files.folder, {n: p for n, p in real.items() if n not in programs}, ())
    sources += tuple(n for n in elsewhere if n.endswith(SOURCES) and n not in programs)
    found = _nist(every, sources, programs, tree, operation)
    kept = set(found.files)
    headers = {name.rpartition("/")[0] for name in elsewhere if not name.endswith(SOURCES)}
    return replace(
        found,
        files=tuple(name for name in files.real if name in kept),
        shared=(*found.shared, *((n, p) for n, p in elsewhere.items() if n in kept)),
        folders=tuple(dict.fromkeys((*sorted(headers), *found.folders))),
    )


def _base(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def has_table(files: Files, sources: tuple[str, ...], operation: Api) -> bool:
    """Return whether a source fills the table by which NIST's lightweight benchmark calls."""
    table = operation.table
    if table is None:
        return False
    filled = re.compile(rf"\b{table.name}\s*=")
    including = (name for name in sources if table.header in files.facts(name).includes)
    return any(filled.search(files.code(name)) for name in including)


def uses_names(
    files: Files, operation: Api, primitive: str, undefined: tuple[str, ...] = ()
) -> bool:
    """Return whether anything includes the renaming header, or names symbols by macro.

    A package that has a header of that name itself does not mean the one that renames.
    `undefined` are macros that its tree does not define.
    """
    names = {operation.name, identifier(f"{operation.name}_{primitive}")}
    headers = names | {f"{name}_publicinputs" for name in names}
    every = tuple(files.every())
    own = set(map(_base, files.real))
    included = set(map(_base, reached(every, every, undefined))) - own
    return names_symbols(every) or any(one.removesuffix(".h") in headers for one in included)


def _plain(files: Files, sources: tuple[str, ...], operation: Api) -> bool:
    """Return whether a C source defines a function of the operation under its plain name."""
    texts = [files.code(name) for name in sources if name.endswith(_C)]
    return any(defines(text, name) for name in function_names(operation) for text in texts)


def _nist(
    files: Files, sources: tuple[str, ...], programs: tuple[str, ...], tree: Path, operation: Api
) -> OperationParts:
    """Leave out what belongs to NIST's framework."""
    folders, below = nested(files, sources)
    sources = tuple(dict.fromkeys((*sources, *below)))
    more = tuple(name for name in sources if name.endswith(_C) and files.is_program(name))
    kept = tuple(name for name in sources if name not in more)
    left = unnamed(files, kept, operation)
    kept = tuple(name for name in kept if name not in left)
    random = tuple(name for name in kept if _is_random(files, name))
    served = _serves(files, kept, random)
    dropped = () if served else random
    included = {_base(one) for name in kept for one in files.facts(name).includes}
    gone = {*programs, *more, *dropped, *(one for one in left if _base(one) not in included)}
    names = (name for name in files.real if name not in gone and not name.endswith(_VECTORS))
    compiled = tuple(name for name in kept if name not in dropped)
    given = tuple(dict.fromkeys((*macros(files, compiled, operation),
                                 *framework_macros(files.folder, tree))))  # fmt: skip
    found = OperationParts(
        "nist",
        tuple(names),
        compiled,
        folders=folders,
        defines=(
            *((name, OWN_RANDOM) for name in random if served),
            *((name, macro) for name in compiled for macro in given),
        ),
        quirks=_quirks((*programs, *more), random, dropped, left, given),
    )
    return _with_shared(found, files, tree)


def _with_shared(found: OperationParts, files: Files, tree: Path) -> OperationParts:
    """Add what the package lacks and the tree's `common/` has, or its `inc/`."""
    shared, folder = shared_files(files, tree, lacking=True), COMMON
    if not shared:
        shared, folder = helper_files(files, tree), HEADERS
    if not shared:
        return found
    return replace(
        found,
        sources=(*found.sources, *(name for name in shared if name.endswith(SOURCES))),
        shared=tuple((name, Path(place)) for name, place in shared.items()),
        folders=(*found.folders, folder),
    )


def _quirks(
    programs: tuple[str, ...],
    random: tuple[str, ...] = (),
    dropped: tuple[str, ...] = (),
    left: tuple[str, ...] = (),
    given: tuple[str, ...] = (),
) -> tuple[Quirk, ...]:
    """State what was left out, renamed or taken from a Makefile."""
    found = []
    if programs:
        found.append(quirk("test-program", files=", ".join(programs)))
    if random:
        what = "not compiled" if dropped else "renamed, as other parts of the file are used"
        found.append(quirk("own-randombytes", files=", ".join(random), what=what))
    if left:
        found.append(quirk("not-in-makefile", files=", ".join(left)))
    if given:
        found.append(quirk("makefile-macros", macros=" ".join(given)))
    return tuple(found)


def _is_random(files: Files, name: str) -> bool:
    """Return whether a source is the framework's, of random bytes."""
    named = _RANDOM.fullmatch(_base(name)) is not None
    return named and defines(files.code(name), "randombytes")


def _serves(files: Files, sources: Iterable[str], random: tuple[str, ...]) -> bool:
    """Return whether other sources use more of the sources of random bytes."""
    code = (files.code(name) for name in sources if name not in random and name.endswith(_C))
    return bool(random) and any(map(_RNG_SERVICES.search, code))


def nested(files: Files, sources: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the folders below that sources reach by #include, and the sources in them.

    A folder is reached if a header in it is included by its path, or by its name where no
    other folder has one of that name.
    """
    below = [name for name in files.real if _is_part(name, files)]
    names = [name for name in files.real if "/" not in name and name.endswith(".h")]
    todo, folders = [*sources, *names], dict[str, None]()
    while todo:
        for header in files.facts(todo.pop()).includes:
            for folder in _meant(header, below, files):
                if folder not in folders:
                    folders[folder] = None
                    todo += _in(folder, below)
    found = [name for folder in folders for name in _in(folder, below)]
    included = {one.rsplit("/", 1)[-1] for name in found for one in files.facts(name).includes}
    own = (name for name in found if name.endswith(SOURCES))
    kept = (name for name in own if name.rsplit("/", 1)[-1] not in included)
    return tuple(sorted(folders)), tuple(sorted(kept))


def _meant(header: str, below: list[str], files: Files) -> Iterator[str]:
    """Yield the folder with a header that is not directly in the package's folder."""
    if header in files.real and "/" not in header:
        return
    found = [name for name in below if name == header or name.endswith(f"/{header}")]
    if len(found) == 1 or header in found:
        yield (header if header in found else found[0]).rpartition("/")[0]


def _in(folder: str, below: list[str]) -> list[str]:
    return [name for name in below if name.rpartition("/")[0] == folder]


def _is_part(name: str, files: Files) -> bool:
    """Return whether a file below belongs to no test and to no other implementation."""
    folder = name.rpartition("/")[0]
    if not folder or not name.endswith((*SOURCES, ".h")) or f"{folder}/{API}" in files.real:
        return False
    return NO_PART.isdisjoint(folder.lower().split("/"))
