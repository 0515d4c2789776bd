# SPDX-License-Identifier: MIT
"""Getting a raw submission into a folder, and the framework's own files in it.

Early submissions carry copies of these. A copy is known by its name and its guard, and
is unmodified as far as it matters when it defines nothing beyond what such a
file has to define: ours defines the same.
"""

import re
import shutil
from pathlib import Path

from assay.errors import PackageError
from assay.model.apis import STREAM_HEADERS
from assay.package.archive import unpack
from assay.package.members import is_archive
from assay.package.text import code_of, defines, includes, macros
from assay.package.tree import read_contents

UNUSED = "unused"


def take_in(source: Path, into: Path) -> str:
    """Unpack the archive (or the one archive in a folder), or copy the folder; say what was done.

    A folder that is already in place and has no archive is left alone: "".
    """
    archive = _archive_of(source)
    if archive:
        inside = archive.parent.resolve() == into.resolve()
        _unpack_tidily(archive, into / UNUSED / "unpacked" if inside else into)
        if inside:
            _hoist(into / UNUSED / "unpacked", into)
            archive.replace(into / UNUSED / archive.name)
        else:
            _hoist(into, into)
        return f"unpacked {archive.name}"
    if source.resolve() == into.resolve():
        return ""
    _copy_folder(source, into)
    return f"copied {source}"


def _unpack_tidily(archive: Path, into: Path) -> None:
    """Unpack everything or leave nothing."""
    fresh = not into.exists() or not any(into.iterdir())
    try:
        unpack(archive, into)
    except PackageError:
        if fresh:
            shutil.rmtree(into)
        raise


def _archive_of(source: Path) -> Path | None:
    """Find the archive: the file itself, or the only one in a folder without a header."""
    if not source.is_dir():
        if is_archive(source):
            return source
        raise PackageError(
            f"{source} is neither a folder nor an archive", "Give a .zip, a .tar.gz or a folder."
        )
    if any(path.name.lower() in STREAM_HEADERS for path in source.rglob("*")):
        return None
    archives = [path for path in sorted(source.iterdir()) if is_archive(path)]
    return archives[0] if len(archives) == 1 else None


def _copy_folder(source: Path, into: Path) -> None:
    """Copy regular files only, through the same checks as the loader's."""
    into.mkdir()
    contents = read_contents(source, source)
    for name, path in contents.files.items():
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, into / name)
    for path in source.glob("*.test-vectors"):
        shutil.copyfile(path, into / path.name)


def _hoist(folder: Path, into: Path) -> None:
    """Move up what lies in folders that hold nothing but one folder."""
    inner = folder
    while len(entries := list(inner.iterdir())) == 1 and entries[0].is_dir():
        inner = entries[0]
    if inner == into:
        return
    outer = next(into.iterdir()) if folder == into else folder
    moved = outer.replace(into.with_name(into.name + ".unpacking"))
    for entry in sorted((moved / inner.relative_to(outer)).iterdir()):
        if (into / entry.name).exists():
            raise PackageError(
                f"{into} already has a {entry.name}; the rest of the archive is in {moved}",
                "Unpack into a new folder with --into.",
            )
        entry.replace(into / entry.name)
    shutil.rmtree(moved)


_GUARDS = {
    "ecrypt-config.h": "ECRYPT_CONFIG",
    "ecrypt-portable.h": "ECRYPT_PORTABLE",
    "ecrypt-machine.h": "ECRYPT_",
}
_KNOWN_MACRO = re.compile(
    r"ECRYPT_\w+|[UI](8|16|32|64)[TVC]|MAXT|ALIGN|AT_LEAST_ONE|ROT[LR](8|16|32|64)|SWAP(8|16|32|64)"
    r"|U(8|16|32|64)TO(8|16|32|64)_(LITTLE|BIG)|_?_?(LITTLE|BIG)_ENDIAN"
)
_KNOWN_TYPE = re.compile(r"[su](8|16|32|64)")
_TYPEDEF = re.compile(r"\btypedef\b[^;{}]*?(\w+)[ \t\n]*;")
_DEFAULT_CODE = re.compile(r"ecrypt-s(sy|y)nc?n?(-ae)?\.c")
_FAMILY = frozenset({*STREAM_HEADERS, *_GUARDS})
_TEST = re.compile(r"ecrypt-test\.[ch]|ecrypt-test\.mk|timers\.h")


def is_framework_name(name: str) -> bool:
    """Return whether a file has the name of one of the framework's; API headers do not count."""
    name = name.lower()
    return name in _GUARDS or bool(_DEFAULT_CODE.fullmatch(name) or _TEST.fullmatch(name))


def own_additions(name: str, text: str) -> tuple[str, ...]:
    """Name what a copy of a framework file has that the framework's does not; () if nothing.

    Meant for names for which is_framework_name holds.
    """
    name = name.lower()
    code = code_of(text)
    if name in _GUARDS:
        found = [m for m in macros(code) if not _KNOWN_MACRO.fullmatch(m)]
        found += [t for t in _TYPEDEF.findall(code) if not _KNOWN_TYPE.fullmatch(t)]
        found += [i for i in includes(text) if i not in _FAMILY]
        found += [] if _GUARDS[name] in code else [f"no {_GUARDS[name]}"]
        return tuple(found)
    if _DEFAULT_CODE.fullmatch(name):
        functions = ("ECRYPT_keysetup", "ECRYPT_AE_keysetup", "ECRYPT_ivsetup", "main")
        return tuple(f for f in functions if defines(code, f))
    return ()
