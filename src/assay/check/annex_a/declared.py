# SPDX-License-Identifier: MIT
"""What a header declares, found out with the compiler's preprocessor and a look at its tokens."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from assay.check.bench import Bench
from assay.compile.adapters import hidden, without_sources
from assay.compile.builder import stage_package
from assay.compile.files import place
from assay.compile.recipe import Recipe
from assay.execute.command import Ended, run_jailed
from assay.execute.jail import COMPILE_LIMITS, Jail
from assay.execute.staging import hand_over, staged_folder
from assay.machine.cache import cache_folder

# ISO C99, section 7.
STANDARD = frozenset(
    {
        "assert", "complex", "ctype", "errno", "fenv", "float", "inttypes", "iso646", "limits",
        "locale", "math", "setjmp", "signal", "stdarg", "stdbool", "stddef", "stdint", "stdio",
        "stdlib", "string", "tgmath", "time", "wchar", "wctype",
    }
)  # fmt: skip
_MARKER = re.compile(r'^# \d+ "(?P<file>[^"]*)"')
_DEFINE = re.compile(r"^#\s*define\s+(\w+)")
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[A-Za-z_]\w*|[0-9][\w.]*|[^\s\w]')
_WORD = re.compile(r"[A-Za-z_]\w*$")
_TAGGED = {"struct", "union", "enum"}
_KEYWORDS = {"const", "volatile", "restrict", "__restrict", "__extension__", "__attribute__"}


@dataclass(frozen=True, slots=True)
class Names:
    """What the header's own lines add to an application: macros, and names at file scope."""

    macros: tuple[str, ...]
    declared: tuple[str, ...]


def compile_unit(bench: Bench, text: str, options: tuple[str, ...]) -> Ended:
    """Compile a translation unit with the package's folder in the include path, in the jail."""
    words = ("-c", *options, "unit.c", "-o", "unit.o")
    return _run(_bare(bench.recipe), bench.jail, text, words)


def names_of(bench: Bench) -> Names:
    """Find out what the header defines; nothing if the preprocessor fails."""
    header = bench.recipe.package.header
    words = ("-E", "-dD", "-std=c99", "unit.c")
    ended = _run(_bare(bench.recipe), bench.jail, f'#include "{header}"\n', words)
    lines = list(_own_lines(ended.output, header))
    macros = tuple(m[1] for line in lines if (m := _DEFINE.match(line)))
    code = "\n".join(line for line in lines if not line.startswith("#"))
    return Names(macros, tuple(_declared(code)))


def _bare(recipe: Recipe) -> Recipe:
    """Drop what makes no difference to a header, so that an answer is found again."""
    configuration = replace(recipe.configuration, opt="", name="header", tag="header")
    return replace(recipe, configuration=configuration)


@lru_cache(maxsize=64)
def _run(recipe: Recipe, jail: Jail, text: str, words: tuple[str, ...]) -> Ended:
    """Run a compiler on a unit; what goes well without the package's sources is kept."""
    command = [str(recipe.compiler.path), *recipe.configuration.arch.split(), "-Ipackage"]
    if "runtime/include" in recipe.folders:
        command += ["-isystem", "runtime/include"]
    command += words
    with staged_folder("assay-header-") as home:
        stage_package(recipe, home)
        key = without_sources(recipe, home / "package", jail.mode.value, *command, text)
        ended = _without_sources(recipe, jail, text, command, key) if key else None
        return ended or _on(text, command, home, jail)


def _without_sources(
    recipe: Recipe, jail: Jail, text: str, command: list[str], key: str
) -> Ended | None:
    """Run a command where the sources are hidden, once for all; None if that fails."""
    kept = cache_folder() / "headers" / key
    with suppress(OSError, ValueError):
        return Ended(0, timed_out=False, output=kept.read_text(), seconds=0.0)
    with hidden(recipe, stage_package) as home:
        ended = _on(text, command, home, jail)
    if not ended.ok:
        return None
    with suppress(OSError), TemporaryDirectory() as own:
        kept.parent.mkdir(parents=True, exist_ok=True)
        said = Path(own) / "said"
        said.write_text(ended.output)
        place(said, kept, mode=0o644)
    return ended


def _on(text: str, command: list[str], home: Path, jail: Jail) -> Ended:
    (home / "unit.c").write_text(text)
    hand_over(home)
    return run_jailed(command, home, jail, COMPILE_LIMITS)


def _own_lines(text: str, header: str) -> Iterator[str]:
    """Yield the preprocessed lines that come from the package's own files."""
    own = False
    for line in text.splitlines():
        marker = _MARKER.match(line)
        if marker:
            own = Path(marker["file"]).parts[:1] == ("package",) or marker["file"] == header
        elif own:
            yield line


def _declared(code: str) -> Iterator[str]:
    """Name what is declared at file scope: functions, types, tags, enumerators, objects."""
    depth = nested = 0
    statement: list[str] = []
    tokens = _TOKEN.findall(code)
    in_enum = False
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else ""
        if token == "{":
            in_enum = depth == 0 and "enum" in tokens[max(at - 2, 0) : at]
            depth += 1
        elif token == "}":
            depth -= 1
        elif depth and in_enum and before in "{," and _WORD.match(token):
            yield token
        elif depth == 0:
            if before in _TAGGED and _WORD.match(token):
                yield token
            nested += (token == "(") - (token == ")")
            statement.append(token)
            if token == ";" and nested == 0:
                yield from _declarator(statement)
                statement = []


def _declarator(statement: list[str]) -> Iterator[str]:
    """Name what one declaration declares: what stands before its first ( or [ or its end."""
    if statement[:1] == [";"]:
        return
    for at, token in enumerate(statement):
        if token in {"(", "[", "=", ",", ";"} and at:
            name = statement[at - 1]
            if _WORD.match(name) and name not in _KEYWORDS and statement[at - 2 : at - 1] != []:
                yield from _named(statement, at - 1)
            elif token == "(" and statement[at + 1 : at + 2] == ["*"]:
                yield statement[at + 2]
            return


def _named(statement: list[str], at: int) -> Iterator[str]:
    """Yield the name at `at`, unless it is the tag of a type that is only declared."""
    if statement[at - 1] not in _TAGGED:
        yield statement[at]
