# SPDX-License-Identifier: MIT
"""Putting mutants of a package on trial, several at a time.

A mutant is a package of its own beside the original, with its vectors or checksums. One with the
original's object code is no defect. The others are asked what finds most defects first, then
everything, and at last what takes a minute, if that is wanted, until one check fails.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay.check.depth import Depth, Extent
from assay.check.engine.examine import in_parallel
from assay.check.engine.workshop import Workshop, open_workshop
from assay.compile.recipe import Recipe
from assay.errors import UsageError
from assay.execute.jail import Jail
from assay.execute.patience import seconds_for
from assay.model import Package, Verdict
from assay.model.compared import PATIENCE, ended_early
from assay.mutation.mutants import chosen
from assay.package.places import SUBMISSIONS, TREE
from assay.package.resolve import resolve
from assay.plan.spread import ConfigurationChoice, Spread
from assay.targets.catalogue import native

FIRST = ("vectors/", "digest/", "checksum/", "agent/", "calls/", "supercop/")
STEPS = (Extent(brief=True, only=FIRST, one_failure=True), Extent(one_failure=True))
DEEP = Extent(Depth.DEEP, one_failure=True)
ORIGINAL = "original"
SURVIVED, SAME, NO_CODE = "", "the same code", "does not compile"
MOST_FILES = 5000  # of a tree that is copied whole; of a larger one what the package includes
BESIDE = "verified.*"  # test vectors and known answers, which may lie above the package


class Fate(Struct, frozen=True):
    """What became of a mutant: what failed first, or one of the words above.

    `change` names it by what it does to a line; it stays the same when others change.
    """

    kind: str
    change: str
    by: str
    line: int = 0


class Bred(Struct, frozen=True):
    """A mutant that was written: its package's name, its kind, and what was changed where."""

    name: str
    kind: str
    change: str
    line: int


def hunt(
    package: Package,
    number: int,
    seed: int,
    place: tuple[Path, Jail],
    *,
    deep: bool,
    tell: Callable[[int, int], None] = lambda *_: None,
) -> tuple[Fate, ...]:
    """Examine so many mutants of a package, in a folder that is empty, confined by a jail.

    `tell` hears how many of them are done, and how many there are. UsageError where the original
    does not build, or nothing in it can be changed.
    """
    home, jail = place
    bred = tuple(_bred(package, number, seed, home))
    if not bred:
        raise UsageError(
            f"{package.selector} has no C that could be changed", "Mutants are made of C alone."
        )
    steps = (*STEPS, DEEP) if deep else STEPS
    with open_workshop(jail, home / "agents") as workshop:
        build = workshop.build(_recipe(home, _loaded(home, package, ORIGINAL)))
        if build.object_hash is None:
            raise UsageError(f"{package.selector} does not build: {build.reason}", build.cure)
        original = build.object_hash

        def fate(at: int) -> Fate:
            one = bred[at]
            recipe = _recipe(home, _loaded(home, package, one.name))
            return Fate(
                one.kind, one.change, _found_by(workshop, recipe, original, steps), one.line
            )

        fates: dict[int, Fate] = {}
        with closing(in_parallel(fate, range(len(bred)), os.cpu_count() or 1)) as done:
            for at, found in done:
                fates[at] = found
                tell(len(fates), len(bred))
    return tuple(fates[at] for at in sorted(fates))


def _bred(package: Package, number: int, seed: int, home: Path) -> Iterator[Bred]:
    """Write the original and its mutants below `home`; yield what each of them is."""
    beside = _surroundings(package, home)
    shutil.copytree(package.root, beside / ORIGINAL)
    files = sorted(one for one in package.files if one.endswith((".c", ".h")))
    texts = {file: (package.root / file).read_text(errors="surrogateescape") for file in files}
    joined = "".join(texts.values())
    starts = {file: joined.index(text) for file, text in texts.items() if text}
    for at, mutant in enumerate(chosen(joined, number, seed)):
        file = max((one for one in starts if starts[one] <= mutant.start), key=starts.__getitem__)
        own = replace(mutant, start=mutant.start - starts[file])
        folder = beside / f"m{at}"
        shutil.copytree(package.root, folder)
        text = own.applied(texts[file])
        (folder / file).write_text(text, errors="surrogateescape")
        change = f"{file}: {_line(texts[file], own.start)} => {_line(text, own.start)}"
        yield Bred(folder.name, mutant.kind, change, texts[file].count("\n", 0, own.start) + 1)


def _surroundings(package: Package, home: Path) -> Path:
    """Copy what lies around a package and decides what is right; return where mutants belong."""
    details = package.details
    if details is None:
        beside = home / SUBMISSIONS / package.primitive
        beside.mkdir(parents=True)
        above = [package.root.parent, *(one.parent for one in (package.vectors,) if one)]
        for file in (one for folder in above for one in folder.glob(BESIDE)):
            shutil.copy(file, beside)
        return beside
    primitive = package.root.parent
    if primitive.parent.name != details.operation or primitive.parent.parent != details.tree:
        raise UsageError(
            f"{package.selector} is no folder of its own in a tree of operations",
            "Mutants are made of ciphers, hashes, and packages laid out as SUPERCOP's.",
        )
    _copy_tree(package, details.tree, home / TREE)
    return home / TREE / primitive.relative_to(details.tree)


def _copy_tree(package: Package, tree: Path, to: Path) -> None:
    """Copy a tree; of a large one the primitive, and those that its sources include."""
    count = sum(len(files) for _, _, files in os.walk(tree))
    if count <= MOST_FILES:
        shutil.copytree(tree, to)
        return
    included = package.details.includes if package.details else ()
    names = ("_".join(one.split("_")[:2]) + "/" + "_".join(one.split("_")[2:]) for one in included)
    folders = [package.root.parent, *(tree / name for name in names)]
    for folder in (one for one in folders if one.is_dir()):
        shutil.copytree(folder, to / folder.relative_to(tree))


def _line(text: str, at: int) -> str:
    begin = text.rfind("\n", 0, at) + 1
    return text[begin:].partition("\n")[0].strip()


def _found_by(workshop: Workshop, recipe: Recipe, original: str, steps: Sequence[Extent]) -> str:
    """Return the first check that fails, or what else became of it.

    One that uses up its time in the first step, which takes seconds, does not come to an end. In
    later ones it may take what every package of its kind may.
    """
    build = workshop.build(recipe)
    if not build.ok:
        return NO_CODE
    if build.object_hash == original:
        return SAME
    for extent in steps:
        seconds = seconds_for(recipe.package.kind, deep=extent.deep)
        patient = workshop if extent.brief else workshop.unhurried(seconds)
        outcome = patient.examine(recipe, build, extent)
        for one in outcome.checks:
            if one.verdict is Verdict.FAIL:
                return f"{one.check}{' (--deep)' if extent.deep else ''}"
        if extent.brief and ended_early(outcome.checks):
            return PATIENCE
    return SURVIVED


def _loaded(home: Path, package: Package, name: str) -> Package:
    """Load the package called `name` among the mutants of another."""
    above = f"{package.details.operation}/" if package.details else ""
    selector = f"{above}{package.primitive}/{name}"
    (found,) = resolve((selector,), home, cwd=home / SUBMISSIONS)
    if not isinstance(found, Package):
        raise UsageError(f"{name} cannot be loaded: {found.reason}", found.cure)
    return found


def _recipe(home: Path, package: Package) -> Recipe:
    """Compile as `assay check` does."""
    spread = Spread((native(),), ConfigurationChoice(home / "none"))
    (cells,) = spread.places(package)
    return cells.recipes[0]
