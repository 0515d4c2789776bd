# SPDX-License-Identifier: MIT
"""A workshop without compilers: tests say what each cell becomes, and see what was asked of it."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import pytest
from msgspec.structs import replace

from assay.check.check import Outputs
from assay.check.depth import IN_FULL, Extent
from assay.check.engine.cells import Examination, build_verdict
from assay.check.engine.workshop import Workshop
from assay.compile.recipe import Recipe
from assay.execute.jail import Jail, JailMode
from assay.execute.stage import Stage
from assay.model import (
    BrokenPackage,
    Build,
    BuildStage,
    Cell,
    CheckResult,
    Compiler,
    Configuration,
    OperationSubject,
    Package,
    Target,
    Verdict,
)
from assay.model.compared import CONFIGURATIONS
from assay.package.supercop.load import load
from assay.store import Store

GCC = Compiler("gcc", "gcc", Path("/usr/bin/gcc"), "", "", "0123456789abcdef")
SUBJECT = OperationSubject("crypto_hash", "toy", "ref", (("BYTES", 32),), ("",), 0)
SOURCE = '#include "crypto_hash.h"\n'
PATIENCE_SECONDS = 30
JAIL = JailMode.LIMITS_ONLY
Recipes = Callable[..., list[Recipe]]  # makes those of packages under levels
Write = Callable[..., Package | BrokenPackage]


@dataclass
class FakeWorkshop(Workshop):
    """Makes of every cell what `codes` and `verdicts` say; a code of None does not build.

    `waits` names cells whose build waits until another cell's is done. `skips` are cells
    that are not for this machine, and `stops` variants whose code stops with #error.
    """

    folder: Path
    codes: dict[tuple[str, str], str | None] = field(default_factory=dict)
    verdicts: dict[str, CheckResult] = field(default_factory=dict)
    digests: dict[str, Outputs] = field(default_factory=dict)
    waits: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    skips: dict[str, str] = field(default_factory=dict)
    stops: dict[tuple[str, int], str] = field(default_factory=dict)
    leagues: dict[str, str] = field(default_factory=dict)
    built: list[tuple[str, str]] = field(default_factory=list)
    examined: list[tuple[str, str, bool]] = field(default_factory=list)
    discarded: list[str] = field(default_factory=list)
    interrupt_after: int | None = None
    deep: set[bool] = field(default_factory=set)
    hurried: set[bool] = field(default_factory=set)
    _done: dict[tuple[str, str], threading.Event] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Have a stage, as far as it is looked at."""
        self.stage = Stage(Jail(JAIL), self.folder, None)

    def on(self, target: Target) -> Self:
        """Be the workshop for every target."""
        del target
        return self

    def patient(self, recipe: Recipe, *, deep: bool = False) -> Self:
        """Be as patient as ever."""
        del recipe, deep
        return self

    def keeps(self, build: Build) -> bool:
        """Keep the agents that were made here."""
        return build.agent is None or build.agent.is_file()

    def _event(self, name: tuple[str, str]) -> threading.Event:
        with self._guard:
            return self._done.setdefault(name, threading.Event())

    def build(self, recipe: Recipe) -> Build:
        """Make a build as foretold."""
        name = name_of(recipe.cell)
        if name in self.waits:
            assert self._event(self.waits[name]).wait(PATIENCE_SECONDS)
        self.built.append(name)
        made = self._build(recipe, name)
        self._event(name).set()
        return made

    def _build(self, recipe: Recipe, name: tuple[str, str]) -> Build:
        made = Build(recipe.cell, BuildStage.COMPILE, None, None, "", "", JAIL.value, 0.0,
                     league=self.leagues.get(name[0], "timingleaks"))  # fmt: skip
        if name[0] in self.skips:
            return replace(made, stage=BuildStage.SKIPPED, reason=self.skips[name[0]])
        if (name[0], recipe.variant) in self.stops:
            stops = self.stops[name[0], recipe.variant]
            return replace(made, stage=BuildStage.SKIPPED, reason=stops)
        code = self.codes.get(name, "-".join(name))
        if code is None:
            return replace(made, reason=f"{name[1]} does not compile it")
        agent = self.folder / "-".join(name).replace("/", "-")
        agent.touch()
        return replace(made, stage=BuildStage.DONE, object_hash=code, agent=agent)

    def examine(
        self,
        recipe: Recipe,
        build: Build,
        extent: Extent = IN_FULL,
        *,
        reference: object = None,
        long: object = None,
        outputs: bool = False,
    ) -> Examination:
        """Give the foretold verdict of a code, and digests of its `outputs` if it has some."""
        assert reference is long is None
        self.deep.add(extent.deep)
        self.hurried.add(extent.hurried)
        if not build.ok:
            return Examination(None, (build_verdict(build),))
        if self.interrupt_after is not None and len(self.examined) >= self.interrupt_after:
            raise KeyboardInterrupt
        self.examined.append((*name_of(recipe.cell), extent.thorough))
        assert build.object_hash is not None
        verdict = self.verdicts.get(build.object_hash, CheckResult("toy/works", Verdict.PASS))
        computed = self.digests.get(build.object_hash, ()) if outputs else ()
        own = CheckResult(CONFIGURATIONS, Verdict.SKIPPED, "", outputs=computed)
        return Examination(SUBJECT, (verdict, own) if computed else (verdict,))

    def layouts(self, recipe: Recipe, build: Build, count: int) -> tuple[Path, ...]:
        """Link nothing again."""
        del recipe, build, count
        return ()

    def discard(self, build: Build) -> None:
        """Note what was thrown away."""
        self.discarded.append(build.cell.selector)

    def admit(self, build: Build) -> Path:
        """Give the agent."""
        assert build.agent is not None
        return build.agent


def name_of(cell: Cell) -> tuple[str, str]:
    """Name a cell as tests do: `a/ref`, `O3`."""
    return cell.selector.removeprefix("crypto_hash/"), cell.configuration


@dataclass
class Heard:
    """Hears of a campaign's progress."""

    stages: list[tuple[str, int]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def begin(self, stage: str, steps: int) -> None:
        """Note a stage."""
        self.stages.append((stage, steps))

    def advance(self, note: str = "") -> None:
        """Note a step."""
        self.notes.append(note)

    def warn(self, text: str) -> None:
        """Note a warning."""
        self.notes.append(text)


@pytest.fixture
def heard() -> Heard:
    """Give somebody who listens."""
    return Heard()


@pytest.fixture
def hash_tree(tmp_path: Path) -> Path:
    """Give a folder for packages."""
    return tmp_path / "tree"


@pytest.fixture
def package(hash_tree: Path) -> Write:
    """Give the function that writes a hash of 32 bytes (`a/ref`), and loads it."""

    def write(name: str, source: str | None = SOURCE) -> Package | BrokenPackage:
        folder = hash_tree / "crypto_hash" / name
        folder.mkdir(parents=True)
        (folder / "api.h").write_text("#define CRYPTO_BYTES 32\n")
        if source is not None:
            (folder / "hash.c").write_text(source)
        return load(hash_tree, f"crypto_hash/{name}")

    return write


@pytest.fixture
def recipes(package: Callable[..., Package]) -> Recipes:
    """Give the function that makes the recipes of packages under levels."""

    def make(names: str, levels: str = "O3") -> list[Recipe]:
        found = [package(name) for name in names.split()]
        return [
            Recipe(one, 1, Configuration("gcc", "gcc", "", f"-{level}", level, level), GCC)
            for one in found
            for level in levels.split()
        ]

    return make


@pytest.fixture
def workshop(tmp_path: Path) -> FakeWorkshop:
    """Give a workshop that compiles nothing."""
    folder = tmp_path / "agents"
    folder.mkdir()
    return FakeWorkshop(folder)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Give an empty store, and a machine lock of the test's own."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "results").mkdir()
    with Store.create(tmp_path / "results") as opened:
        yield opened
