# SPDX-License-Identifier: MIT
"""The loader of the SHA-3 competition's API (`SHA3api_ref.h`).

A package is a folder with a header that declares hashState, Init, Update, Final and Hash,
and sources in C or assembly. Programs such as `genKAT.c` are left out. Known answers are
`verified.vectors`, or the competition's files, in the folder, above, or in `KAT_MCT` there.
"""

from pathlib import Path, PurePath

from assay.errors import PackageError
from assay.model import Package, Quirk
from assay.model.apis import SHA3_NIST
from assay.package import known_quirks as known
from assay.package.architecture import architecture_of
from assay.package.estream import name_package
from assay.package.judged import judged_by_vectors
from assay.package.known import known_vectors, vectors_reference
from assay.package.marks import header_of
from assay.package.quirks_text import text_quirks
from assay.package.sources import SUFFIXES
from assay.package.text import has_main, includes
from assay.package.tree import Contents, content_hash, read_contents
from assay.package.vectors import answers_near

_STD = ("-std=gnu99",)


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
    sources, programs = _sources(contents)
    name = name_package(place)
    own = answers_near(folder, limit, SHA3_NIST.answers)
    shared = None if own else known_vectors(SHA3_NIST, name.place, folder)
    return (
        Package(
            selector=name.selector,
            primitive=name.primitive,
            implementation=name.implementation,
            place=name.place,
            role=name.role,
            api=SHA3_NIST.name,
            kind=SHA3_NIST.kind,
            root=folder,
            header=header,
            sources=sources,
            files=tuple(contents.files),
            std=_STD,
            variants=1,
            vectors=own or shared,
            quirks=(*_program_quirk(programs), *text_quirks(contents.texts())),
            content_hash=content_hash(folder, contents.files),
            architecture=_architecture(contents, sources),
            reference=vectors_reference(shared) if shared else "",
            judged_by=judged_by_vectors(own or shared),
        ),
    )


def _sources(contents: Contents) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the sources that are compiled, and the programs that are not."""
    names = contents.top(*SUFFIXES)
    included = {PurePath(part).name for name in names for part in includes(contents.text(name))}
    whole = [name for name in names if name not in included]
    programs = tuple(name for name in whole if has_main(contents.code(name)))
    sources = tuple(name for name in whole if name not in programs)
    if not sources:
        raise PackageError(
            f"{contents.folder} has a header and no source",
            "Put the sources beside the header; a file with a `main` does not count.",
        )
    return sources, programs


def _program_quirk(programs: tuple[str, ...]) -> tuple[Quirk, ...]:
    return (known.TEST_PROGRAM.found(files=", ".join(programs)),) if programs else ()


def _architecture(contents: Contents, sources: tuple[str, ...]) -> str | None:
    """Return the architecture that assembly among the sources is for, if it shows."""
    texts = (contents.text(name) for name in sources if not name.endswith(".c"))
    return next(filter(None, map(architecture_of, texts)), None)
