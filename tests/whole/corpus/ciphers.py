# SPDX-License-Identifier: MIT
"""Broken ciphers: the rows of defects.toml, and a bench that builds toys and tries them."""

import platform
import shutil
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.objects import Entry
from tests.whole.corpus.sampling import BY_CHANCE

from assay.check.answers.vector_files import file_text
from assay.check.check import run_checks
from assay.check.depth import Depth, Extent
from assay.check.engine.instruments import bench_of
from assay.check.engine.workshop import open_workshop
from assay.check.session import describe_stream as describe
from assay.check.stream.kind import CHECKS
from assay.check.stream.trial import Trial
from assay.compile.builder import Builder
from assay.compile.recipe import Recipe
from assay.execute.agent import Agent
from assay.execute.conversation import ANSWER_SECONDS
from assay.execute.jail import AGENT_LIMITS, strongest_jail
from assay.execute.pipe import ProcessPipe
from assay.execute.staging import hand_over, staged_folder
from assay.model import Build, CheckResult, Compiler, Configuration, Package
from assay.package.estream import load_estream

NEEDED = {"": {platform.machine()}, "x86": {"x86_64", "i686"}, "x86-64": {"x86_64"},
          "little-endian": {"x86_64", "i686", "aarch64", "riscv64"}}  # fmt: skip
CORPUS = Path(__file__).resolve().parent
OF_THE_CODE = ("vectors/", "memory/", "secrets/", "sanitize/", "abi/", "object/")
Edits = tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Defect:
    """One entry of corpus/defects.toml."""

    name: str
    base: str
    edits: Edits
    caught: str
    noted: str
    notes: frozenset[str]
    fails: frozenset[str]
    may: frozenset[str]
    skipped: frozenset[str]
    reason: str
    thorough: bool
    says: str
    needs: str
    patience_seconds: float
    deep: bool
    asks: tuple[str, ...]
    options: str
    right: str
    slow: bool

    @classmethod
    def from_entry(cls, entry: Entry) -> "Defect":
        """Read an entry; one that is neither caught, skipped nor given a reason is a mistake."""
        fails = {*entry.get("also", ()), *filter(None, [entry.get("caught")])}
        assert fails or any(entry.get(key) for key in ("noted", "skipped", "reason"))
        deep = entry.get("deep", False)
        edits = tuple((file, old, new) for file, old, new in entry["edits"])
        return cls(
            entry["name"],
            entry["base"],
            edits,
            entry.get("caught", ""),
            entry.get("noted", ""),
            frozenset({*entry.get("notes", ()), *filter(None, [entry.get("noted")])}),
            frozenset(fails),
            BY_CHANCE.union(entry.get("may", ())),
            frozenset(entry.get("skipped", ())),
            entry.get("reason", ""),
            entry.get("thorough", False),
            entry.get("says", ""),
            entry.get("needs", ""),
            entry.get("patience_seconds", ANSWER_SECONDS),
            deep,
            tuple(entry.get("asks", OF_THE_CODE if deep else ("",))),
            entry.get("options", "-O1"),
            entry.get("right", ""),
            entry.get("slow", False),
        )


def all_defects() -> list[Defect]:
    """Read the corpus."""
    text = (CORPUS / "defects.toml").read_text()
    return [Defect.from_entry(entry) for entry in tomllib.loads(text)["defect"]]


def found_by(defect: Defect) -> str:
    """Return what a row is for: a check, or why it does not build."""
    return defect.caught or defect.noted or defect.reason or defect.name


def answering(defect: Defect) -> frozenset[str]:
    """Return the checks that answer."""
    return defect.fails | defect.notes


class Workbench:
    """Builds toys, and puts them on trial against the honest one's vectors."""

    def __init__(self, folder: Path) -> None:
        """Keep packages and agents in `folder`."""
        gcc = shutil.which("gcc")
        if gcc is None:
            pytest.skip("no gcc")
        self._compiler = Compiler("gcc", "gcc", Path(gcc), "", "", "gcc")
        self._folder = folder
        self._jail = strongest_jail()
        self._builder = Builder(folder / "agents", self._jail)
        self._vectors: dict[str, Path] = {}

    def package(self, base: str, name: str = "honest", edits: Edits = ()) -> Package:
        """Write a toy with changes."""
        root = self._folder / base / name
        if not root.exists():
            shutil.copytree(CORPUS / base, root)
            for file, old, new in edits:
                if not old:  # a file that the toy does not have
                    (root / file).write_text(new)
                    continue
                text = (root / file).read_text()
                assert text.count(old) == 1, f"{file} has not one {old!r}"
                (root / file).write_text(text.replace(old, new))
        return load_estream(root, place=f"submissions/{base}/{name}")

    def build(self, package: Package) -> Build:
        """Compile and link."""
        return self._builder.build(self.recipe(package))

    def recipe(self, package: Package, options: str = "-O1") -> Recipe:
        """Say how a toy is compiled."""
        name = f"gcc_default_{options.removeprefix('-')}"
        return Recipe(
            package, 1, Configuration("gcc", "gcc", "", options, name, name), self._compiler
        )

    def vectors(self, base: str) -> Path:
        """Give the honest toy's vectors, made once: they say only that nothing has changed."""
        if base not in self._vectors:
            path = self._folder / f"{base}.test-vectors"
            with self.launching(self.build(self.package(base))) as connect:
                with connect() as agent:
                    subject = describe(agent)
                path.write_text("".join(file_text(connect, subject)))
            self._vectors[base] = path
        return self._vectors[base]

    @contextmanager
    def launching(
        self, build: Build, patience_seconds: float = ANSWER_SECONDS
    ) -> Iterator[Callable[[], Agent]]:
        """Stage an agent; what is given launches it."""
        assert build.agent is not None, build.reason + build.diagnostics
        with staged_folder("assay-test-") as home:
            path = home / "agent"
            shutil.copyfile(build.agent, path)
            hand_over(path)

            def connect() -> Agent:
                pipe = ProcessPipe([str(path)], home, self._jail, AGENT_LIMITS)
                return Agent(pipe, answer_seconds=patience_seconds)

            yield connect

    def examine(
        self,
        base: str,
        package: Package,
        *,
        thorough: bool,
        patience_seconds: float = ANSWER_SECONDS,
        deep: bool = False,
        only: tuple[str, ...] = ("",),
        options: str = "-O1",
    ) -> dict[str, CheckResult]:
        """Put a package on trial, and ask what begins so."""
        package = replace(package, vectors=self.vectors(base))
        recipe = self.recipe(package, options)
        build = self._builder.build(recipe)
        chosen = [one for one in CHECKS if one.name.startswith(only)]
        with (
            open_workshop(self._jail) as workshop,
            self.launching(build, patience_seconds) as connect,
        ):
            with connect() as agent:
                subject = describe(agent)
            bench = bench_of(workshop, recipe, build, workshop if deep else None)
            extent = Extent(Depth.DEEP if deep else Depth.FULL, brief=not thorough)
            trial = Trial(package, subject, connect, bench=bench, extent=extent)
            results = run_checks(chosen, trial)
            trial.close()
        return {result.check: result for result in results}
