# SPDX-License-Identifier: MIT
"""Putting mutants of a shipped package on trial, several at a time.

A mutant is a package of its own beside the others, with the vectors or checksums of the
original. One with the original's object code is no defect. The others are asked what finds
most defects first, and everything, `--deep` included, only if they survive that.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from tests.mutation.mutants import chosen

from assay.check.depth import Depth, Extent
from assay.check.engine.examine import in_parallel
from assay.check.engine.workshop import Workshop, open_workshop
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import Package, PackageKind, Verdict
from assay.package.resolve import resolve
from assay.plan.spread import ConfigurationChoice, Spread
from assay.targets.catalogue import native

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 120.0  # a mutant that goes round in circles is found, too
FIRST = ("vectors/", "digest/", "checksum/", "agent/", "calls/")
# Whether thoroughly, whether with --deep, and what is asked.
STEPS = (Extent(brief=True, only=FIRST), Extent(), Extent(Depth.DEEP))
ORIGINAL, PATIENCE = "original", "agent/patience"
SURVIVED, SAME, NO_CODE = "", "the same code", "does not compile"


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a mutant: what failed first, or one of the words above.

    `change` names it by what it does to a line; it stays the same when others change.
    """

    kind: str
    change: str
    by: str


def hunt(place: str, number: int, seed: int, home: Path) -> tuple[Fate, ...]:
    """Examine so many mutants of the package at a place of the repository."""
    mutants = tuple(_bred(place, number, seed, home))
    jail = replace(strongest_jail(), patience_seconds=PATIENCE_SECONDS)
    with open_workshop(jail, home / "agents") as workshop:
        build = workshop.build(_recipe(_loaded(home, place, ORIGINAL)))
        assert build.object_hash is not None, build.reason
        original = build.object_hash

        def fate(at: int) -> Fate:
            kind, change = mutants[at]
            return Fate(kind, change, _found_by(workshop, home, place, f"m{at}", original))

        with closing(in_parallel(fate, range(len(mutants)), os.cpu_count() or 1)) as done:
            fates = dict(done)
    return tuple(fates[at] for at in sorted(fates))


def _bred(place: str, number: int, seed: int, home: Path) -> Iterator[tuple[str, str]]:
    """Write the original and its mutants below `home`; yield the kind and change of each."""
    package = _loaded(ROOT, place)
    beside = home / place
    around = package.root.parent  # of an operation the whole tree: others call its primitives
    if package.kind is PackageKind.OPERATION:
        around = ROOT / "submissions/supercop"
    shutil.copytree(around, home / around.relative_to(ROOT))
    shutil.copytree(package.root, beside.parent / ORIGINAL)
    files = sorted(one for one in package.files if one.endswith((".c", ".h")))
    texts = {file: (package.root / file).read_text(errors="surrogateescape") for file in files}
    joined = "".join(texts.values())
    starts = {file: joined.index(text) for file, text in texts.items() if text}
    for at, mutant in enumerate(chosen(joined, number, seed)):
        file = max((one for one in starts if starts[one] <= mutant.start), key=starts.__getitem__)
        own = replace(mutant, start=mutant.start - starts[file])
        folder = beside.parent / f"m{at}"
        shutil.copytree(package.root, folder)
        text = own.applied(texts[file])
        (folder / file).write_text(text, errors="surrogateescape")
        yield mutant.kind, f"{file}: {_line(texts[file], own.start)} => {_line(text, own.start)}"


def _line(text: str, at: int) -> str:
    begin = text.rfind("\n", 0, at) + 1
    return text[begin:].partition("\n")[0].strip()


def _found_by(workshop: Workshop, home: Path, place: str, name: str, original: str) -> str:
    """Return the first check that fails, or what else became of it."""
    recipe = _recipe(_loaded(home, place, name))
    build = workshop.build(recipe)
    if not build.ok:
        return NO_CODE
    if build.object_hash == original:
        return SAME
    for extent in STEPS:
        outcome = workshop.examine(recipe, build, extent)
        failed = [one.check for one in outcome.checks if one.verdict is Verdict.FAIL]
        if extent.deep and failed == [PATIENCE]:
            break  # honest code would have needed as long
        if failed:
            return f"{failed[0]}{' (--deep)' if extent.deep else ''}"
    return SURVIVED


def _loaded(root: Path, place: str, name: str = "") -> Package:
    """Load a package of a tree, or the one called `name` beside it."""
    where = Path(place).with_name(name) if name else Path(place)
    below = where.relative_to("submissions")
    operation = below.parts[0] == "supercop"
    selector = str(below.relative_to("supercop")) if operation else str(below)
    (found,) = resolve((selector,), root, cwd=root / "submissions")
    assert isinstance(found, Package), found
    return found


def _recipe(package: Package) -> Recipe:
    """Compile as `assay check` does."""
    spread = Spread((native(),), ConfigurationChoice(ROOT / "none"))
    (cells,) = spread.places(package)
    return cells.recipes[0]
