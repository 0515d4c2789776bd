# SPDX-License-Identifier: MIT
"""Reading the prototype of a C function, and which folders have what sources include.

A prototype is one line, or that of a header which declares it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import UsageError
from assay.package.text import code_of, read_text

EXAMPLE = "Write it as in C: 'int sha256(uint8_t *out, const uint8_t *in, size_t n)'."
SYSTEM = (Path("/usr/include"), Path("/usr/local/include"))
_PROTOTYPE = re.compile(
    r"(?P<result>[A-Za-z_][\w\s*]*?[\s*])(?P<name>[A-Za-z_]\w*)\s*\((?P<parameters>[^()]*)\)\s*;?"
)
_PARAMETER = re.compile(
    r"(?P<type>.*?[\s*])??(?P<name>[A-Za-z_]\w*)?\s*(?P<array>(?:\[[^][]*\]\s*)*)"
)
_HEADER = re.compile(r"(?P<header>[\w./+-]+\.(?:h|hh|hpp)):(?P<name>[A-Za-z_]\w*)")
_NOISE = re.compile(
    r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|\bextern\s*\"[^\"]*\"|\b(?:restrict|__restrict(?:__)?|extern|static|inline|register)\b"
    r"|__\w*(?:nonnull|leaf|throw|THROW)\w*"
)
_TYPES = frozenset(
    {"void", "char", "short", "int", "long", "unsigned", "signed", "float", "double", "const"}
)
_QUALIFIERS = frozenset({"const", "volatile", "struct", "union", "enum"})
MOST_HEADER_BYTES = 4 << 20
MOST_HEADERS = 200
_INCLUDED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)", re.MULTILINE)
MOST_FILES = 2000
_QUOTED = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*(?:\"([^\"]+)\"|<([^>\"]+/[^>\"]+)>)", re.MULTILINE
)


class Argument(Struct, frozen=True):
    """A parameter as its author declared it: type, name, and the text of an array.

    `items` is the type of the items if it is the address of an array by a typedef.
    """

    type: str
    name: str
    array: str = ""
    items: str = ""

    @property
    def is_pointer(self) -> bool:
        """Return whether it is an address."""
        return "*" in self.type or bool(self.array)

    @property
    def is_const(self) -> bool:
        """Return whether what it points at is only read."""
        return "const" in self.type.partition("*")[0].split()

    @property
    def cast(self) -> str:
        """Return the type of a value that is passed."""
        return f"{self.type} *" if self.array else self.type

    def __str__(self) -> str:
        """Write it as in C."""
        gap = "" if self.type.endswith("*") else " "
        return f"{self.type}{gap}{self.name}{self.array}".strip()


class Prototype(Struct, frozen=True):
    """A function: what it returns, its name and parameters, and the header that declares it."""

    result: str
    name: str
    arguments: tuple[Argument, ...]
    header: str = ""

    def __str__(self) -> str:
        """Write the prototype."""
        gap = "" if self.result.endswith("*") else " "
        return f"{self.result}{gap}{self.name}({', '.join(map(str, self.arguments)) or 'void'});"


def base_of(kind: str) -> str:
    """Return a type without its qualifiers and stars."""
    return " ".join(re.sub(r"\b(?:const|volatile)\b|\*", " ", kind).split())


def read_signature(text: str, folders: tuple[Path, ...] = (), own: str = "") -> Prototype:
    """Read `int f(...)`, or `HEADER.h:f`; UsageError with what is wrong in it.

    `own` is the header to include for a prototype that was written out.
    """
    found = _HEADER.fullmatch(text.strip())
    if found is None:
        return replace(parse(text), header=own)
    header, name = found["header"], found["name"]
    multiarch = sorted(Path("/usr/include").glob("*-linux-gnu"))  # Debian's, by architecture
    searched = (*folders, Path(), *SYSTEM, *multiarch)
    path = next((at / header for at in searched if (at / header).is_file()), None)
    if path is None:
        raise UsageError(
            f"there is no header {header} in {', '.join(map(str, (*folders, *SYSTEM)))}",
            "Name its folder with --include.",
        )
    texts = [_text(each) for each in _with_included(path, searched)]
    for each in texts:
        if declared := _declared(each, name):
            arguments = tuple(_spelt_out(one, texts) for one in declared.arguments)
            return replace(declared, header=header, arguments=arguments)
    raise UsageError(*_unreadable(path, "\n".join(texts), name))


def _unreadable(path: Path, text: str, name: str) -> tuple[str, str]:
    """Return why a header has no prototype of a name, and what helps."""
    own = "Call it in a function of your own, with the arguments in the order of the operation."
    if re.search(rf"#[ \t]*define[ \t]+{name}\b", text):
        return f"{name} is a macro in {path}", own
    if re.search(rf"\b{name}\s*\(", text):
        return f"the declaration of {name} in {path} cannot be read", own
    return (
        f"{path} declares no function {name}",
        "Write its prototype in quotes in place of HEADER:NAME, and --header HEADER.",
    )


def _spelt_out(one: Argument, texts: Sequence[str]) -> Argument:
    """Return a parameter whose type is an array by a typedef as the array that it is.

    An address of what is only read is written as such, too: `uECC_Curve` of micro-ecc. The address
    of such an array keeps its type, which the function wants: `sha256_hash_t *` of AVR-Crypto-Lib.
    """
    kind = base_of(one.type)
    if one.array or one.type.count("*") > 1 or not kind:
        return one
    read = re.compile(rf"\btypedef\s+(const\s+[\w\s]+\*)\s*{re.escape(kind)}\s*;")
    pointed = next(filter(None, map(read.search, texts)), None)
    if pointed and not one.is_pointer:
        return replace(one, type=" ".join(pointed[1].split()))
    named = re.compile(rf"\btypedef\s+([\w\s]+?)\s+{re.escape(kind)}\s*(\[[^][]*\])\s*;")
    found = next(filter(None, map(named.search, texts)), None)
    if found is None:
        return one
    if one.is_pointer:
        return replace(one, items=found[1])
    const = "const " if one.is_const else ""
    return replace(one, type=f"{const}{found[1]}", array=found[2])


def _with_included(path: Path, folders: Sequence[Path]) -> Iterator[Path]:
    """Yield a header, and those that it includes, as far as they are found."""
    todo: list[Path] = [path]
    seen: set[Path] = set()
    while todo and len(seen) < MOST_HEADERS:
        one = todo.pop(0)
        if one in seen:
            continue
        seen.add(one)
        yield one
        for name in _INCLUDED.findall(_text(one)):
            places = (folder / name for folder in (one.parent, *folders))
            todo += [place for place in places if place.is_file()][:1]


def _text(path: Path) -> str:
    """Read a header without comments."""
    return code_of(read_text(path, MOST_HEADER_BYTES))


def _declared(text: str, name: str) -> Prototype | None:
    """Find a function's prototype in a header, among macros and attributes."""
    code = re.sub(r"^[ \t]*#.*$", ";", text, flags=re.MULTILINE)
    wanted = re.compile(
        rf"(?:^|[;{{}})])([^;{{}}()]*\b{re.escape(name)}\s*\([^();{{}}]*\))", re.DOTALL
    )
    for found in wanted.finditer(_NOISE.sub(" ", code)):
        before, _, inside = found[1].partition("(")
        words = before.strip().removesuffix(name).split()
        result = " ".join(one for one in words if not re.fullmatch(r"[A-Z][A-Z0-9_]+", one))
        if words and not result.strip("* "):  # a type in capitals
            result = " ".join([*words[-2:-1], result] if result else words[-1:])
        if result and result not in ("return", "else"):  # and not a call
            return parse(f"{result} {name}({inside}")
    return None


def parse(text: str) -> Prototype:
    """Read a prototype; UsageError names what cannot be read."""
    clean = " ".join(_NOISE.sub(" ", text).split())
    found = _PROTOTYPE.fullmatch(clean)
    if found is None:
        what = (
            "a parameter is a function" if "(*" in clean.replace(" ", "") else "it is no prototype"
        )
        raise UsageError(f"{text!a} cannot be read: {what}", EXAMPLE)
    inside = found["parameters"].strip()
    parts = [] if inside in ("", "void") else inside.split(",")
    arguments = tuple(_argument(one.strip(), at, text) for at, one in enumerate(parts, 1))
    return Prototype(" ".join(found["result"].split()), found["name"], arguments)


def _argument(text: str, at: int, whole: str) -> Argument:
    found = _PARAMETER.fullmatch(text)
    kind, name, array = (found[1] or "", found[2] or "", found[3]) if found else ("", "", "")
    # it has no name: `size_t`, `const char *`, `const uint8_t []`
    if name in _TYPES or (name and _QUALIFIERS.issuperset(kind.split())):
        kind, name = f"{kind}{name}", ""
    if not kind.strip() or text == "...":
        raise UsageError(f"parameter {at} of {whole!a} cannot be read: {text!a}", EXAMPLE)
    if array.count("[") > 1:
        raise UsageError(
            f"parameter {at} of {whole!a} cannot be read: an array of arrays", EXAMPLE
        )
    length = re.sub(r"\b(?:static|const)\b", "", array.strip("[] \t"))
    return Argument(" ".join(kind.split()), name, f"[{length.strip()}]" if array else "")


def included_files(
    files: Sequence[Path], include: Sequence[Path], root: Path
) -> tuple[dict[Path, str], set[Path]]:
    """Return folders that are missing in `include`, each with a header there, and all files.

    The folders lie below `root` and have what files include. A header that several files there
    are called like is left to the reader, and one in angle brackets that the system has is the
    system's; `<gmssl/sm3.h>` is not.
    """
    found: dict[Path, str] = {}
    todo, seen = list(files), set[Path]()
    while todo:
        one = todo.pop(0)
        if one in seen or not one.is_file() or len(seen) >= MOST_FILES:
            continue
        seen.add(one)
        for quoted, angled in _QUOTED.findall(_text(one)):
            name = quoted or angled
            if angled and any((folder / name).is_file() for folder in SYSTEM):
                continue
            places = [folder / name for folder in (one.parent, *include, *found)]
            there = next((place for place in places if place.is_file()), None)
            if there is None and len(own := list(_below(root, name))) == 1:
                there = own[0]
                found[there.parents[len(Path(name).parts) - 1]] = name
            todo += [there] if there else []
    return found, seen


def _below(root: Path, name: str) -> Iterator[Path]:
    """Yield the files below a folder whose path ends like the name in an `#include`."""
    last = Path(name).name
    every = islice(root.rglob(last), MOST_FILES) if last and "*" not in last else ()
    yield from (one for one in every if one.is_file() and one.as_posix().endswith(f"/{name}"))
