# SPDX-License-Identifier: MIT
"""Freeze what `assay check` says of all packages, or compare with what is frozen.

    ./scripts/frozen [--write] [shipped|foreign|streams|hashes|operations]...

A part is a file beside this one. It has verdicts other than `pass` for each package, with their
reasons, numbers masked, and the checks that passed. Exit code 1: something differs.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from tests.objects import Entry, Json
from tests.whole.frozen.packages import (
    ASSAY,
    entries_of,
    write_hashes,
    write_operation,
    write_streams,
)

FROZEN = Path(__file__).parent
ROOT = FROZEN.parents[2]
FOREIGN = "qemu-ppc603e"  # big-endian, without pages behind buffers, unlike this machine
MASKED = re.compile(r"(?<![a-z/])(0x)?[0-9a-f]*[0-9][0-9a-f]*|\[[^]]*\]")
SCRATCH = re.compile(r"\S*/assay-\w+-[^/\s]+/")  # folders with names of chance
LIBRARIES = re.compile(r"(?:linked with|,) \S+\.(?:so|a)\S* \([^()]*\)")  # the machine's
SLOW = "the code is slow"  # depends on the machine, so it is not compared
Verdicts = dict[str, dict[str, str]]
Named = tuple[str, dict[str, str]]
ItemT = TypeVar("ItemT")


def answers(command: list[str], folder: Path) -> list[Json]:
    """Return the cells that `assay check` prints."""
    done = subprocess.run(
        [ASSAY, "check", "--format", "json", *command],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not done.stdout:
        raise SystemExit(f"{command}: {done.stderr}")
    cells: list[Json] = json.loads(done.stdout)
    return cells


def verdicts(cell: Json) -> dict[str, str]:
    """Return what is frozen of a cell."""
    told = {
        one["check"]: f"{one['verdict']}: {_masked(one['reason'])}".removesuffix(": ")
        for one in cell["checks"]
    }
    passed = sorted(name for name, says in told.items() if says == "pass")
    others = {name: says for name, says in sorted(told.items()) if says != "pass"}
    return {"verdict": cell["verdict"], **others, "pass": " ".join(passed)}


def _masked(reason: str) -> str:
    """Return a reason without numbers, folders of a moment, and libraries of a machine."""
    here = reason.replace(f"{ROOT}/", "")
    return MASKED.sub("#", SCRATCH.sub("", LIBRARIES.sub("", here)))


def shipped(target: str, folder: Path) -> Iterator[Named]:
    """Yield what is said of every shipped package on a target."""
    for name in ("*", "crypto_*"):
        for cell in answers(["--target", target, name], folder):
            yield cell["package"], verdicts(cell)


def alone(write: Callable[[Path], Iterable[Path]], folder: Path) -> Iterator[Named]:
    """Yield what is said of every broken cipher or hash."""

    def ask(place: Path) -> list[Named]:
        name = place.relative_to(folder).as_posix()
        return [(name, verdicts(cell)) for cell in answers([str(place)], folder)]

    yield from _side_by_side(ask, write(folder))


def operations(folder: Path) -> Iterator[Named]:
    """Yield what is said of every broken package of an operation, each in a tree of its own."""

    def ask(entry: Entry) -> list[Named]:
        tree, base = write_operation(entry, folder)
        found = [
            (tree.name, verdicts(cell)) for cell in answers(["--tree", str(tree), base], folder)
        ]
        shutil.rmtree(tree)
        return found

    yield from _side_by_side(ask, entries_of("operations.toml"))


def _side_by_side(ask: Callable[[ItemT], list[Named]], items: Iterable[ItemT]) -> Iterator[Named]:
    """Yield the answers about all items, as many at once as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(ask, items):
            yield from found


PARTS: dict[str, Callable[[Path], Iterator[Named]]] = {
    "shipped": partial(shipped, "native"),
    "foreign": partial(shipped, FOREIGN),
    "streams": partial(alone, write_streams),
    "hashes": partial(alone, write_hashes),
    "operations": operations,
}


def differences(now: Verdicts, then: Verdicts) -> Iterator[str]:
    """Yield what is said otherwise than before, package by package."""
    for name in sorted({*now, *then}):
        new, old = now.get(name, {}), then.get(name, {})
        for check in sorted({*new, *old}):
            told = {str(new.get(check)), str(old.get(check))}
            if len(told) > 1 and not any(SLOW in one for one in told):
                yield f"{name} {check}\n  was {old.get(check)}\n  is  {new.get(check)}"


def main() -> int:
    """Read the options, ask, and write or compare; return the exit code."""
    parser = argparse.ArgumentParser(prog="frozen", description=__doc__)
    parser.add_argument("--write", action="store_true", help="freeze instead of comparing")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all without them")
    given = parser.parse_args()
    found = 0
    for part in given.parts or PARTS:
        file = FROZEN / f"{part}.json"
        if not given.write and not file.is_file():
            print(f"{part}: not frozen yet, --write does it")
            found += 1
            continue
        with tempfile.TemporaryDirectory(prefix="assay-frozen-") as scratch:
            now = dict(PARTS[part](Path(scratch)))
        if given.write:
            file.write_text(json.dumps(now, indent=0, sort_keys=True) + "\n")
        else:
            told = list(differences(now, json.loads(file.read_text())))
            found += len(told)
            print("\n".join([*told, f"{part}: {len(told)} differences in {len(now)} packages"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
