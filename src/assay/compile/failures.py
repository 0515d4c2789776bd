# SPDX-License-Identifier: MIT
"""Failed builds, explained by the files of the package.

Code that is for another machine is nobody's fault, so it is skipped. Looked at is only what
failed: the file that the compiler refused first, or the assembly that alone defines what the
linker missed. Assembly that may be for this machine is never taken for another's, so honest
code with a mistake still fails. Where the linker did not find a name, the file that has it is
named, and why it was not found there.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from assay.compile.reasons import explain
from assay.compile.recipe import Recipe
from assay.compile.supercop.names import namespace
from assay.model import Build, BuildStage, Package, Target
from assay.model.supercop import LEAGUES
from assay.package.text import code_of, defines, foreign_assembly, read_text
from assay.targets.catalogue import fits

CURE = "Name the ABIs that it is for in a file `architectures`, or guard it and offer C elsewhere."
ASSEMBLY = (".s", ".S", ".asm")
C = (".c", ".h", ".cc", ".cpp", ".inc")
_REFUSED = re.compile(
    r"^(?:<inline asm>:)?([^\s:<>]+):(?:[0-9]+:)*[ \t]*(?:fatal )?[Ee]rror\b", re.MULTILINE
)
_ASSEMBLER = re.compile(r"Assembler messages:|<inline asm>|\bin '?asm'?")
_COMPILERS = re.compile(r"(?:^|/)cc\w+\.s$")  # what gcc hands to the assembler
_INLINE = re.compile(r"\b(?:asm|__asm|__asm__)\b")
_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:?) [`'\"]?(\w+)")
_STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')


def unless_foreign(recipe: Recipe, build: Build) -> Build:
    """Return a build as it is; one that failed over assembly for another machine is skipped."""
    if build.ok or build.stage is BuildStage.SKIPPED:
        return build
    found = _refused(recipe.package, build.diagnostics, recipe.target) or _missing(
        recipe.package, build.diagnostics, recipe.target
    )
    if found is None:
        return build
    name, architecture = found
    reason = f"it is for another machine: {name} has assembly for {architecture}"
    return replace(build, stage=BuildStage.SKIPPED, reason=reason, cure=CURE)


def _refused(package: Package, diagnostics: str, target: Target) -> tuple[str, str] | None:
    """Name the file that was refused first, and for which other machine its assembly is."""
    first = _REFUSED.search(diagnostics)
    name = first and next((one for one in package.places if _is(one, first[1])), None)
    if first and not name and _COMPILERS.search(first[1]):
        name = next(
            (one for one, path in package.places.items() if _has_assembly(one, path)), None
        )
    if not name or not (name.endswith(ASSEMBLY) or _ASSEMBLER.search(diagnostics)):
        return None
    return _foreign(name, _assembly(package, name), target)


def _has_assembly(name: str, path: Path) -> bool:
    return name.endswith(C) and _INLINE.search(code_of(read_text(path))) is not None


def _assembly(package: Package, name: str) -> str:
    """Return a file of assembly, or what all C of the package has in quotes.

    What a file in C makes of a macro stands in another one.
    """
    files = package.places
    if name.endswith(ASSEMBLY):
        return code_of(read_text(files[name]))
    every = (code_of(read_text(path)) for one, path in files.items() if one.endswith(C))
    quoted = (text for code in every for text in _STRING.findall(code))
    return "\n".join(text.replace("\\n", "\n").replace("\\t", "\t") for text in quoted)


def _missing(package: Package, diagnostics: str, target: Target) -> tuple[str, str] | None:
    """Name assembly for another machine that alone defines what the linker missed."""
    missing = _UNDEFINED.search(diagnostics)
    if missing is None:
        return None
    files = (
        (name, path) for name, path in package.places.items() if name.endswith((*ASSEMBLY, *C))
    )
    having = [name for name, path in files if defines(code_of(read_text(path)), missing[1])]
    if not all(name.endswith(ASSEMBLY) for name in having):
        return None
    found = [_foreign(name, _assembly(package, name), target) for name in having]
    return found[0] if found and all(found) else None


def _foreign(name: str, text: str, target: Target) -> tuple[str, str] | None:
    """Return a file's name and the architecture of its text if the target does not run that."""
    architecture = foreign_assembly(text)
    return None if architecture is None or fits(architecture, target) else (name, architecture)


def _is(name: str, said: str) -> bool:
    """Return whether a compiler means a file of the package, from its folder or one above."""
    return PurePosixPath(said).name == PurePosixPath(name).name and (
        f"/{said}".endswith(f"/{name}") or f"/{name}".endswith(f"/{said}")
    )


_MISSING = re.compile(r"nothing defines (\w+)")
_COMPILED = (".c", ".cc", ".cpp", ".s", ".S")
_FOREIGN = (".asm", ".nasm", ".yasm")
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?:if|define|include)", re.MULTILINE)
_FUNCTION = r"\b{}\s*\([^;{{}}]{{0,2000}}\)\s*\{{"
_WORDS_CHARACTERS = 200  # before a function's name: its type and specifiers
ELSEWHERE = "Move it beside the API's header, or describe the build: `assay init TREE`."
SOURCE = "Name it among the package's sources."
_MOST_FILES, _MOST_BYTES = 2000, 1 << 20


def located(build: Build, package: Package) -> Build:
    """Name the file that has what nothing defines, with cause and cure, if there is one."""
    found = _MISSING.fullmatch(build.reason or "")
    if found is None:
        return build
    name = _as_written(package, found[1])
    places = sorted(
        (place for place in _texts(package.root) if _defines(*place, name)),
        key=lambda place: (place[0] not in package.sources, place[0].count("/"), place[0]),
    )
    if not places:
        reason, cure = explain(f"undefined reference to `{name}'", "link")
        return replace(build, reason=reason, cure=cure)
    file, text = places[0]
    cause, cure = _explained(file, text, name, compiled=file in package.sources)
    if cure == ELSEWHERE and package.details is not None and package.details.functions:
        cause, cure = f"{file} has it, and is not compiled", SOURCE
    return replace(build, reason=f"nothing that is compiled defines {name}: {cause}", cure=cure)


def _as_written(package: Package, name: str) -> str:
    """Return the name that stands in the source for one that headers made of it."""
    if package.details is not None:
        for prefix in (namespace(package, league) for league in LEAGUES):
            if name.startswith(prefix):
                return package.details.operation + name.removeprefix(prefix)
    return name


def _texts(root: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of the regular files of a folder and below, as far as the limits go."""
    left = _MOST_FILES
    for folder, folders, files in os.walk(root):
        folders.sort()
        for each in sorted(files):
            path = Path(folder) / each
            left -= 1
            if left < 0:
                return
            if path.is_symlink() or not path.is_file() or path.stat().st_size > _MOST_BYTES:
                continue
            yield str(path.relative_to(root)), path.read_text(encoding="latin-1")


def _defines(file: str, text: str, name: str) -> bool:
    """Return whether a text defines a name, as C or as some assembler writes it."""
    if name not in text:
        return False
    if not file.endswith((".c", ".cc", ".cpp", ".h")) and re.search(
        rf"^[ \t]*_?{name}[ \t]*:|^[ \t]*(?:global|proc|public)[ \t]+_?{name}\b"
        rf"|^[ \t]*_?{name}[ \t]+proc\b|\.glob[a]?l[ \t]+_?{name}\b",
        text,
        re.MULTILINE | re.IGNORECASE,
    ):
        return True
    data = rf"\b{name}\s*(?:\[[^\]\n]{{0,200}}\]\s*)*=[^=]"
    return bool(re.search(rf"{_FUNCTION.format(name)}|{data}", text))


def _explained(file: str, text: str, name: str, *, compiled: bool) -> tuple[str, str]:
    """Return why a file that has a name does not provide it, and what helps."""
    suffix = Path(file).suffix
    if compiled:
        return _in_source(file, text, name)
    if suffix.lower() in _FOREIGN:
        return (
            f"{file} has it, in the syntax of NASM or yasm, which is not assembled",
            "Translate it for the GNU assembler and call the file .S.",
        )
    if suffix not in _COMPILED:
        ending = f"the ending {suffix}" if suffix else "no ending"
        return (
            f"{file} has it, and a file with {ending} is not compiled",
            "Give it an ending that is compiled (.c, .S, .s, .cc, .cpp; case matters).",
        )
    if "/" in file:
        return (
            f"{file} has it, and files of that folder are not compiled",
            ELSEWHERE,
        )
    return f"{file} has it, and is not compiled", SOURCE


def _in_source(file: str, text: str, name: str) -> tuple[str, str]:
    """Return why a source that was compiled does not provide a name."""
    found = re.search(_FUNCTION.format(name), text)
    before = text[max(0, found.start() - _WORDS_CHARACTERS) : found.start()] if found else ""
    words = re.split(r"[;{}#]", before)[-1].split()
    if "static" in words:
        return f"in {file} it is static", f"Remove `static`, or use {name} in {file} only."
    if {"inline", "__inline", "__inline__"} & set(words):
        return (
            f"in {file} it is `inline`, and since C99 that makes no function others can call",
            "Write `static inline`, or declare it `extern` in one source file.",
        )
    if file.endswith(".s") and _DIRECTIVE.search(text):
        return (
            f"{file} has it, and a file .s is not preprocessed",
            "Call the file .S: then `#include`, `#define` and `#if` count.",
        )
    if file.endswith((".s", ".S")) and not re.search(rf"\.glob[a]?l[ \t]+[^\n]*\b{name}\b", text):
        return f"the label in {file} is not global", f"Add `.globl {name}` to {file}."
    return (
        f"{file} has it, but not in this build",
        "Look at the conditions (`#if`) around it, and at macros that change its name.",
    )
