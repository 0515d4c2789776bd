# SPDX-License-Identifier: MIT
"""Packages of submissions/supercop/, as they are and with one defect each, and their bench."""

import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.objects import Entry
from tests.whole.corpus.sampling import BY_CHANCE

from assay.check.depth import Depth, Extent
from assay.check.engine.cells import Examination
from assay.check.engine.workshop import open_workshop
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import Package, Verdict
from assay.package.supercop.load import load
from assay.toolchain.shortlist import supercop_configurations

ROOT = Path(__file__).resolve().parents[3]
CORPUS = Path(__file__).with_name("operations.toml")
SHIPPED = ROOT / "submissions/supercop"
PQCLEAN = CORPUS.parent / "pqclean"


@dataclass(frozen=True)
class Defect:
    """One entry of corpus/operations.toml."""

    name: str
    base: str
    edits: tuple[tuple[str, str, str], ...]
    caught: str
    noted: bool
    also: frozenset[str]
    may: frozenset[str]
    says: str
    deep: bool
    long: bool
    asks: tuple[str, ...]

    @property
    def slow(self) -> bool:
        """Return whether `--corpus` alone tries it: valgrind is tried with ciphers, too."""
        return self.long or (self.deep and self.caught != "secrets/timing")

    @classmethod
    def from_entry(cls, entry: Entry) -> "Defect":
        """Read an entry."""
        assert bool(entry.get("also")) == bool(entry.get("why")), entry["name"]
        return cls(
            entry["name"],
            entry["base"],
            tuple((file, old, new) for file, old, new in entry["edits"]),
            entry.get("caught") or entry["noted"],
            "noted" in entry,
            frozenset(entry.get("also", ())),
            BY_CHANCE.union(entry.get("may", ())),
            entry.get("says", ""),
            entry.get("deep", False),
            entry.get("slow", False),
            tuple(entry.get("asks", ("",))),
        )


def all_defects() -> list[Defect]:
    """Read the corpus."""
    return [Defect.from_entry(entry) for entry in tomllib.loads(CORPUS.read_text())["defect"]]


@dataclass(frozen=True)
class Oddity:
    """One entry of corpus/honest.toml."""

    name: str
    base: str
    why: str
    edits: tuple[tuple[str, str, str], ...]


def all_oddities() -> list[Oddity]:
    """Read the honest packages that do what few do."""
    text = (CORPUS.parent / "honest.toml").read_text()
    return [Oddity(**entry) for entry in tomllib.loads(text)["honest"]]


def answering(defect: Defect) -> frozenset[str]:
    """Return the checks that answer."""
    return defect.also | {defect.caught}


def all_bases() -> list[str]:
    """Name the packages that the defects change."""
    return sorted({one.base for one in all_defects()})


def tree_of(base: str) -> Path:
    """Return the tree of a package: those in PQClean's layout are the corpus's own."""
    return SHIPPED if (SHIPPED / base).is_dir() else PQCLEAN


class OperationBench:
    """Loads, builds and examines packages."""

    def __init__(self, folder: Path) -> None:
        """Keep changed trees in `folder`."""
        self._folder = folder
        self._jail = strongest_jail()

    def broken(self, defect: "Defect | Oddity") -> Package:
        """Load a package with changes."""
        tree = self._folder / "ebacs"
        shutil.copytree(tree_of(defect.base), tree, symlinks=True)
        root = tree / defect.base
        for file, old, new in defect.edits:
            path = root / file if file else next(iter(sorted(root.glob("*.c"))))
            text = path.read_text()
            assert text.count(old) == 1, f"{path.name} has {text.count(old)} times {old!r}"
            path.write_text(text.replace(old, new))
        return self.package(defect.base, tree)

    def package(self, place: str, tree: Path | None = None) -> Package:
        """Load a package."""
        found = load(tree or tree_of(place), place)
        assert isinstance(found, Package), found
        return found

    def written(self, place: str, files: Mapping[str, str]) -> Package:
        """Write a package of these files, and load it."""
        tree = self._folder / "written"
        (tree / place).mkdir(parents=True)
        for name, text in files.items():
            (tree / place / name).write_text(text)
        return self.package(place, tree)

    def verdict(self, package: Package, check: str) -> Verdict:
        """Return the verdict of one check on a package."""
        found = self.examine(package, only=(check,)).checks
        return next(one.verdict for one in found if one.check == check)

    def examine(
        self,
        package: Package,
        *,
        deep: bool = False,
        best: int = 0,
        only: tuple[str, ...] = ("",),
    ) -> Examination:
        """Build and examine a package, by the checks whose names begin so."""
        configurations, compilers = supercop_configurations()
        chosen = configurations[best]
        recipe = Recipe(package, 1, chosen, compilers[chosen.command])
        with open_workshop(self._jail) as workshop:
            depth = Depth.DEEP if deep else Depth.FULL
            return workshop.examine(recipe, workshop.build(recipe), Extent(depth, only=only))
