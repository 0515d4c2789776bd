# SPDX-License-Identifier: MIT
"""The loaders of the APIs of hash functions.

A package of the compact-hash API (Shabal paper, Annex A) is a folder with a header `xxx.h` that
declares xxx_context, xxx_init, xxx and xxx_close, and one source: C, or assembly for one
architecture. Several assembly files, each named after the architecture it is for, are as many
packages.

One of the SHA-3 competition's API (`SHA3api_ref.h`) is a folder with a header that declares
hashState, Init, Update, Final and Hash, and sources in C or assembly. Programs such as `genKAT.c`
are left out. Known answers are `verified.vectors`, or the competition's files, in the folder,
above, or in `KAT_MCT` there.
"""

import re
from pathlib import Path, PurePath

from assay.errors import PackageError
from assay.model import Package
from assay.model.apis import COMPACT, SHA3_NIST
from assay.package.known import answers_near
from assay.package.quirks import quirk
from assay.package.records import CodePackage, Name, name_package
from assay.package.sources import SUFFIXES
from assay.package.text import architecture_of, has_main, includes, macros
from assay.package.tree import Contents, header_of, read_contents
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
    sources = (*assembly, *_whole(contents, contents.top(".c")))
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
        _compact(contents, header, source, _named(place, source, sources), limit)
        for source in sources
    )


def load_sha3_nist(folder: Path, *, tree_root: Path, place: str) -> tuple[Package, ...]:
    """Read the package in a folder; PackageError with a cure if that is impossible."""
    folder = folder.absolute()
    limit = tree_root.resolve()
    contents = read_contents(folder, limit)
    header = header_of(folder, SHA3_NIST)
    if header is None or header not in contents.files:
        raise PackageError(
            f"{folder} has no {SHA3_NIST.marks.headers[0]}",
            "Such a header declares hashState, Init, Update, Final and Hash.",
        )
    names = _whole(contents, contents.top(*SUFFIXES))
    programs = tuple(name for name in names if has_main(contents.code(name)))
    sources = tuple(name for name in names if name not in programs)
    if not sources:
        raise PackageError(
            f"{contents.folder} has a header and no source",
            "Put the sources beside the header; a file with a `main` does not count.",
        )
    texts = (contents.text(name) for name in sources if not name.endswith(".c"))
    found = CodePackage(
        api=SHA3_NIST,
        name=name_package(place),
        contents=contents,
        header=header,
        sources=sources,
        files=tuple(contents.files),
        own=answers_near(folder, limit, SHA3_NIST.answers),
        std=_STD,
        architecture=next(filter(None, map(architecture_of, texts)), None),
    )
    return (found.build((quirk("test-program", files=", ".join(programs)),) if programs else ()),)


def _whole(contents: Contents, names: tuple[str, ...]) -> tuple[str, ...]:
    """Name the sources that no other one includes."""
    included = {PurePath(part).name for name in names for part in includes(contents.text(name))}
    return tuple(name for name in names if name not in included)


def _named(place: str, source: str, sources: tuple[str, ...]) -> Name:
    """Name a package after its place, and after its architecture where a folder has several."""
    if len(sources) == 1:
        return name_package(place)
    return name_package(f"{place}/{_from_name(source) or PurePath(source).stem}")


def _compact(contents: Contents, header: str, source: str, name: Name, limit: Path) -> Package:
    others = {*contents.top(*_ASSEMBLY)} - {source}
    return CodePackage(
        api=COMPACT,
        name=name,
        contents=contents,
        header=header,
        sources=(source,),
        files=tuple(file for file in contents.files if file not in others),
        own=answers_near(contents.folder, limit, COMPACT.answers),
        std=() if source.endswith(_ASSEMBLY) else _STD,
        architecture=_architecture(contents, source, name.place),
        sizes=_sizes(contents, header),
    ).build()


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
