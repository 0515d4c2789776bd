# SPDX-License-Identifier: MIT
"""The loader of the compact-hash API (Shabal paper, Annex A).

A package is a folder with a header `xxx.h` that declares xxx_context, xxx_init,
xxx and xxx_close, and one source: C, or assembly for one architecture. Several
assembly files, each named after the architecture it is for, are as many
packages.
"""

import re
from pathlib import Path, PurePath

from assay.errors import PackageError
from assay.model import Package
from assay.model.apis import COMPACT
from assay.package.architecture import architecture_of
from assay.package.estream import Name, name_package
from assay.package.judged import judged_by_vectors
from assay.package.known import known_vectors, vectors_reference
from assay.package.marks import header_of
from assay.package.quirks_text import text_quirks
from assay.package.text import includes, macros
from assay.package.tree import Contents, content_hash, read_contents
from assay.package.vectors import answers_near
from assay.targets.catalogue import catalogue

MOST_BITS = 1024
_ASSEMBLY = (".S", ".s")
_STD = ("-std=gnu99",)  # AVR compilers put tables into flash under a gnu standard only


def load_compact(folder: Path, *, tree_root: Path, place: str) -> tuple[Package, ...]:
    """Read the packages in a folder: one, or one for every assembly file.

    Raises PackageError with a cure.
    """
    folder = folder.absolute()
    limit = tree_root.resolve()
    contents = read_contents(folder, limit)
    header = header_of(folder, COMPACT)
    if header is None:
        raise PackageError(
            f"{folder} lacks {COMPACT.marks.called}",
            "A header xxx.h declares xxx_context, xxx_init, xxx and xxx_close (Annex A.1).",
        )
    assembly = contents.top(*_ASSEMBLY)
    sources = (*assembly, *_own_sources(contents))
    if not sources:
        raise PackageError(
            f"{folder} has a header and no source", "Add one file of C or assembly."
        )
    if len(sources) > 1 and len(assembly) < len(sources):
        raise PackageError(
            f"{folder} has several sources: {', '.join(sources)}",
            "Put the implementation into one source: it must become one object file (A.2.1).",
        )
    return tuple(
        _package(contents, header, source, _named(place, source, sources), limit)
        for source in sources
    )


def _own_sources(contents: Contents) -> tuple[str, ...]:
    """Name the C files that no other one includes."""
    files = contents.top(".c")
    included = {PurePath(name).name for file in files for name in includes(contents.text(file))}
    return tuple(file for file in files if file not in included)


def _named(place: str, source: str, sources: tuple[str, ...]) -> Name:
    """Name a package after its place, and after its architecture where a folder has several."""
    if len(sources) == 1:
        return name_package(place)
    return name_package(f"{place}/{_from_name(source) or PurePath(source).stem}")


def _package(contents: Contents, header: str, source: str, name: Name, limit: Path) -> Package:
    others = {*contents.top(*_ASSEMBLY)} - {source}
    files = tuple(file for file in contents.files if file not in others)
    own = answers_near(contents.folder, limit, COMPACT.answers)
    known = None if own else known_vectors(COMPACT, name.place, contents.folder)
    return Package(
        selector=name.selector,
        primitive=name.primitive,
        implementation=name.implementation,
        place=name.place,
        role=name.role,
        api=COMPACT.name,
        kind=COMPACT.kind,
        root=contents.folder,
        header=header,
        sources=(source,),
        files=files,
        std=() if source.endswith(_ASSEMBLY) else _STD,
        variants=1,
        vectors=own or known,
        quirks=text_quirks(contents.texts()),
        content_hash=content_hash(contents.folder, files),
        architecture=_architecture(contents, source, name.place),
        sizes=_sizes(contents, header),
        reference=vectors_reference(known) if known else "",
        judged_by=judged_by_vectors(own or known),
    )


def _sizes(contents: Contents, header: str) -> tuple[int, ...]:
    """Read the digest sizes in bits that a header states as `xxx_SIZES`; none if it does not."""
    macro = f"{PurePath(header).stem}_SIZES"
    text = macros(contents.code(header)).get(macro)
    if text is None:
        return ()
    words = [word.strip() for word in text.strip("() \t").split(",")]
    sizes = {int(word) for word in words if re.fullmatch(r"[0-9]{1,4}", word)}
    if len(sizes) < len(words) or not all(0 < one <= MOST_BITS and one % 8 == 0 for one in sizes):
        raise PackageError(
            f"{contents.folder}/{header} sets {macro} to {text[:80]!a}",
            f"Write the digest sizes in bits, as in `#define {macro} 224, 256`: multiples of 8, "
            f"{MOST_BITS} at most, each once.",
        )
    return tuple(sorted(sizes))


def _architecture(contents: Contents, source: str, place: str) -> str | None:
    """Return the architecture of assembly: by its name, its folder's, or its registers."""
    if not source.endswith(_ASSEMBLY):
        return None
    folders = (part for part in reversed(PurePath(place).parts) if part in _architectures())
    return _from_name(source) or next(folders, None) or architecture_of(contents.text(source))


def _from_name(source: str) -> str | None:
    """Find an architecture at the end of a file's name: `shabal_thumb-le.S`, `amd64.s`."""
    stem = PurePath(source).stem
    found = [name for name in _architectures() if re.search(rf"(?:^|[-_.]){name}$", stem)]
    return max(found, key=len, default=None)


def _architectures() -> frozenset[str]:
    return frozenset(name for one in catalogue() for name in one.architectures)
