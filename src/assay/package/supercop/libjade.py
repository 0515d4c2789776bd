# SPDX-License-Identifier: MIT
"""Code that Jasmin's compiler made: trees and releases of libjade, and those with its names.

In its tree, header and code are `avx2/include/api.h` and `avx2/kem.jazz`, with `kem.s` once that
is compiled; in a release `kyber_kyber768_avx2/kyber_kyber768_avx2.h` and `.s`. Functions are
called `jade_kem_kyber_kyber768_amd64_avx2_keypair`.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from assay.errors import PackageError
from assay.model import Package
from assay.model.api import Api
from assay.model.operations import FOLDERS, OPERATIONS
from assay.model.packages import OperationDetails
from assay.package.records import operation_package
from assay.package.supercop.elsewhere import no_source
from assay.package.supercop.files import Files, read_files
from assay.package.supercop.listing import API, LIMIT_DEPTH, Listed, listed_entries
from assay.package.text import code_of, read_text

LAYOUT = "libjade"
INCLUDE = "include"
CODE = (".s", ".jazz")
_PARTS = ("src", "libjade", "oldsrc-should-delete")
_MARKS = ("Makefile.common", "Makefile.functions")
_LEVELS = 8
_DECLARED = re.compile(r"\b(jade_([a-z]{1,20})_\w{1,200})\s*\(", re.ASCII)
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w{1,200})[ \t]+(\S[^\n]*)", re.MULTILINE)
_GLOBAL = re.compile(r"^\s*\.glob[al]*l\s+(\w+)", re.MULTILINE | re.ASCII)
_ASSEMBLY = ".s"


class JadeNames(Struct, frozen=True):
    """The names in a header: what stands before those of functions, and of constants.

    `defined` are the macros with their texts.
    """

    operation: Api
    functions: str
    constants: str
    defined: dict[str, str]

    @property
    def machine(self) -> str:
        """Return what the code is for: `amd64`."""
        return self.defined.get(f"{self.constants}_ARCH", "").strip('"')

    @property
    def primitive(self) -> str:
        """Return `kyber768` of `kyber_kyber768_amd64_avx2`, `sha3256` of `sha3_256_amd64_ref`."""
        words = self._words[: len(self._words) - len(self._own)]
        if words and words[-1].startswith(words[0]):
            return words[-1]
        return "".join(words)

    @property
    def implementation(self) -> str:
        """Return `amd64/avx2`."""
        return "/".join(self._own)

    @property
    def _words(self) -> list[str]:
        return self.functions.split("_")[2:]

    @property
    def _own(self) -> list[str]:
        """Return what names the implementation, by the header or else the last two words."""
        told = [self.defined.get(f"{self.constants}_{one}", "") for one in ("ARCH", "IMPL")]
        own = [word for one in told for word in re.split(r"\W+|_", one) if word]
        return own if own and self._words[-len(own) :] == own else self._words[-2:]


def jade_names(code: str) -> JadeNames | None:
    """Return the names that a header without comments declares; None if they are not libjade's."""
    found = [(match[1], match[2]) for match in _DECLARED.finditer(code)]
    declared = {name for name, _ in found}
    for name, word in found:
        operation = OPERATIONS.get(f"crypto_{word}")
        if operation is None:
            continue
        suffixes = [one.suffix for one in operation.functions]
        own = name.removesuffix(suffixes[0])
        if name.endswith(suffixes[0]) and all(own + one in declared for one in suffixes):
            return _with_constants(operation, own, dict(_DEFINED.findall(code)))
    return None


def _with_constants(operation: Api, own: str, defined: dict[str, str]) -> JadeNames:
    """Add what stands before constants: the same name, or one with the operation in capitals."""
    word = operation.name.removeprefix("crypto_")
    capitals = f"JADE_{word.upper()}_{own.removeprefix(f'jade_{word}_')}"
    named = any(name.startswith(f"{capitals}_") for name in defined)
    return JadeNames(operation, own, capitals if named else own, defined)


def listed_in_libjade(folder: Path) -> tuple[Listed, ...] | None:
    """List the implementations in a folder of a tree of libjade; None if it is in none."""
    source = _source_of(folder)
    if source is None:
        return None
    found: dict[Listed, None] = {}
    for name in FOLDERS:
        for place in _folders(source / name):
            if place.is_relative_to(folder) or folder.is_relative_to(place):
                one = listed_at(place, source) or _unnamed(place, source)
                found |= {one: None} if one else {}
    return tuple(found)


def listed_at(folder: Path, tree: Path) -> Listed | None:
    """List the implementation in a folder, or in the one above its folder of headers."""
    place = folder.parent if folder.name == INCLUDE else folder
    names = names_at(place) if _has_code(place) and place.is_relative_to(tree) else None
    if names is None:
        return None
    parts = (names.operation.name, names.primitive, names.implementation)
    return Listed(tree, "/".join(parts), place, LAYOUT)


def _unnamed(place: Path, source: Path) -> Listed | None:
    """List an implementation whose header has other names by its path: loading says why."""
    if not _has_code(place) or header_at(place) is None:
        return None
    return Listed(source, place.relative_to(source).as_posix(), place, LAYOUT)


def header_at(folder: Path) -> Path | None:
    """Find the header of an implementation's folder."""
    every = (folder / API, folder / INCLUDE / API, folder / f"{folder.name}.h")
    return next((one for one in every if one.is_file()), None)


def names_at(folder: Path) -> JadeNames | None:
    """Read the names in the header of an implementation's folder, if there is one of libjade's."""
    header = header_at(folder)
    try:
        return jade_names(code_of(read_text(header))) if header else None
    except (PackageError, OSError):
        return None


def _source_of(folder: Path) -> Path | None:
    """Find the folder that holds the operations, in the folder or above it."""
    for above in (*(folder / one for one in _PARTS), folder, *folder.parents[:_LEVELS]):
        operations = [above / name for name in FOLDERS if (above / name).is_dir()]
        made = all((above / mark).is_file() for mark in _MARKS)
        if operations and (made or any(map(_is_released, operations))):
            return above
    return None


def _is_released(operation: Path) -> bool:
    """Return whether an operation's folders are those of a release: `NAME/NAME.s` and `.h`."""
    return any(
        (operation / one.name / f"{one.name}.s").is_file()
        and (operation / one.name / f"{one.name}.h").is_file()
        for one in listed_entries(str(operation))
        if one.kind == "folder"
    )


def _has_code(folder: Path) -> bool:
    return any(one.name.endswith(CODE) for one in listed_entries(str(folder)))


def _folders(folder: Path, depth: int = 0) -> Iterator[Path]:
    """Yield a folder and those below it in order; links are not followed."""
    yield folder
    for one in listed_entries(str(folder)) if depth < LIMIT_DEPTH else ():
        if one.kind == "folder" and not one.link:
            yield from _folders(folder / one.name, depth + 1)


def load_libjade(one: Listed) -> Package:
    """Read an implementation that was listed; PackageError says why that is impossible."""
    names, header = names_at(one.root), header_at(one.root)
    if names is None or header is None:
        raise PackageError(f"{one.root} has no header of libjade", "List the tree again.")
    files = read_files(one.root, one.tree)
    source, place = _source(files, names, one.tree), os.path.relpath(header, one.root)
    details = OperationDetails(
        operation=names.operation.name,
        tree=one.tree,
        language="c",
        layout=one.layout,
        constants=(),
        architectures=(names.machine,) if names.machine else (),
        entry=_entry(names, place),
        functions=tuple((each.suffix, names.functions + each.suffix)
                        for each in names.operation.functions),
        size_lengths=True,
    )  # fmt: skip
    own = {name: files.real[name] for name in sorted({source, place})}
    return operation_package(one.place, one.root, place, (source,), own, details)


def _source(files: Files, names: JadeNames, tree: Path) -> str:
    """Name the assembly with the functions; of several that have them all, the first by name."""
    every = files.top(_ASSEMBLY)
    if not every:
        raise no_source(files.folder, tree)
    wanted = [names.functions + one.suffix for one in names.operation.functions]
    lacking = {name: set(wanted) - {*_GLOBAL.findall(files.text(name))} for name in every}
    best = min(every, key=lambda name: (len(lacking[name]), name))
    if lacking[best]:
        missing = next(one for one in wanted if one in lacking[best])
        raise PackageError(
            f"{best} does not define {missing}",
            "Its header declares it; libjade marks such code as partial, and Assay checks "
            "all functions of an operation together.",
        )
    return best


def _entry(names: JadeNames, header: str) -> str:
    """Write what an adapter includes: the header, and its constants under SUPERCOP's names."""
    lines = [f'#include "{header}"', ""]
    for one in names.operation.constants:
        macro = f"{names.constants}_{one}"
        if macro in names.defined:
            lines.append(f"#define CRYPTO_{one} {macro}")
    return "\n".join([*lines, ""])
