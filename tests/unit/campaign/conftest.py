# SPDX-License-Identifier: MIT
"""A tiny tree of packages, three configurations, and `assay` as a user calls it."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.unit.mock.cells import store

from assay.configure.folder import write_configurations, write_cpuinfo, write_shortlist
from assay.model import Configuration
from assay.store import Store

__all__ = ["store"]

ROOT = Path(__file__).parents[3]
MHZ = 2000.0
QUICK = ("--launches", "1", "--samples", "1", "--sizes", "128/0")

# Counts, in a file beside the results, what a campaign does; then runs it.
COUNTING = """
import os, sys
from pathlib import Path
from assay.measure import gauge, launch, launcher, disturbance as quiet
from assay.check.engine.workshop import Workshop
from assay.check.object import calling
from assay.cli.main import main

log = Path(os.environ["ASSAY_TEST_LOG"])


def counted(name, function):
    def call(*arguments, **named):
        result = function(*arguments, **named)
        with log.open("a") as file:
            file.write(name + "\\n")
        return result
    return call


Workshop.build = counted("build", Workshop.build)
Workshop.examine = counted("examine", Workshop.examine)
if "ASSAY_TEST_JUDGES" not in os.environ:  # what else runs on this machine is not what is tested
    launch.quiet.within = lambda *_: ""
    quiet.Quiet.judged = lambda _, launched: launched
    gauge.differs = lambda *_: False
if "ASSAY_TEST_CLOCKS" in os.environ:  # code that reads one gets as far as it can
    calling.BYTES = {}
launcher.Launcher._launched = counted("launch", launcher.Launcher._launched)
sys.argv[0] = "assay"
main()
"""


@dataclass
class Tree:
    """A tree, its reports folder, and ways to run `assay` in it."""

    root: Path
    results: Path
    environment: dict[str, str]
    log: Path
    temporary: Path
    path: str = field(default_factory=lambda: os.environ["PATH"])

    def command(self, *arguments: str) -> list[str]:
        """Give the command line."""
        return [sys.executable, "-c", COUNTING, *arguments]

    def start(self, *arguments: str, cwd: Path | None = None) -> subprocess.Popen[str]:
        """Start `assay` and do not wait."""
        folder = cwd or self.results
        folder.mkdir(exist_ok=True)
        return subprocess.Popen(
            self.command(*arguments), cwd=folder, env={**self.environment, "PATH": self.path},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def assay(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run `assay` to its end."""
        with self.start(*arguments, cwd=cwd) as process:
            out, err = process.communicate(timeout=120)
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `assay run`, quickly, unless the arguments say otherwise."""
        pairs = zip(QUICK[::2], QUICK[1::2], strict=True)
        quick = [word for pair in pairs if pair[0] not in arguments for word in pair]
        return self.assay("run", *quick, *arguments)

    def done(self) -> dict[str, int]:
        """Count what was done since the last time."""
        lines = self.log.read_text().split() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return {name: lines.count(name) for name in ("build", "examine", "launch")}

    def store(self) -> Store:
        """Open the results."""
        return Store.open(self.results)

    def add(self, place: str, name: str) -> Path:
        """Copy a package of the repository's into the tree."""
        to = self.root / "submissions" / name
        shutil.copytree(ROOT / place, to)
        vectors = ROOT / Path(place).parent / "verified.test-vectors"
        shutil.copyfile(vectors, to.parent / vectors.name)
        return to


@dataclass(frozen=True)
class Finished:
    """A tree, how its first run ended, and what that did."""

    tree: Tree
    first: subprocess.CompletedProcess[str]
    did: dict[str, int]


def configuration(command: str, opt: str) -> Configuration:
    """Make a configuration for this machine."""
    compact = opt.replace(" ", "").replace("-", "") or "default"
    name = f"{command}_default_{compact}"
    return Configuration(command, command, "", opt, name, name)


@contextmanager
def planted(base: Path, cache: Path) -> Iterator[Tree]:
    """Make a tree with RC4 and three configurations, two of which give the same code.

    Its temporary folder can be seen by jailed users and has a machine lock of its own.
    """
    temporary = Path(tempfile.mkdtemp(prefix="assay-test-"))
    temporary.chmod(0o1777)
    try:
        yield plant(base, cache, temporary)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def plant(base: Path, cache: Path, reachable: Path) -> Tree:
    """Write the tree below `base`."""
    root = base / "tree"
    reports = root / "reports-tester"
    write_configurations(
        reports,
        [
            configuration("gcc", "-O2"),
            configuration("gcc", "-O2 -fno-unroll-loops"),
            configuration("gcc", "-O1"),
        ],
    )
    write_shortlist(reports, "     20 gcc_default_O2\n      9 gcc_default_O1\n")
    write_cpuinfo(reports, MHZ)
    environment = {
        "ASSAY_ROOT": str(root), "HOSTNAME": "tester", "XDG_CACHE_HOME": str(cache),
        "TMPDIR": str(reachable), "HOME": str(base), "ASSAY_TEST_LOG": str(base / "log"),
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""), "LC_ALL": "C",
    }  # fmt: skip
    made = Tree(root, base / "results", environment, base / "log", reachable)
    made.add("benchmarks/rc4/ref", "rc4/ref")
    return made


@pytest.fixture
def tree(tmp_path: Path, cache: Path) -> Iterator[Tree]:
    """Give a tree of one test's own."""
    with planted(tmp_path, cache) as made:
        yield made


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Iterator[Finished]:
    """Give a tree after its first run, for tests that change nothing."""
    with planted(tmp_path_factory.mktemp("finished"), cache) as made:
        first = made.run()
        yield Finished(made, first, made.done())


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], bool]:
    """Give a function that waits until something holds."""
    import time  # noqa: PLC0415

    def wait(holds: Callable[[], bool], seconds: float = 30.0) -> bool:
        deadline = time.monotonic() + seconds
        while not holds() and time.monotonic() < deadline:
            time.sleep(0.01)
        return holds()

    return wait
