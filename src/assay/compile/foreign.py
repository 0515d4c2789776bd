# SPDX-License-Identifier: MIT
"""Failed builds of code that is for another machine: nobody's fault, so they are skipped.

Looked at is only what failed: the file that the compiler refused first, or the assembly
that alone defines what the linker missed. Assembly that may be for this machine is never
taken for another's, so honest code with a mistake still fails.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from assay.compile.recipe import Recipe
from assay.model import Build, BuildStage, Package, Target
from assay.package.text import code_of, defines, foreign_assembly, read_text
from assay.targets.fitting import fits

CURE = "Name the ABIs that it is for in a file `architectures`, or guard it and offer C elsewhere."
ASSEMBLY = (".s", ".S", ".asm")
C = (".c", ".h", ".cc", ".cpp", ".inc")
_REFUSED = re.compile(
    r"^(?:<inline asm>:)?([^\s:<>]+):(?:[0-9]+:)*[ \t]*(?:fatal )?[Ee]rror\b", re.MULTILINE
)
_ASSEMBLER = re.compile(r"Assembler messages:|<inline asm>|\bin '?asm'?")
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
    name = first and next((one for one, _ in _files(package) if _is(one, first[1])), None)
    if not name or not (name.endswith(ASSEMBLY) or _ASSEMBLER.search(diagnostics)):
        return None
    text = _assembly(package, name)
    return _foreign(name, text, target)


def _assembly(package: Package, name: str) -> str:
    """Return a file of assembly, or what all C of the package has in quotes.

    What a file in C makes of a macro stands in another one.
    """
    files = dict(_files(package))
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
    files = ((name, path) for name, path in _files(package) if name.endswith((*ASSEMBLY, *C)))
    having = [name for name, path in files if defines(code_of(read_text(path)), missing[1])]
    if not all(name.endswith(ASSEMBLY) for name in having):
        return None
    found = [_foreign(name, _assembly(package, name), target) for name in having]
    return found[0] if found and all(found) else None


def _foreign(name: str, text: str, target: Target) -> tuple[str, str] | None:
    """Return a file's name and the architecture of its text if the target does not run that."""
    architecture = foreign_assembly(text)
    return None if architecture is None or fits(architecture, target) else (name, architecture)


def _files(package: Package) -> Iterator[tuple[str, Path]]:
    yield from ((name, package.root / name) for name in package.files)
    if package.details is not None:
        yield from package.details.shared


def _is(name: str, said: str) -> bool:
    """Return whether a compiler means a file of the package, from its folder or one above."""
    return PurePosixPath(said).name == PurePosixPath(name).name and (
        f"/{said}".endswith(f"/{name}") or f"/{name}".endswith(f"/{said}")
    )
