# SPDX-License-Identifier: MIT
"""What a tree's own build says of its sources and macros; it is read and never run.

Submissions to NIST carry sources for other parameter sets and for measuring in the same
folders, and their Makefiles name the files of each program, some the set by a macro.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from assay.errors import AssayError
from assay.model.api import Api
from assay.package.supercop.api import function_names
from assay.package.supercop.files import Files
from assay.package.text import defines, read_text

_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_COMMENT = re.compile(r"#[^\n]*|^\t[-@ ]*(?:rm|\$[({]RM[)}])[ \t][^\n]*", re.MULTILINE)
_SEARCHES = re.compile(
    r"\$[({](?:wildcard|shell|foreach|addsuffix|eval|call)\b|\*\.[a-zA-Z]|^[-s]?include\b",
    re.MULTILINE,
)
_MACRO = re.compile(r"(?<!\S)-D[ \t]*((?!CRYPTO_)[A-Za-z_]\w*(?:=[\w.-]+)?)(?=\s|$)", re.ASCII)
_RULE = re.compile(r"^(?!\t)[^\n:=#]*:(?!=)([^\n]*)\n((?:\t[^\n]*\n?)+)", re.MULTILINE)
_SET = re.compile(r"^[ ]*(\w+)[ \t]*([:+?]?)=[ \t]*([^\n]*)", re.MULTILINE)
_FINDS = re.compile(r"^ifneq[ ]*\(,[ ]*\$\(findstring[ ]+(\w+),[ ]*\$\((\w+)\)\)\)")
_BRANCH = ("if", "else", "endif")
_VARIABLE = re.compile(r"\$[({](\w+)[)}]")
_NESTED = 4
_LONGEST = 100_000
_FILE = re.compile(r"([\w+-][\w.+-]*)\.(?:c|cc|cpp|s|S|o)(?![\w.])")


def unnamed(files: Files, sources: tuple[str, ...], operation: Api) -> tuple[str, ...]:
    """Name the sources that the Makefile leaves out, though it names others of their folder.

    None, if it searches for files, or does not name those with the functions of the operation:
    then it compiles more than it names.
    """
    stems = _stems(files)
    named = {name for name in sources if _stem(name) in stems}
    if not all(name in named for name in sources if _has_function(files, name, operation)):
        return ()
    folders = defaultdict(list)
    for name in sources:
        folders[name.rpartition("/")[0]].append(name)
    mixed = (every for every in folders.values() if not named.isdisjoint(every))
    left = (name for every in mixed for name in every if name not in named)
    return tuple(sorted(name for name in left if not _fills_table(files, name, operation)))


def macros(files: Files, sources: tuple[str, ...], operation: Api) -> tuple[str, ...]:
    """Return the macros with which the Makefile compiles the functions of the operation.

    Those are taken that all commands define which name every source with such a function:
    a parameter set, say, and nothing that one program has for itself.
    """
    wanted = {_stem(name) for name in sources if _has_function(files, name, operation)}
    commands = (one for one in _commands(files) if wanted.issubset(_FILE.findall(one)))
    found = [set(_MACRO.findall(one)) for one in commands]
    return tuple(sorted(set.intersection(*found))) if found and wanted else ()


def _commands(files: Files) -> Iterator[str]:
    """Yield what each rule with a command says: prerequisites and command, variables put in."""
    text = _makefile(files)
    values = _values(text)
    for prerequisites, recipe in _RULE.findall(text):
        yield _expanded(f"{prerequisites}\n{recipe}", values)


def _values(text: str) -> dict[str, str]:
    """Return the variables of a Makefile."""
    values: dict[str, str] = defaultdict(str)
    for name, operator, value in _SET.findall(text):
        values[name] = (f"{values[name]} {value}" if operator == "+" else value).strip()
    return values


def _expanded(text: str, values: Mapping[str, str]) -> str:
    """Put variables into a text, and what stands in these."""
    for _ in range(_NESTED):
        text = _VARIABLE.sub(lambda found: values.get(found[1], ""), text)[:_LONGEST]
    return text


def _fills_table(files: Files, name: str, operation: Api) -> bool:
    """Return whether a source is there for NIST's benchmark, which authors did not know."""
    return operation.table is not None and operation.table.header in files.facts(name).includes


def _stems(files: Files) -> frozenset[str]:
    """Return the names of sources and objects in the Makefile, without suffixes."""
    text = _makefile(files)
    if _SEARCHES.search(text):
        return frozenset()
    return frozenset(_FILE.findall(_expanded(text, _values(text))))


def _makefile(files: Files) -> str:
    """Return the Makefile without comments and continued lines; empty if there is none."""
    name = next((one for one in _MAKEFILES if one in files.real), None)
    text = "" if name is None else _COMMENT.sub("", files.text(name).replace("\\\n", " "))
    return "\n".join(_of_the_set(text))


def _of_the_set(text: str) -> Iterator[str]:
    """Yield the lines of a Makefile, less those for words that its own variable does not have.

    SPHINCS+ chooses sources so: `ifneq (,$(findstring sha2,$(PARAMS)))`. All branches of
    other conditionals count.
    """
    values, other = _values(text), False
    for line in text.split("\n"):
        asked = _FINDS.match(line)
        if asked:
            other = asked[2] in values and asked[1] not in values[asked[2]]
        elif line.lstrip(" ").startswith(_BRANCH):
            other = False
        if not other:
            yield line


def _stem(name: str) -> str:
    return name.rpartition("/")[2].rpartition(".")[0]


def _has_function(files: Files, name: str, operation: Api) -> bool:
    code = files.code(name)
    return any(defines(code, one) for one in function_names(operation))


BUILDS = frozenset(("CMakeLists.txt", "meson.build", "Makefile", "makefile", "GNUmakefile"))
_SUFFIXES = (".cmake", ".mk")
_MENTIONED = re.compile(
    r"-D[ ]?([A-Za-z_]\w*)|target_compile_definitions\([^)]*?\b([A-Z_]\w*_\w+)"
)
_VALUE = re.compile(r"-D[ ]?([A-Za-z_]\w*)=(\d{1,9})\b")
_OWN = "CMAKE_"
_MOST = 40


def mentioned(texts: Iterable[str]) -> list[str]:
    """Name the macros that texts of builds mention; CMake's own variables are none."""
    found = {one[1] or one[2] for text in texts for one in _MENTIONED.finditer(text)}
    return sorted(one for one in found if not one.startswith(_OWN))[:_MOST]


def choice(texts: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """Return the macro that a build gives the most different numbers, with these in order.

    That is how parameter sets are chosen that no folders stand for. Empty if none has two.
    """
    values: dict[str, set[str]] = {}
    for text in texts:
        for name, value in _VALUE.findall(text):
            if not name.startswith(_OWN):
                values.setdefault(name, set()).add(value)
    name = max(sorted(values), key=lambda one: len(values[one]), default="")
    if len(values.get(name, ())) < 2:
        return "", ()
    return name, tuple(sorted(values[name], key=int))


def build_texts(root: Path, names: Iterable[str]) -> Iterator[str]:
    """Yield the texts of the files of a build; one that cannot be read says nothing."""
    for name in names:
        if PurePosixPath(name).name in BUILDS or name.endswith(_SUFFIXES):
            try:
                yield read_text(root / name)
            except (AssayError, OSError):
                continue
