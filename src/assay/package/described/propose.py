# SPDX-License-Identifier: MIT
"""Writing a description of a tree: what was found of it, and what its author has to fill in."""

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from assay.errors import UsageError
from assay.package.described.find import known_for
from assay.package.described.look import PROCESSORS, TreeLooks, look_at

EDIT = "# [edit]"
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
    varying = "{n}" if len(sets) > 1 else ""
    yield f"# Proposed by looking at {name}; docs/guide/trees.md has all keys."
    yield f'operation = "{looks.operation}"'
    yield f"header = {json.dumps(_varied(looks.headers[0], varying))}"
    yield _list("include", (_varied(one, varying) for one in looks.include))
    yield _list("sources", (_varied(one, varying) for one in _globs(looks.sources)))
    if looks.left_out:
        yield f"# left out, as it has main() or randombytes(): {', '.join(looks.left_out[:10])}"
        yield _list("exclude", looks.left_out)
    yield _list("defines", looks.defines)
    if looks.macros:
        yield f"{EDIT} macros that the build mentions: {', '.join(looks.macros)}"
    if looks.answers:
        yield _list("answers", looks.answers) if len(sets) == 1 else _answers(looks)
    yield from _tables(sets, looks)


def _answers(looks: TreeLooks) -> str:
    return f"{EDIT} answers of each set: {', '.join(looks.answers[:12])}"


def _tables(sets: dict[str, str], looks: TreeLooks) -> Iterator[str]:
    for one, number in sets.items():
        yield f"\n[set.{json.dumps(one)}]" if "." in one else f"\n[set.{one}]"
        if len(sets) > 1:
            yield f"words = {{ n = {json.dumps(number)} }}"
    for kind, sources in sorted(looks.alternatives.items()):
        yield f"\n[implementation.{kind}]"
        if kind in PROCESSORS:
            yield f'architectures = ["{PROCESSORS[kind]}"]'
        folders = dict.fromkeys(str(PurePosixPath(one).parent) for one in sources)
        yield _list("include", folders)
        yield _list("sources", _globs(sources))


def _sets(looks: TreeLooks) -> dict[str, str]:
    """Return parameter sets: folders of headers whose names differ in a number, or one."""
    folders = [str(PurePosixPath(one).parent) for one in looks.headers]
    bare = [re.sub(r"\d+", "", one) for one in folders]
    same = [one for one, plain in zip(folders, bare, strict=True) if plain == bare[0]]
    if len(set(same)) > 1:
        found = {}
        for one in sorted(set(same)):
            base = PurePosixPath(one).name
            number = re.search(r"\d+", base)
            found[_NAME.sub("", base)] = number[0] if number else base
        return found
    return {_NAME.sub("", looks.operation.removeprefix("crypto_")) or "main": ""}


def _varied(path: str, word: str) -> str:
    """Put the word of the parameter set in place of the number of a path's folder."""
    if not word:
        return path
    *folders, last = path.split("/")
    return "/".join([*(re.sub(r"(?<=[A-Za-z_-])\d+$", word, one) for one in folders), last])


def _globs(names: list[str]) -> list[str]:
    """Return a glob for each folder and suffix."""
    found = (f"{PurePosixPath(one).parent}/*{PurePosixPath(one).suffix}" for one in names)
    return [one.removeprefix("./") for one in dict.fromkeys(found)]


def _list(key: str, values: Iterable[str]) -> str:
    return f"{key} = {json.dumps(list(dict.fromkeys(values)))}"
