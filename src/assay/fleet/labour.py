# SPDX-License-Identifier: MIT
"""How a job is done: the archive becomes a folder, and Assay's own commands do the rest.

They run in processes of their own, which die with the worker, and go on from what is stored
when the job comes again. Exclusion is theirs: `assay run` takes the lock of the machine.
"""

import asyncio
import contextlib
import os
import signal
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

from assay.errors import AssayError, PackageError
from assay.fleet.following import PROGRAM
from assay.fleet.jobs import Action, Job, judge_lane
from assay.fleet.machine import Workplace
from assay.fleet.shelf import ARCHIVE, PACKAGE, RESULTS
from assay.fleet.verdict import Judgement, verdict_of
from assay.model import NATIVE_NAME
from assay.package.arrival import arrive
from assay.package.recognise import recognise
from assay.package.supercop.listing import operations
from assay.package.supercop.outside import listed_in_folder

DIES_WITH_US = ("setpriv", "--pdeathsig", "KILL")
ENDED_WELL = (0, 1, 3)  # all passed, something failed, something is open
LAST_BYTES = 64 << 10  # of what a command printed
PATIENCE_SECONDS = 30.0  # after a command was asked to end


class UnfitJobError(AssayError):
    """A job that no worker of this kind can do: it is refused for good."""


class UndoneJobError(AssayError):
    """A job that could not be done now: the machine's trouble, or Assay's own."""


def unpack(job: Job, folder: Path) -> None:
    """Make the package's folder of the archive; UnfitJobError if nothing in it is a package."""
    package = folder / PACKAGE
    if not package.exists():
        try:
            arrive(folder / ARCHIVE, package)
        except PackageError as error:
            raise UnfitJobError(f"the archive is refused: {error}", error.cure) from error
    (folder / ARCHIVE).unlink(missing_ok=True)
    found = recognise(package)
    if not found.packages:
        raise UnfitJobError(f"the archive holds {found.says}", "Pack the folder of a package.")
    for one in job.packages:
        inside = Path(os.path.realpath(package / one))
        if not inside.is_relative_to(package.resolve()) or not inside.is_dir():
            raise UnfitJobError(f"the archive has no package {one!a}", "Name one of its folders.")


async def carry_out(job: Job, place: Workplace, folder: Path) -> Judgement:
    """Do a job whose package is unpacked; its results are in the folder then.

    UnfitJobError or UndoneJobError if there are none.
    """
    packages = tuple(str(folder / PACKAGE / one) for one in job.packages)
    words = words_of(job, place, packages or (str(folder / PACKAGE),), folder / RESULTS)
    here = NATIVE_NAME in (place.targets or (NATIVE_NAME,))
    if job.action is Action.MEASURE and here and not _of_operations(folder / PACKAGE):
        await _configured(place)
    code, said = await call(words, folder, place)
    if code not in ENDED_WELL:
        raise UndoneJobError(f"`assay {words[0]}` ended with {code}: {_reason(said)}")
    try:
        return verdict_of(folder / RESULTS)
    except AssayError as error:
        raise UndoneJobError(f"{error}: {_reason(said)}") from error


def words_of(
    job: Job, place: Workplace, packages: Sequence[str], results: Path
) -> tuple[str, ...]:
    """Return the command that does a job."""
    common = ("--results", str(results), "--jail", place.jail, *job.options)
    if job.action is Action.MEASURE:
        best = () if "--best" in job.options else ("--best", str(place.best))
        return ("run", *packages, *_targets(place.targets), *best, *common)
    judged = (one.name for one in place.usable() if judge_lane(one.name) == job.lane)
    return ("check", *packages, *_targets(judged), *common)


def _targets(names: Iterable[str]) -> tuple[str, ...]:
    """Return the options that name targets; without any it is this machine."""
    return tuple(word for one in names if one != NATIVE_NAME for word in ("--target", one))


def _of_operations(package: Path) -> bool:
    """Return whether all is of the SUPERCOP API, whose configurations come with Assay."""
    return bool(operations(package) or listed_in_folder(package))


async def _configured(place: Workplace) -> None:
    """Find the compilers and options of this machine, once, for packages that are tried with many.

    The list is in the worker's folder, where the commands of all its jobs find it.
    """
    if any(place.folder.glob("reports-*/configs/*.mk")):
        return
    code, said = await call(("configure", "--quick", "--yes"), place.folder, place)
    if code:
        raise UndoneJobError(f"`assay configure` ended with {code}: {_reason(said)}")


async def call(words: Sequence[str], folder: Path, place: Workplace) -> tuple[int, str]:
    """Run a command of Assay in a folder; return its exit code and what it printed last.

    UnfitJobError if it takes longer than the owner allows. Who is cancelled ends it first.
    """
    environment = {name: value for name, value in os.environ.items() if name != "ASSAY_ROOT"}
    environment["HOSTNAME"] = place.name
    with tempfile.TemporaryFile() as said:
        process = await asyncio.create_subprocess_exec(
            *DIES_WITH_US, *PROGRAM, *words, cwd=folder, env=environment,
            stdin=asyncio.subprocess.DEVNULL, stdout=said, stderr=said,
        )  # fmt: skip
        try:
            async with asyncio.timeout(place.longest):
                code = await process.wait()
        except TimeoutError:
            hours = place.longest / 3600
            raise UnfitJobError(f"it takes more than the {hours:g} hours that it may") from None
        finally:
            await _end(process)
        return code, _last(said)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask a command to end, if it has not; kill it if it does not."""
    for one in (signal.SIGTERM, signal.SIGKILL):
        if process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(one)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), PATIENCE_SECONDS)


def _last(said: IO[bytes]) -> str:
    """Return the end of what was printed."""
    size = said.seek(0, os.SEEK_END)
    said.seek(max(0, size - LAST_BYTES))
    return said.read().decode("utf-8", "replace")


def _reason(said: str) -> str:
    """Return the error that a command printed, with its cure; without one its last line."""
    lines = said.splitlines()
    at = [number for number, line in enumerate(lines) if line.startswith("error: ")]
    if not at:
        return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")
    cure = " ".join(line.strip() for line in lines[at[-1] + 1 : at[-1] + 2])
    return f"{lines[at[-1]].removeprefix('error: ')}. {cure}".strip()
