# SPDX-License-Identifier: MIT
"""Writing a description of a tree: what was found of it, and what its author has to fill in."""

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from assay.errors import UsageError
from assay.package.described.load import known_for
from assay.package.described.look import PROCESSORS, TreeLooks, look_at

EDIT = "# [edit]"
_ENDING = re.compile(r"(.*?)(\d*)", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_WORD = re.compile(r'^words = \{ n = "(.*)" \}$', re.MULTILINE)
_NAME = re.compile(r"[^A-Za-z0-9.+-]+")


def write_proposal(root: Path, to: Path) -> tuple[Path, bool]:
    """Write the description of a tree; return its file, and whether Assay knew the tree.

    UsageError if there is such a file already, or the tree shows nothing of an operation.
    """
    if not root.is_dir():
        raise UsageError(f"there is no folder {root}", "Name the folder of a tree.")
    if os.path.lexists(to):
        raise UsageError(f"{to} is there already", "Move it away, or name another with --into.")
    known = known_for(root)
    text = known.text if known else "\n".join(proposal(look_at(root), root.resolve().name)) + "\n"
    way = os.path.relpath(root.resolve(), to.resolve().parent)
    if way != ".":
        text = f"root = {json.dumps(way)}\n{text}"
    with to.open("x", encoding="utf-8") as file:
        file.write(text)
    return to, known is not None


def proposal(looks: TreeLooks, name: str) -> Iterator[str]:
    """Yield the lines of a description."""
    sets = _sets(looks)
    varying = frozenset(_WORD.findall("\n".join(sets.values())))
    yield f"# Proposed by looking at {name}; docs/guide/trees.md has all keys."
    yield f'operation = "{looks.operation}"'
    apart = _headers_apart(looks)
    if not apart:
        yield f"header = {json.dumps(_varied(looks.headers[0], varying))}"
    yield _list("include", (_varied(f"{one}/", varying).rstrip("/") for one in looks.include))
    yield _list("sources", (_varied(one, varying) for one in _globs(looks.sources)))
    if looks.left_out:
        yield f"# left out, as it has main() or randombytes(): {', '.join(looks.left_out[:10])}"
        yield _list("exclude", looks.left_out)
    yield _list("defines", looks.defines)
    if looks.size_lengths:
        yield 'lengths = "size_t"'
    open_ = [one for one in looks.macros if one != looks.choice[0] or len(sets) < 2]
    if open_:
        yield f"{EDIT} macros that the build mentions: {', '.join(open_)}"
    if looks.answers and len(sets) == 1:
        yield _list("answers", looks.answers)
    elif looks.answers:
        yield f"{EDIT} answers of each set: {', '.join(looks.answers[:12])}"
    yield from _functions(looks)
    yield from _tables(sets, looks, apart, varying)


def _functions(looks: TreeLooks) -> Iterator[str]:
    if looks.longer:
        yield "\n[functions]"
    for name, call, more in looks.longer:
        yield f"{name} = {json.dumps(call)}  {EDIT} 0 for {', '.join(more)}"


def _tables(
    sets: dict[str, str], looks: TreeLooks, apart: dict[str, str], varying: frozenset[str]
) -> Iterator[str]:
    for one, word in sets.items():
        yield f"\n[set.{_key(one)}]"
        if len(sets) > 1:
            yield word
    for kind, sources in sorted(looks.alternatives.items()):
        yield f"\n[implementation.{kind}]"
        if kind in PROCESSORS:
            yield f'architectures = ["{PROCESSORS[kind]}"]'
        if kind in apart:
            yield f"header = {json.dumps(_varied(apart[kind], varying))}"
        names = [_varied(one, varying) for one in sources]
        yield _list("include", (str(PurePosixPath(one).parent) for one in names))
        yield _list("sources", _globs(names))


def _key(name: str) -> str:
    """Write a key of TOML, in quotes unless it is plain."""
    return name if _PLAIN.fullmatch(name) else json.dumps(name)


def _headers_apart(looks: TreeLooks) -> dict[str, str]:
    """Return the header of each alternative, if all have one of their own."""
    found: dict[str, str] = {}
    for one in looks.headers:
        kind = next((p for p in reversed(one.lower().split("/")) if p in looks.alternatives), "")
        if kind:
            found.setdefault(kind, one)
    return found if found and found.keys() == looks.alternatives.keys() else {}


def _sets(looks: TreeLooks) -> dict[str, str]:
    """Return parameter sets, each with the line that makes it one.

    They are folders of headers whose names differ in a number, values of a macro, or one.
    """
    folders = [str(PurePosixPath(one).parent) for one in looks.headers]
    bare = [re.sub(r"\d+", "", one) for one in folders]
    same = {one for one, plain in zip(folders, bare, strict=True) if plain == bare[0]}
    if len(same) > 1:
        names = sorted({PurePosixPath(one).name for one in same})
        numbers = [(re.search(r"\d+", one) or [""])[0] for one in names]
        words = numbers if len({*numbers} - {""}) == len(names) else names
        return {
            _NAME.sub("", name): f"words = {{ n = {json.dumps(word)} }}"
            for name, word in zip(names, words, strict=True)
        }
    macro, values = looks.choice
    if macro:
        stem = macro.split("_")[0].lower()
        return {f"{stem}{one}": _list("defines", [f"{macro}={one}"]) for one in values}
    return {_NAME.sub("", looks.operation.removeprefix("crypto_")) or "main": ""}


def _varied(path: str, words: frozenset[str]) -> str:
    """Put `{n}` for a parameter set's word: a folder's name, or the number that ends it."""

    def put(folder: str) -> str:
        name, number = _ENDING.fullmatch(folder).groups()  # type: ignore[union-attr]
        if folder in words:
            return "{n}"
        return f"{name}{{n}}" if name and number in words else folder

    *folders, last = path.split("/")
    return "/".join([*map(put, folders), last])


def _globs(names: list[str]) -> list[str]:
    """Return a glob for each folder and suffix."""
    found = (f"{PurePosixPath(one).parent}/*{PurePosixPath(one).suffix}" for one in names)
    return [one.removeprefix("./") for one in dict.fromkeys(found)]


def _list(key: str, values: Iterable[str]) -> str:
    return f"{key} = {json.dumps(list(dict.fromkeys(values)))}"
