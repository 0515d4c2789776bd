# SPDX-License-Identifier: MIT
"""What a worker keeps in its folder: what its owner wants, jobs in work, results to be told.

A job's folder is called by the digest of its name, which came from elsewhere. Results are
there until the queue has them, and a mark of each job that was told stays, so that a job that
comes again is answered and not done again.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from assay.errors import UsageError
from assay.fleet.jobs import Advance, Job, Tidings
from assay.store.alone import working_alone
from assay.writing import make_folder, write_below

READY, PAUSED, DRAINING = "ready", "paused", "draining"
STATES = (READY, PAUSED, DRAINING)
STATE, JOBS, TOLD = "state", "jobs", "told"
PACKAGE, RESULTS, ARCHIVE, BUNDLE, NEWS = "package", "results", "archive", "bundle", "tidings.json"
WEEK_SECONDS = 7 * 86_400.0
SEASON_SECONDS = 90 * 86_400.0


class Shelf(Struct, frozen=True):
    """The folder of one worker."""

    folder: Path

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the folder for one worker, and remove what is too old to be asked for again."""
        make_folder(self.folder)
        try:
            with working_alone(self.folder):
                self._tidy()
                yield
        except UsageError as error:
            raise UsageError(
                f"another worker is at work in {self.folder}", "Name another with --folder."
            ) from error

    def state(self) -> str:
        """Return what the owner wants; a file that says nothing known pauses the worker."""
        try:
            said = (self.folder / STATE).read_text(errors="replace").strip()
        except OSError:
            return READY
        return said if said in STATES else PAUSED

    def want(self, state: str) -> None:
        """Write down what the owner wants."""
        write_below(self.folder, STATE, f"{state}\n")

    def place(self, job: Job) -> Path:
        """Return the folder of a job, made where it is absent."""
        found = self.folder / JOBS / _named(job.name)
        make_folder(found)
        return found

    def keep(self, tidings: Tidings) -> None:
        """Write down news of a job whose bundle is complete, until it was told."""
        write_below(self.folder, Path(JOBS, _named(tidings.job), NEWS), _written(tidings))

    def kept(self) -> tuple[Tidings, ...]:
        """Return the news that are still to be told, the oldest first."""
        found = sorted((self.folder / JOBS).glob(f"*/{NEWS}"), key=lambda one: one.stat().st_mtime)
        return tuple(filter(None, map(_read, found)))

    def bundle(self, tidings: Tidings) -> Path:
        """Return the bundle that belongs to the news."""
        return self.folder / JOBS / _named(tidings.job) / BUNDLE

    def told(self, tidings: Tidings) -> None:
        """Remember that news arrived, and forget the job's folder."""
        write_below(self.folder, Path(TOLD, f"{_named(tidings.job)}.json"), _written(tidings))
        self._remove(self.folder / JOBS / _named(tidings.job))

    def answered(self, job: Job) -> Tidings | None:
        """Return what was told of a job before; None if it was not."""
        return _read(self.folder / TOLD / f"{_named(job.name)}.json")

    def forget(self, job: Job) -> None:
        """Remove the folder of a job that is refused."""
        self._remove(self.folder / JOBS / _named(job.name))

    def _remove(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)

    def _tidy(self) -> None:
        """Remove folders of jobs that others have done by now, and old marks."""
        now = time.time()
        for one in (self.folder / JOBS).glob("*"):
            if not (one / NEWS).exists() and now - one.stat().st_mtime > WEEK_SECONDS:
                self._remove(one)
        for one in (self.folder / TOLD).glob("*.json"):
            if now - one.stat().st_mtime > SEASON_SECONDS:
                one.unlink(missing_ok=True)


def _named(job: str) -> str:
    """Return what the files of a job are called."""
    return hashlib.sha256(job.encode("utf-8", "replace")).hexdigest()[:24]


def _written(tidings: Tidings) -> str:
    return json.dumps(asdict(tidings))


def _read(path: Path) -> Tidings | None:
    """Read news; None if there are none, or the file is damaged."""
    try:
        said = json.loads(path.read_text())
        return Tidings(**{**said, "advance": Advance(said["advance"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None
