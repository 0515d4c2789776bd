# SPDX-License-Identifier: MIT
"""The loader of the SUPERCOP API: one implementation's folder becomes a package."""

import codecs
import os
import re
from pathlib import Path, PurePosixPath

from msgspec import Struct

from assay.errors import PackageError
from assay.model import BrokenPackage, Package
from assay.model.api import Api
from assay.model.operations import FOLDERS, OPERATIONS
from assay.model.packages import OperationDetails, Quirk
from assay.package.quirks import quirk, text_quirks
from assay.package.records import Loading, language_of, operation_package
from assay.package.supercop.answers import answers_beside
from assay.package.supercop.api import constants, function_names, prefix_of, subroutines
from assay.package.supercop.elsewhere import HEADERS, no_source, template
from assay.package.supercop.files import SOURCES, Files, is_inside, leaves, read_files
from assay.package.supercop.libjade import LAYOUT as LIBJADE
from assay.package.supercop.libjade import load_libjade
from assay.package.supercop.liboqs import load_liboqs
from assay.package.supercop.liboqs_tree import LAYOUT as LIBOQS
from assay.package.supercop.listing import API, Listed
from assay.package.supercop.parts import OperationParts, own_parts, pqclean_parts
from assay.package.supercop.primitive import (
    Meta,
    architectures,
    goals,
    own_notes,
    read_meta,
    read_primitive,
)
from assay.package.text import NOTHING, identifier, open_regular, sort_of
from assay.package.tree import readable

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")
_CARGO = "Cargo.toml"

LOADERS = {LIBJADE: load_libjade, LIBOQS: load_liboqs}
"""What makes a package of one that is listed, by layouts with a loader of their own."""


class _Place(Struct, frozen=True):
    """An implementation's names, its folder and that of its primitive, and the tree."""

    tree: Path
    place: str
    operation: Api
    primitive: str
    folder: Path
    beside: Path

    @property
    def limit(self) -> str:
        """The real folder that links must not leave."""
        return os.path.realpath(self.tree)


def load(tree: Path, place: str, folder: Path | None = None) -> Package | BrokenPackage:
    """Read the implementation at a place (`crypto_hash/sha256/ref`) of a tree.

    `folder` is given where it does not stand at `tree/place`. What cannot be loaded is a
    BrokenPackage with a reason and a cure.
    """
    root = (folder or tree / place).absolute()
    return _loading(Listed(tree, place, root)).load(
        lambda: _load(_named(tree.absolute(), place, folder and root))
    )


def load_listed(one: Listed) -> Package | BrokenPackage:
    """Read an implementation that was listed, by the loader of its layout."""
    if one.layout:
        return _loading(one).load(lambda: LOADERS[one.layout](one))
    return load(one.tree, one.place, one.folder)


def _loading(one: Listed) -> Loading:
    return Loading(one.root, one.place, one.tree, lambda error: f"{one.root}: {error.strerror}")


def _named(tree: Path, place: str, folder: Path | None) -> _Place:
    """Take a place apart; names end in C code and paths, so they must be plain."""
    parts = PurePosixPath(place).parts
    if len(parts) < 2 or parts[0] not in OPERATIONS:
        raise PackageError(
            f"{folder or tree / place} is a package of no operation that is known",
            "Define the functions of an operation, such as crypto_hash, next to its api.h.",
        )
    odd = [part for part in parts if not _NAME.fullmatch(part)]
    if odd:
        raise PackageError(
            f"{place} has the name {odd[0]!a} in it", "Use letters, digits, dots and dashes."
        )
    beside = _primitive_folder(tree, folder or tree / parts[0] / parts[1])
    own = folder or tree / place
    return _Place(tree, "/".join(parts), OPERATIONS[parts[0]], parts[1], own, beside)


def _primitive_folder(tree: Path, folder: Path) -> Path:
    """Return the folder with the checksums: the second of a path that begins with crypto_."""
    parts = folder.relative_to(tree).parts if folder.is_relative_to(tree) else ()
    return tree.joinpath(*parts[:2]) if parts[:1] and parts[0] in FOLDERS else folder


def _load(at: _Place) -> Package:
    if not is_inside(at.folder, at.tree):
        raise leaves(str(at.folder), at.limit)
    files = read_files(at.folder, at.tree)
    if API not in files.real:
        raise PackageError(
            f"{at.folder} has no {API}, or folders without end",
            f"An implementation has a file {API} that defines its CRYPTO_ constants.",
        )
    api = files.code(API)
    prefix = prefix_of(api, function_names(at.operation))
    if prefix:
        parts = pqclean_parts(files, prefix, at.tree)
    else:
        _require_plain(Path(files.real[API]))
        parts = own_parts(files, at.operation, at.primitive, at.tree)
    texts = text_quirks(readable(parts.files, files.text))
    quirks = (*parts.quirks, *_missing(files), *texts)
    if not parts.sources and _CARGO not in files.real:
        raise no_source(at.folder, at.tree)
    if unfinished := template(at.folder, files):
        raise unfinished
    details = _details(at, files, parts, constants(api, prefix))
    real = {name: files.real[name] for name in parts.files}
    return operation_package(at.place, at.folder, API, parts.sources, real, details, quirks)


def _require_plain(header: Path) -> None:
    """Raise PackageError for a header that no compiler reads where SUPERCOP puts it."""
    with os.fdopen(open_regular(header), "rb") as file:
        begin = file.read(len(codecs.BOM_UTF8))
    if begin.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise PackageError(
            f"{header} begins with a byte order mark", "Save it in UTF-8 or ASCII without one."
        )


def _details(
    at: _Place, files: Files, parts: OperationParts, defined: tuple[tuple[str, str], ...]
) -> OperationDetails:
    beside = read_primitive(at.beside, at.limit)
    meta = _meta(at) if parts.layout == "pqclean" else Meta()
    own = identifier(f"{at.operation.name}_{at.primitive}")
    given = (name.removeprefix(f"{HEADERS}/") for name, _ in parts.shared)
    includes, public = subroutines(files, own, given)
    return OperationDetails(
        operation=at.operation.name,
        tree=at.tree,
        language="rust" if _CARGO in files.real else language_of(parts.sources),
        layout=parts.layout,
        constants=defined,
        goals=goals(files),
        architectures=architectures(files) or meta.architectures,
        includes=includes,
        public=public,
        checksum_small=beside.checksum_small,
        checksum_big=beside.checksum_big,
        loops=beside.loops,
        weights=beside.weights,
        notes=(*beside.notes, *meta.notes, *own_notes(files)),
        prefix=parts.prefix,
        shared=parts.shared,
        folders=parts.folders,
        defines=parts.defines,
        by_table=parts.by_table,
        answers=answers_beside(at.operation, (at.folder, at.beside), at.tree) or meta.answers,
    )


def _meta(at: _Place) -> Meta:
    """Read PQClean's META.yml above the implementation, if that is in the tree."""
    path = at.folder.parent / "META.yml"
    return read_meta(path, at.folder.name) if is_inside(path, at.tree) else Meta()


def _missing(files: Files) -> tuple[Quirk, ...]:
    """State which entries are no files; a source or an included file must be one."""
    included = {header.rsplit("/", 1)[-1] for header in files.includes()} if files.missing else ()
    sorts = {name: sort_of(files.folder / name) for name in files.missing}
    for name, sort in sorts.items():
        base = name.rsplit("/", 1)[-1]
        if base in included or (name == base and name.endswith(SOURCES)):
            raise PackageError(
                f"{files.folder}/{name} is {sort}",
                "Put the file in its place; the package needs it.",
            )
    dangling = [name for name, sort in sorts.items() if sort == NOTHING]
    special = [f"{name} ({sort})" for name, sort in sorts.items() if sort != NOTHING]
    return (
        *([quirk("dangling-link", files=", ".join(dangling[:3]))] if dangling else ()),
        *([quirk("special-file", files=", ".join(special[:3]))] if special else ()),
    )
