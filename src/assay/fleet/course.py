# SPDX-License-Identifier: MIT
"""One campaign on all machines of a fleet: results in one folder, and what came of each.

Machines behind ssh with an Assay of their own work beside each other; this one and its targets
one after another, as they share its processors. A machine that fails keeps no other from its work.
"""

import hashlib
import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from assay import __version__
from assay.errors import AssayError
from assay.fleet.elsewhere import Elsewhere, LostError
from assay.fleet.following import PROGRAM, Children, Ran, followed
from assay.fleet.plan import Fleet, FleetMachine
from assay.fleet.taken import take
from assay.model import Package
from assay.package.discover import Found
from assay.package.resolve import is_path
from assay.store import Store

FOLDER = ".cache/assay/fleet"  # on other machines, below the home directory
Tell = Callable[[str, str], None]


class MachineState(StrEnum):
    """What came of a machine."""

    DONE = "done"
    FAILED = "done, something failed"
    OPEN = "done, something is open"
    NOT_RUN = "not run"
    LOST = "not reached"


STATES = {0: MachineState.DONE, 1: MachineState.FAILED, 3: MachineState.OPEN}


class MachineOutcome(Struct, frozen=True):
    """What came of a machine, why, and a cure."""

    machine: FleetMachine
    state: MachineState
    reason: str = ""
    cure: str = ""


class FleetRun(Struct, frozen=True):
    """What is measured (names, and folders of packages), and where results go."""

    fleet: Fleet
    words: tuple[str, ...]
    found: tuple[Found, ...]
    results: Path
    children: Children
    tell: Tell
    program: Sequence[str] = PROGRAM

    def outcomes(self) -> Iterator[MachineOutcome]:
        """Yield what came of each machine, in the order of the file, when all have ended."""
        machines = self.fleet.machines
        others = [one for one in machines if one.ssh]
        with ThreadPoolExecutor(max(1, len(others))) as pool:
            try:
                waiting = {one.name: pool.submit(self._outcome, one) for one in others}
                own = {one.name: self._outcome(one) for one in machines if not one.ssh}
                done = {**own, **{name: one.result() for name, one in waiting.items()}}
            except BaseException:
                self.children.end()
                raise
        yield from (done[one.name] for one in machines)

    def _outcome(self, machine: FleetMachine) -> MachineOutcome:
        """Run on a machine, whatever goes wrong."""
        try:
            ran = self._elsewhere(machine) if machine.ssh else self._here(machine)
        except LostError as error:
            return MachineOutcome(machine, MachineState.LOST, str(error), error.cure)
        except (AssayError, OSError) as error:
            return MachineOutcome(
                machine, MachineState.NOT_RUN, str(error), getattr(error, "cure", "")
            )
        state = STATES.get(ran.code, MachineState.NOT_RUN)
        return MachineOutcome(machine, state, "" if state is MachineState.DONE else ran.why)

    def _here(self, machine: FleetMachine) -> Ran:
        """Run on this machine, or on a target of it."""
        words = ["run", *self.words, "--results", str(self.results), *machine.options]
        if machine.target:
            words += ["--target", machine.target]
        if machine.target and self.fleet.targets_file:
            words += ["--targets-file", str(self.fleet.targets_file)]
        with self.children.started([*self.program, *words]) as process:
            return followed(process, lambda line: self.tell(machine.name, line))

    def _elsewhere(self, machine: FleetMachine) -> Ran:
        """Run on a machine behind ssh, and take in what it sends back."""
        there = Elsewhere(machine, f"{FOLDER}/{self._name(machine)}", self.children)
        version = there.version()
        if version != __version__:
            self.tell(machine.name, f"Assay {version} there, {__version__} here")
        folders = tuple(Path(one) for one in self.words if _is_folder(one))
        sent = iter(there.send(folders)) if folders else iter(())
        words = [next(sent) if _is_folder(one) else one for one in self.words]
        ran = there.run([*words, *machine.options], lambda line: self.tell(machine.name, line))
        if ran.code not in STATES:
            return ran
        with tempfile.TemporaryDirectory(prefix="assay-fleet-") as scratch:
            bundle = Path(scratch, "bundle.tar.gz")
            there.fetch(bundle)
            place, what = take(bundle, self.results, self.fleet.allowed)
        self.tell(machine.name, f"{what}, in {place}")
        for line in self._others(place):
            self.tell(machine.name, line)
        return ran

    def _name(self, machine: FleetMachine) -> str:
        """Name the folder there: one for each results folder here."""
        text = f"{socket.gethostname()}\n{self.results.resolve()}\n{machine.name}"
        return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]

    def _others(self, place: Path) -> Iterator[str]:
        """Yield which packages there are other versions than here."""
        own = {one.selector: one.content_hash for one in self.found if isinstance(one, Package)}
        with Store.open(place, read_only=True) as store:
            for one in store.packages():
                if own.get(one.selector, one.content_hash) != one.content_hash:
                    yield f"warning: {one.selector} there is another version than here"


def _is_folder(word: str) -> bool:
    """Return whether a word on the command line is a path here, and no name."""
    return is_path(word, Path.cwd() / word)
