# SPDX-License-Identifier: MIT
"""Bringing a raw submission into the framework's form.

Submitters send archives with upper-case names, copies of framework files, test
programs and project files. What comes out is a folder with the API header,
`<name>.c`, what it includes, and a Makefile; everything else waits in `unused/`.
"""

import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from assay.errors import PackageError
from assay.model import Package
from assay.package.archive import unpack
from assay.package.estream import load_estream
from assay.package.framework import is_framework_name, own_additions
from assay.package.makefile import NAME, makefile_text, parse_makefile
from assay.package.members import is_archive
from assay.package.sources import SUFFIXES, candidates, exports_keysetup
from assay.package.text import code_of, defines, has_line_comment, includes
from assay.package.tree import HEADERS, Contents, is_vector_file, read_contents

STANDARDS = ("-ansi", "-std=c99", "-std=gnu99")
"""From strict to lenient; the first that compiles is written down."""

UNUSED = "unused"
_C99 = re.compile(
    r"\bu64\b|\blong[ \t]+long\b|\binline\b|\bfor[ \t]*\([ \t]*(?:int|u32|unsigned)\b"
)
_GNU = re.compile(r"\basm\b|\btypeof\b")
_HEAD = re.compile(
    r"^((?:[A-Za-z_][^;{}()=#\n]{0,200}?\b)?)([A-Za-z_]\w*)[ \t]*[\[(=]", re.MULTILINE
)
_WORD = re.compile(r"[A-Za-z_]\w*")

Ask = Callable[[str], bool]
Tell = Callable[[str], None]
Compiles = Callable[[Path, str], bool]


@dataclass(frozen=True, slots=True)
class Helper:
    """What cleanup needs from outside.

    `ask` puts a yes/no question, `tell` says what was done, and `compiles` tells
    whether the package in a folder compiles under a `-std` option: by default a
    look at the text, in earnest a compiler in the jail.
    """

    ask: Ask
    tell: Tell
    compiles: Compiles


def cleanup(source: Path, into: Path, helper: Helper, name: str | None = None) -> Package:
    """Make a package in `into` from an archive or a folder, and load it.

    `into` may be the folder itself, which is then changed in place; otherwise it
    must be new or empty, and appears only when all went well. `name` is the name
    of the cipher's source; by default that of the file found.
    """
    if source.resolve() == into.resolve():
        _clean(source, into, helper, name)
        return load_estream(into)
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise PackageError(f"{into} is not empty", "Name a new folder with --into.")
    into.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".cleanup-", dir=into.parent) as scratch:
        staged = Path(scratch) / into.name
        _clean(source, staged, helper, name)
        staged.replace(into)
    return load_estream(into)


def _clean(source: Path, into: Path, helper: Helper, name: str | None) -> None:
    """Do the steps, in order, in the folder `into`."""
    _bring(source, into, helper)
    lower_names(into, helper)
    _drop_framework(into, helper)
    main = find_cipher(into, name)
    name = _plain_name(name or main.rsplit(".", 1)[0])
    main = _rename(into, main, name, helper)
    parts = needed_parts(read_contents(into, into), main)
    _write_makefile(into, name, parts, helper)
    _set_aside(into, parts, helper)


def _bring(source: Path, into: Path, helper: Helper) -> None:
    """Unpack the archive (or the one archive in a folder), or copy the folder."""
    archive = _archive_of(source)
    if archive:
        inside = archive.parent.resolve() == into.resolve()
        _unpack_tidily(archive, into / UNUSED / "unpacked" if inside else into)
        if inside:
            _hoist(into / UNUSED / "unpacked", into)
            archive.replace(into / UNUSED / archive.name)
        else:
            _hoist(into, into)
        helper.tell(f"unpacked {archive.name}")
    elif source.resolve() != into.resolve():
        _copy_folder(source, into)
        helper.tell(f"copied {source}")


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
    if any(path.name.lower() in HEADERS for path in source.rglob("*")):
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


def lower_names(folder: Path, helper: Helper) -> None:
    """Make file names lower-case, except where an #include asks for the other spelling."""
    contents = read_contents(folder, folder)
    texts = [contents.text(n) for n in contents.files if n.lower().endswith((".c", ".h", ".s"))]
    wanted = {part for text in texts for part in includes(text)}
    for name in contents.top(""):
        lower = "Makefile" if name.lower() == "makefile" else name.lower()
        if name == lower or (name in wanted and name.lower() not in HEADERS):
            continue
        if name.endswith(".S") and len(name) > len(".S"):
            lower = lower[:-1] + "S"  # .S is preprocessed, .s is not
        if name == lower:
            continue
        if (folder / lower).exists():
            raise PackageError(
                f"{folder} has both {name} and {lower}", "Remove the one that is not needed."
            )
        (folder / name).replace(folder / lower)
        helper.tell(f"renamed {name} to {lower}")


def _drop_framework(folder: Path, helper: Helper) -> None:
    """Delete unmodified copies of framework files, after asking."""
    contents = read_contents(folder, folder)
    copies = [n for n in contents.top("") if is_framework_name(n)]
    changed = {n: own_additions(n, contents.text(n)) for n in copies}
    for name, additions in changed.items():
        if additions:
            helper.tell(f"kept {name}: it has additions of its own ({', '.join(additions[:3])})")
    plain = [name for name in copies if not changed[name]]
    if plain and helper.ask(f"Should I delete the copies of framework files {', '.join(plain)}?"):
        for name in plain:
            (folder / name).unlink()


def find_cipher(folder: Path, name: str | None = None) -> str:
    """Find the one source that defines the key setup."""
    contents = read_contents(folder, folder)
    found = [n for n in contents.top(*SUFFIXES) if exports_keysetup(contents, n)]
    found = [n for n in found if n in candidates(contents)] or found
    named = [n for n in found if name and n.rsplit(".", 1)[0] == name.lower()]
    if len(named or found) == 1:
        return (named or found)[0]
    if not found:
        raise PackageError(
            f"no source in {folder.name} defines ECRYPT_keysetup or ECRYPT_AE_keysetup",
            "Write the functions of the API first; see docs on submitting.",
        )
    raise PackageError(
        f"{folder.name} has several implementations: {', '.join(found)}",
        f"Say which one: --name {found[0].rsplit('.', 1)[0]}.",
    )


def _plain_name(name: str) -> str:
    """Accept a name that a Makefile can hold."""
    if NAME.fullmatch(name):
        return name
    raise PackageError(f"{name!a} is no name for a cipher", "Use --name with letters and digits.")


def _rename(folder: Path, main: str, name: str, helper: Helper) -> str:
    """Give the cipher's source the package's name."""
    wanted = f"{name}.{main.rsplit('.', 1)[1]}"
    if wanted != main:
        if (folder / wanted).exists():
            raise PackageError(f"{folder} already has a {wanted}", "Choose another --name.")
        (folder / main).replace(folder / wanted)
        helper.tell(f"renamed {main} to {wanted}")
    return wanted


def needed_parts(contents: Contents, main: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the sources to link and the files they include, starting from the cipher's source.

    Another source is needed if it defines a function that needed text mentions
    and is no test program.
    """
    headers = [n for n in contents.top("") if n.lower() in HEADERS]
    others = [n for n in candidates(contents) if n != main and not exports_keysetup(contents, n)]
    linked = [main]
    while True:
        reached = _reached(contents, [*linked, *headers])
        words = {word for n in reached for word in _WORD.findall(contents.code(n))}
        more = [n for n in others if n not in linked and _defines_any(contents.code(n), words)]
        if not more:
            return tuple(linked), tuple(sorted(reached))
        linked += more


def _defines_any(code: str, words: Iterable[str]) -> bool:
    """Whether the text defines one of the functions or objects named."""
    heads = {name for before, name in _HEAD.findall(code) if "static" not in before.split()}
    return bool(heads.intersection(words))


def _reached(contents: Contents, names: Iterable[str]) -> set[str]:
    """Follow #include "..." inside the package."""
    reached: set[str] = set()
    queue = list(names)
    while queue:
        name = queue.pop()
        if name in contents.files and name not in reached:
            reached.add(name)
            queue += includes(contents.text(name))
    return reached


def _write_makefile(
    folder: Path, name: str, parts: tuple[tuple[str, ...], tuple[str, ...]], helper: Helper
) -> None:
    """Write the Makefile unless the package has one of the framework's kind."""
    path = folder / "Makefile"
    if path.is_file():
        settings = parse_makefile(path.read_text("latin-1"))
        if settings.name == name and settings.type and settings.std:
            return
        (folder / UNUSED).mkdir(exist_ok=True)
        path.replace(folder / UNUSED / "Makefile")
    linked, reached = parts
    contents = read_contents(folder, folder)
    api_type = _type_of(contents, linked)
    sources = linked if len(linked) > 1 else ()
    for std in STANDARDS:
        path.write_text(makefile_text(name, api_type, std, sources), "ascii")
        if helper.compiles(folder, std):
            break
    else:
        helper.tell(f"compiles under none of {', '.join(STANDARDS)}; {STANDARDS[-1]} is written")
    helper.tell(f"wrote the Makefile for {len(reached)} files")


def _type_of(contents: Contents, linked: tuple[str, ...]) -> str:
    """Tell the API by the header present, or by the functions if both are."""
    present = [
        t for t in ("sync", "sync-ae", "ssyn", "ssyn-ae") if f"ecrypt-{t}.h" in contents.files
    ]
    if not present:
        raise PackageError(
            f"{contents.folder} has no ecrypt-sync.h and no ecrypt-sync-ae.h",
            "Add the API header that the code was written for.",
        )
    authenticated = any(defines(contents.code(n), "ECRYPT_AE_keysetup") for n in linked)
    return "sync-ae" if authenticated and "sync-ae" in present else present[0]


def _set_aside(
    folder: Path, parts: tuple[tuple[str, ...], tuple[str, ...]], helper: Helper
) -> None:
    """Move what the cipher does not need to unused/, after asking."""
    keep = {*parts[1], "Makefile"}
    spare = [n for n in read_contents(folder, folder).files if n not in keep]
    spare = [n for n in spare if not is_vector_file(n)]
    if not spare or not helper.ask(f"Should I move to {UNUSED}/: {', '.join(spare)}?"):
        return
    for name in spare:
        target = folder / UNUSED / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (folder / name).replace(target)


def compiles_by_text(folder: Path, std: str) -> bool:
    """Guess from the text whether a package needs more than `std` offers."""
    contents = read_contents(folder, folder)
    names = [n for n in contents.files if n.endswith((".c", ".h"))]
    code = "\n".join(code_of(contents.text(n)) for n in names)
    if _GNU.search(code):
        return std == "-std=gnu99"
    newer = _C99.search(code) or any(has_line_comment(contents.text(n)) for n in names)
    return std != "-ansi" or not newer
