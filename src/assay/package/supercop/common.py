# SPDX-License-Identifier: MIT
"""What the packages of a tree share in `common/`, and the macros with which it compiles them.

PQClean has `common/` beside its operations, mupq too; pqm4 has one of its own and mupq's as well.
In pqm4's there is assembly for its processor, of which some takes the place of mupq's C.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from assay.package.supercop.files import SOURCES, Files, folders_above, is_inside, read_files
from assay.package.text import defines

COMMON = "common"
_ELSEWHERE = ("mupq/common", "pqclean/common", "mupq/pqclean/common")
"""Where mupq, and pqm4 and its kind, keep the trees that they take sources from."""

_PQCLEANS = re.compile(r"(?:aes|sha2)\.[ch]")
"""mupq's own are for boards, whose assembly they call; its build for a host takes PQClean's."""

_OURS = frozenset({"randombytes.h", "randombytes.c", "crypto_declassify.h"})
_NISTS = frozenset({"rng.h", "rng.c"})
"""What Assay provides to submissions to NIST besides."""

_LEVELS = 4
_SUBFOLDER = re.compile(r"\bcommon/(\w{1,40})")
_ASSEMBLY = (".S", ".s")
_GLOBAL = re.compile(r"^[ \t]*\.glob[a]?l[ \t]+(\w+)", re.MULTILINE)
_DECLARED = re.compile(r"\b(\w{1,100})[ \t]*\([^(){};]{0,999}\)[ \t]*;")


def shared_files(files: Files, tree: Path, *, lacking: bool = False) -> dict[str, str]:
    """Find what a package reaches of `common/` by #include or by its Makefile, with its places.

    With `lacking` a header that the package has itself is not looked for, but its source is, if
    the package has only the header. Names begin with `common/`; of two folders the nearer counts.
    """
    common = _joined([read_files(one, tree) for one in _commons(files.folder, tree)])
    if common is None:
        return {}
    own = {name.rsplit("/", 1)[-1] for name in files.real} | _NISTS if lacking else set()
    queue = [one for one in files.includes() if one.rsplit("/", 1)[-1] not in own]
    queue += _whole_folders(files, common)
    found = set(_behind_copies(files, common)) if lacking else set()
    queue += [header for name in found for header in common.facts(name).includes]
    while queue:
        for name in _meant(queue.pop(), common):
            if name not in found and name not in own:
                found.add(name)
                queue += common.facts(name).includes
    found = _with_assembly(found, common)
    return {f"{COMMON}/{name}": common.real[name] for name in sorted(found)}


def is_framework(folder: Path, tree: Path) -> bool:
    """Return whether a package stands in a tree of PQClean's kind, which is not SUPERCOP's."""
    return next(_commons(folder, tree), None) is not None


def _joined(commons: list[Files]) -> Files | None:
    """Return several folders as one."""
    if not commons:
        return None
    real: dict[str, str] = {}
    for each in reversed(commons):
        real |= each.real
    hosts = (one.real for one in commons if "/pqclean/" in f"{one.folder}")
    real |= {name: at for one in hosts for name, at in one.items() if _PQCLEANS.fullmatch(name)}
    return Files(commons[0].folder, real, ())


def _whole_folders(files: Files, common: Files) -> list[str]:
    """Name what is in those folders of `common/` that the package's Makefile goes into."""
    makefile = files.text("Makefile") if "Makefile" in files.real else ""
    folders = set(_SUBFOLDER.findall(makefile))
    return [name for name in common.real if name.split("/")[0] in folders and "/" in name]


def _behind_copies(files: Files, common: Files) -> Iterator[str]:
    """Name the sources of headers of which the package has a copy, and none of the functions."""
    for header in files.top(".h"):
        source = f"{header.removesuffix('.h')}.c"
        if header not in common.real or source not in common.real or source in files.real:
            continue
        names = _DECLARED.findall(files.code(header))
        own = [files.code(name) for name in files.real if name.endswith(SOURCES)]
        code = common.code(source)
        theirs = [name for name in names if defines(code, name)]
        if theirs and not any(defines(text, name) for name in theirs for text in own):
            yield source


def _with_assembly(found: Iterable[str], common: Files) -> set[str]:
    """Add the assembly that sources call; in a nearer folder it replaces the C of its name."""
    every = set(found)
    called = " ".join(common.code(name) for name in every if name.endswith(SOURCES))
    words = set(re.findall(r"\w+", called))
    for name in common.top(*_ASSEMBLY):
        if words.isdisjoint(_GLOBAL.findall(common.code(name))):
            continue
        every.add(name)
        twin = f"{name.rpartition('.')[0]}.c"
        if twin in every and Path(common.real[twin]).parent != Path(common.real[name]).parent:
            every.discard(twin)
    return every


def _meant(header: str, common: Files) -> tuple[str, ...]:
    """Name the files that belong to a header: itself, and its source or its folder's sources."""
    if header in _OURS or header not in common.real:
        return ()
    parent, _, _ = header.rpartition("/")
    if parent:
        return tuple(name for name in common.real if name.startswith(f"{parent}/"))
    twin = f"{header.removesuffix('.h')}.c"
    return (header, twin) if twin in common.real else (header,)


def _commons(folder: Path, tree: Path) -> Iterator[Path]:
    """Yield the `common/` of the nearest folder above that has one, up to the tree."""
    above = _top(folder, tree)
    if above is not None:
        yield from (above / name for name in (COMMON, *_ELSEWHERE) if (above / name).is_dir())


def _top(folder: Path, tree: Path) -> Path | None:
    """Return the nearest folder above with shared sources, up to the tree."""
    for above in folders_above(folder, tree, _LEVELS):
        if any((above / name).is_dir() for name in (COMMON, *_ELSEWHERE)):
            return above
    return None


_BUILDS = ("mk/config.mk", "mupq/mk/config.mk")
_OWN_BUILD = "config.mk"
_MACRO = re.compile(r"(?<=\s)-D(\w+(?:=\w+)?)(?=\s|$)")
_OPENS = re.compile(r"(?:ifeq|ifneq|ifdef|ifndef)\b")


def framework_macros(folder: Path, tree: Path) -> tuple[str, ...]:
    """Return the macros with which a tree of pqm4's kind compiles a package: `PQM4`, `MUPQ`.

    A package may have a `config.mk` with its own, such as MAYO's `MAYO_M4` for its assembly.
    What a condition surrounds is left out, as is what make computes.
    """
    above = _top(folder, tree)
    if above is None:
        return ()
    found: dict[str, None] = {}
    for place in (*(above / name for name in _BUILDS), folder / _OWN_BUILD):
        if place.is_file() and is_inside(place, tree):
            lines = read_files(place.parent, tree).text(place.name).splitlines()
            found |= dict.fromkeys(_MACRO.findall("\n".join(_unconditional(lines))))
    return tuple(found)


def _unconditional(lines: list[str]) -> Iterator[str]:
    """Yield the lines outside of conditions; what keeps a file from being read twice is none."""
    opened: list[bool] = []
    for number, line in enumerate(lines):
        word = line.strip()
        if _OPENS.match(word):
            guard = word.removeprefix("ifndef").strip()
            after = lines[number + 1] if number + 1 < len(lines) else ""
            opened.append(not (guard and after.startswith(guard)))
        elif word.startswith("endif") and opened:
            opened.pop()
        elif not any(opened):
            yield f" {line}"
