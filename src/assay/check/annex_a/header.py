# SPDX-License-Identifier: MIT
"""Whether the header is what an application may include (A.1.3).

What it declares is found out with the compiler's preprocessor and a look at its tokens.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct
from msgspec.structs import replace

from assay.check.bench import Bench
from assay.check.check import CheckFailed, CheckSkipped
from assay.check.hash.trial import HashTrial, paper_rule
from assay.compile.builder import stage_package
from assay.compile.files import place
from assay.compile.kept import hidden, without_sources
from assay.compile.recipe import Recipe
from assay.execute.command import Ended, run_jailed
from assay.execute.jail import COMPILE_LIMITS, Jail
from assay.execute.staging import hand_over, staged_folder
from assay.machine.cache import cache_folder
from assay.model.api import Promise
from assay.package.text import code_of, read_text

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

DIALECTS = (("-std=c90", "C90"), ("-std=c99", "C99"))
STRICT = ("-pedantic", "-Wall", "-Wstrict-prototypes", "-Werror")
_INCLUDE = re.compile(r"^\s*#\s*include\s*(?P<name>.*\S)", re.MULTILINE)
_STANDARD = re.compile(r"<(\w+)\.h>")

FIELDS, SHABAL = ("buf", "ptr", "state", "out_size"), "shabal"
COUNTER = ("Wlow", "Whigh")  # of blocks: Shabal alone has one
TYPES = ("-std=gnu99", "-Werror=incompatible-pointer-types")


class Names(Struct, frozen=True):
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
                if statement[at - 2] not in _TAGGED:  # else a type is only declared
                    yield name
            elif token == "(" and statement[at + 1 : at + 2] == ["*"]:
                yield statement[at + 2]
            return


def _bench(trial: HashTrial) -> Bench:
    if trial.bench is None:
        raise CheckSkipped("there is no compiler at hand")
    return trial.bench


def _name(trial: HashTrial) -> str:
    return trial.package.header.removesuffix(".h")


def alone(trial: HashTrial) -> None:
    """Compile the header and nothing else, twice included, in two dialects."""
    line = f'#include "{trial.package.header}"\n'
    unit = f"{line}{line}extern int assay_unit;\n"
    for option, dialect in DIALECTS:
        ended = compile_unit(_bench(trial), unit, (option, *STRICT))
        if not ended.ok:
            once = compile_unit(_bench(trial), unit.removeprefix(line), (option, *STRICT))
            what = "included twice" if once.ok else "by itself"
            raise CheckFailed(f"{what} it does not compile as {dialect}", ended.output)


def prototypes(trial: HashTrial) -> str:
    """Let the compiler compare the declarations with those of the table of APIs.

    Return which fields the context lacks that contexts have in common.
    """
    paper = Promise.ANNEX_A in trial.api.promises
    bench = _bench(trial)
    # tcc does not know the option, and makes errors of what it warns of anyway.
    strict = STRICT if bench.recipe.compiler.is_tcc else (*STRICT, "-pedantic-errors")
    ended = compile_unit(bench, _pointers(trial), ("-std=c99", *strict) if paper else TYPES)
    if not ended.ok:
        what = "those of A.1.3" if paper else f"those of the API {trial.api.name}"
        raise CheckFailed(f"the declarations are not {what}", ended.output)
    return _fields(trial) if paper else ""


def _fields(trial: HashTrial) -> str:
    """Name the common fields of section 2.1 of the paper that the header does not have."""
    code = code_of(read_text(trial.package.root / trial.package.header))
    wanted = (*FIELDS, *(COUNTER if trial.package.primitive == SHABAL else ()))
    lacking = [one for one in wanted if not re.search(rf"\b{one}\b", code)]
    if not lacking:
        return ""
    return (
        f"the context has no {', '.join(lacking)}: fields that contexts have in common in section "
        "2.1 of the Shabal paper (for debugging only: Annex A leaves fields free)"
    )


def _pointers(trial: HashTrial) -> str:
    """Write C that defines a pointer of the declared type to every function."""
    pointers = (
        trial.api.pointer(one, f"assay_{number}", _name(trial))
        for number, one in enumerate(trial.api.functions)
    )
    return "\n".join(["#include <stddef.h>", f'#include "{trial.package.header}"', *pointers, ""])


def guard(trial: HashTrial) -> None:
    """Look for the guard macro by its name, and at whether it guards."""
    wanted = f"{_name(trial)}_h__"
    code = code_of(read_text(trial.package.root / trial.package.header)).strip()
    if wanted not in names_of(_bench(trial)).macros:
        raise CheckFailed(f"including it does not define {wanted}")
    if not re.match(rf"#\s*(?:ifndef\s+{wanted}\b|if\s+!\s*defined\b\W*{wanted}\b)", code):
        raise CheckFailed(f"it does not begin with #ifndef {wanted}")


def includes(trial: HashTrial) -> None:
    """Look at every #include, whatever it depends on."""
    code = code_of(read_text(trial.package.root / trial.package.header))
    found = [m["name"] for m in _INCLUDE.finditer(code)]
    standard = [m[1] for name in found if (m := _STANDARD.fullmatch(name))]
    for name in found:
        if not (m := _STANDARD.fullmatch(name)) or m[1] not in STANDARD:
            raise CheckFailed(f"it includes {name}, which is no header of ISO C")
    if "stddef" not in standard:
        raise CheckFailed("it does not include <stddef.h>")


def names(trial: HashTrial) -> None:
    """Look at every macro and at every name of file scope."""
    name = _name(trial)
    found = names_of(_bench(trial))
    for what, many in (("macro", found.macros), ("name", found.declared)):
        strange = [one for one in many if one != name and not one.startswith(f"{name}_")]
        if strange:
            raise CheckFailed(
                f"the {what} {strange[0]} does not begin with {name}_", "\n".join(strange)
            )


CHECKS = (
    paper_rule(
        name="header/alone",
        asks="Does the header compile on its own and included twice, as C90 and as C99?",
        why="An application includes it anywhere, so the header must include what it needs.",
        cure="Include <stddef.h> for size_t, and put everything inside the guard.",
        run=alone,
    ),
    paper_rule(
        name="header/guard",
        asks="Is the guard macro `xxx_h__` (A.1.3)?",
        why="Its name contains the identifier, so that two hash functions never share a guard.",
        cure="Begin with `#ifndef xxx_h__` and `#define xxx_h__`, end with `#endif`.",
        run=guard,
    ),
    paper_rule(
        name="header/includes",
        asks="Does the header include <stddef.h>, and otherwise only headers of ISO C (A.1.3)?",
        why="Other headers are missing on some systems and add names that may collide.",
        cure="Include <stddef.h>; take 32-bit types from <limits.h> or <stdint.h>.",
        run=includes,
    ),
    paper_rule(
        name="header/names",
        asks="Do all macros, types and functions of the header begin with `xxx_` (A.1.3)?",
        why="Any other name may collide with one of the application.",
        cure="Rename them, or move them into the source.",
        run=names,
    ),
    paper_rule(
        name="header/prototypes",
        asks="Are the functions declared with the types of the API?",
        why=(
            "Applications are compiled against these types. Another order or width of "
            "parameters works only by chance, on some machines."
        ),
        cure="Copy the declarations that `assay new` writes.",
        run=prototypes,
    ),
)
