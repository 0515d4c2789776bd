# SPDX-License-Identifier: MIT
"""What is looked at after every fault: nothing finished was lost, nothing half done was kept."""

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from tests.unit.campaign.conftest import Tree

from assay.model import Verdict
from assay.store import FILE_NAME

LAUNCHES = 30
WANTED = ("run", "--launches", str(LAUNCHES), "--samples", "1", "--sizes", "128/0")
FIRST = ("run", "--launches", "1", "--samples", "1", "--sizes", "128/0")
CODES, CELLS = 2, 3
TABLES = ("build", "subject", "checked", "launch", "sample")


@dataclass
class Seen:
    """A fault and what came of it: a row of the table."""

    fault: str
    code: int = 0
    says: str = ""
    lost: str = "nothing"
    then: str = ""

    def row(self) -> tuple[str, ...]:
        """Give the cells of the row."""
        return self.fault, str(self.code), self.says, self.lost, self.then


@dataclass
class World:
    """A tree under test, and what was finished in it when the fault came."""

    tree: Tree
    finished: set[tuple[object, ...]] = field(default_factory=set)

    def prepare(self) -> None:
        """Finish a small campaign, and remember all of it."""
        done = self.tree.assay(*FIRST)
        assert done.returncode == 0, done.stderr
        self.finished = self.rows()
        self.tree.done()

    @property
    def file(self) -> Path:
        """The results file."""
        return self.tree.results / FILE_NAME

    def rows(self) -> set[tuple[object, ...]]:
        """Read what was measured and judged, by SQL of its own and not by the code under test."""
        with contextlib.closing(sqlite3.connect(self.file)) as file:
            assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            launches = file.execute("SELECT id, object_hash, record FROM launch").fetchall()
            samples = file.execute("SELECT launch, position, record, ticks FROM sample").fetchall()
            verdicts = file.execute("SELECT build, results FROM checked").fetchall()
        judged = (
            (build, check["check"], check["verdict"])
            for build, text in verdicts
            for check in json.loads(text)["checks"]
            if check["verdict"] != "skipped"  # what others are needed for may come later
        )
        return {(*one,) for one in (*launches, *samples, *judged)}

    def lost(self) -> int:
        """Count what was finished and is not there any more."""
        return len(self.finished - self.rows())

    def half(self) -> int:
        """Count launches that lack samples that others of the same code have."""
        query = "SELECT count(*) FROM launch LEFT JOIN sample ON launch = id GROUP BY id"
        with contextlib.closing(sqlite3.connect(self.file)) as file:
            counts = [row[0] for row in file.execute(query)]
        return sum(count != max(counts) for count in counts)

    def resume(self, seen: Seen, *arguments: str) -> None:
        """Run the same command again: it completes, and repeats nothing that was stored."""
        assert not self.lost()
        assert not self.half()
        kept = self._launches()
        self.tree.done()
        done = self.tree.assay(*(arguments or WANTED))
        assert done.returncode == 0, done.stdout + done.stderr
        did = self.tree.done()
        assert self._launches() == LAUNCHES * CODES
        assert did["launch"] == LAUNCHES * CODES - kept
        assert not self.lost()
        self.assert_all_passed()
        goes_on = "did not end" in done.stderr
        seen.then = f"completes: {did['launch']} of {LAUNCHES * CODES} launches were missing"
        seen.then += ", says that it goes on" if goes_on else ""

    def _launches(self) -> int:
        with contextlib.closing(sqlite3.connect(self.file)) as file:
            return int(file.execute("SELECT count(*) FROM launch").fetchone()[0])

    def assert_all_passed(self) -> None:
        """No fault of the machine's was written down as the package's."""
        with self.tree.store() as store:
            for cell in store.cells():
                failed = [c for c in cell.checks if c.verdict is Verdict.FAIL]
                assert not failed, failed
                assert cell.build.ok


def told(seen: Seen, done: subprocess.CompletedProcess[str]) -> None:
    """Remember what the user was told, and demand one error with a cure."""
    seen.code = done.returncode
    lines = done.stderr.splitlines()
    at = [number for number, line in enumerate(lines) if line.startswith("error: ")]
    assert len(at) == 1, done.stderr
    assert lines[at[0] + 1].startswith("  "), done.stderr
    seen.says = lines[at[0]].removeprefix("error: ")


def ended(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    """Wait for a command that was started."""
    out, err = process.communicate(timeout=120)
    assert "Traceback" not in err, err
    return subprocess.CompletedProcess([], process.returncode, out, err)


def kill_bench(world: World, moment: float, seen: Seen) -> None:
    """Kill the bench after some seconds; what it leaves behind dies with it."""
    with world.tree.start(*WANTED) as process:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(moment)
        process.send_signal(signal.SIGKILL)
        process.wait()
        seen.code = process.returncode
    seen.says = "(killed)"


def kill_agents(world: World, chooser: random.Random, seen: Seen) -> int:
    """Kill one process below the bench at a random moment; let it go on."""
    killed = 0
    with world.tree.start(*WANTED) as process:
        bench = psutil.Process(process.pid)
        until(launches_logged(world, 1))
        time.sleep(chooser.uniform(0.1, 0.6))
        while not killed and process.poll() is None:  # one may end before it is killed
            with contextlib.suppress(psutil.Error, ProcessLookupError, IndexError):
                os.kill(chooser.choice(bench.children(recursive=True)).pid, signal.SIGKILL)
                killed += 1
        done = ended(process)
    seen.code, seen.says = done.returncode, done.stdout.strip().rpartition("/")[2] or "goes on"
    return killed


def until(holds: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def launches_logged(world: World, count: int) -> Callable[[], bool]:
    """Tell whether so many launches were made since the log was begun."""
    log = world.tree.log
    return lambda: log.exists() and log.read_text().count("launch") >= count
