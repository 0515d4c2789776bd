# SPDX-License-Identifier: MIT
"""A bench that examines hostile packages, and the honest one that they are made of."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.caches import new_cache
from tests.whole.hostile.attacks import HONEST, Attack
from tests.whole.hostile.outside import Outside, outside
from tests.whole.hostile.tree import Tree

from assay.check.answers.vector_files import file_text
from assay.check.depth import Extent
from assay.check.engine.workshop import Workshop, open_workshop
from assay.check.session import describe_stream as describe
from assay.compile import builder
from assay.compile.recipe import Recipe
from assay.errors import AssayError
from assay.execute.jail import COMPILE_LIMITS, MIB, Jail, JailMode, strongest_jail
from assay.model import Compiler, Configuration, Package, Verdict
from assay.package.estream import load_estream

# An attack that wants all memory or time gets little of both, so that these tests stay harmless.
MEAGRE = replace(COMPILE_LIMITS, wall_seconds=5.0, cpu_seconds=5, memory_bytes=1024 * MIB)
OPTIONS = "-O1"
WHOLE_TABLE = 30


SEEN = ("object/calls", "object/constructors")  # by reading the object code


@dataclass(frozen=True)
class Outcome:
    """What became of a package: the first thing that failed, verdicts, and all that was said."""

    failed: str
    verdicts: dict[str, str]
    object_hash: str | None
    said: str
    artefacts: tuple[Path, ...] = ()


class Range:
    """Where attacks are let loose: everything in the jail, with small limits."""

    def __init__(self, folder: Path, around: Outside) -> None:
        """Keep packages in `folder`; make the vectors of the honest one."""
        gcc = shutil.which("gcc")
        if gcc is None:
            pytest.skip("no gcc")
        self._compiler = Compiler("gcc", "gcc", Path(gcc), "", "", "gcc")
        self.folder = folder
        self.outside = around
        self.jail = strongest_jail()
        self._vectors: Path | None = None
        shutil.copytree(HONEST, folder / "honest")
        self.honest = self.examine(self._load(folder / "honest"))
        assert not self.honest.failed, self.honest.said

    def recipe(self, package: Package) -> Recipe:
        """Say how a package is built."""
        configuration = Configuration("gcc", "gcc", "", OPTIONS, "gcc_default", "gcc_default")
        return Recipe(package, 1, configuration, self._compiler)

    def _load(self, root: Path) -> Package:
        package = load_estream(root, place=f"submissions/toy/{root.name}")
        if self._vectors is None:
            self._vectors = self._make_vectors(package)
        return replace(package, vectors=self._vectors)

    def _make_vectors(self, package: Package) -> Path:
        """Write the honest toy's vectors, which say only that nothing has changed."""
        path = self.folder / "verified.test-vectors"
        with open_workshop(self.jail) as workshop:
            connect = workshop.connector(workshop.build(self.recipe(package)))
            with connect() as agent:
                subject = describe(agent)
            path.write_text("".join(file_text(connect, subject)))
        return path

    def attack(self, attack: Attack, mode: JailMode = JailMode.BUBBLEWRAP) -> Outcome:
        """Write a hostile package and put it on trial."""
        root = self.folder / mode.name / attack.name
        attack.write(root, self.outside)
        jail = self.jail if mode is JailMode.BUBBLEWRAP else Jail(mode)
        try:
            return self.examine(self._load(root), jail)
        except AssayError as error:
            return Outcome(f"package: {error}", {}, None, f"{error} {error.cure}")

    def examine(self, package: Package, jail: Jail | None = None) -> Outcome:
        """Build a package and ask everything."""
        agents = self.folder / "agents" / (jail or self.jail).mode.name / package.implementation
        with open_workshop(jail or self.jail, agents) as workshop:
            return self._examined(workshop, package)

    def _examined(self, workshop: Workshop, package: Package) -> Outcome:
        recipe = self.recipe(package)
        build = workshop.build(recipe)
        checks = workshop.examine(recipe, build, Extent(brief=True)).checks
        failed = [one for one in checks if one.verdict is Verdict.FAIL]
        failed.sort(key=lambda one: one.check in SEEN)  # what was done, before what was read
        said = [f"{one.check}: {one.reason} {one.evidence}" for one in checks]
        return Outcome(
            f"{failed[0].check}: {failed[0].reason} {failed[0].evidence}" if failed else "",
            {one.check: one.verdict.value for one in checks},
            build.object_hash,
            "\n".join([*said, build.diagnostics, build.reason]),
            tuple(path for path in (build.agent, *build.objects) if path is not None),
        )


@pytest.fixture(scope="session")
def around(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    """Give what attacks are after."""
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        with outside(cache / "assay") as made:
            yield made


@pytest.fixture(scope="session")
def grounds(around: Outside, tmp_path_factory: pytest.TempPathFactory) -> Range:
    """Give the place where attacks are let loose."""
    return Range(tmp_path_factory.mktemp("hostile"), around)


@pytest.fixture
def meagre(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let compilers have little memory and time."""
    monkeypatch.setattr(builder, "COMPILE_LIMITS", MEAGRE)


@pytest.fixture
def unharmed(around: Outside) -> Iterator[None]:
    """Look around after an attack, whatever became of it."""
    with contextlib.ExitStack() as stack:
        stack.callback(around.restore)
        yield
        harmed = around.harmed()
        assert not harmed, harmed


@pytest.fixture
def tree(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tree]:
    """Give a tree with two honest packages."""
    with tempfile.TemporaryDirectory(prefix="assay-hostile-tree-") as temporary:
        Path(temporary).chmod(0o1777)
        made = Tree(tmp_path / "tree", new_cache(tmp_path_factory), Path(temporary))
        made.plant()
        yield made


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table of attacks and outcomes, if more than a few were tried."""
    rows = sorted(
        (*value, outcome)
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, ())
        for name, value in getattr(report, "user_properties", ())
        if name == "attack by outcome" and report.when == "call"
    )
    if len(rows) < WHOLE_TABLE:
        return
    terminalreporter.section("attack by outcome")
    for name, tries, when, became, outcome in rows:
        mark = "ok  " if outcome == "passed" else "FAIL"
        terminalreporter.write_line(f"{mark} {when:7} {name}: {tries}")
        terminalreporter.write_line(f"             {became}")
    stopped = sum(row[-1] == "passed" for row in rows)
    terminalreporter.write_line(f"{stopped} of {len(rows)} attacks got nothing")
