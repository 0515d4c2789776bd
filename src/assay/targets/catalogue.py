# SPDX-License-Identifier: MIT
"""The targets: those of catalogue.toml and of a user's file, whom they suit, and their tools.

A package suits a target by its architecture, and by what is below the agent there.
"""

import difflib
import functools
import platform
import shutil
import struct
import tomllib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from msgspec import Struct
from msgspec.structs import fields, replace

from assay.errors import UsageError
from assay.model import NATIVE_NAME, Package, Runner, Runtime, Target
from assay.targets import wine
from assay.targets.architectures import architectures_of, of_machine

ALL = "all"
REACHED = (Runner.SERIAL, Runner.SSH)
EMULATORS = ("qemu", "simavr", "libsimavr", "libelf", "wine")
_KINDS = get_type_hints(Target)
_FIELDS = frozenset(_KINDS)
_SPOKEN = {str: "string", int: "number", bool: "true or false"}
_HEADERS = {"simavr": (Path("/usr/include/simavr/sim_avr.h"),)}


@functools.cache
def catalogue() -> tuple[Target, ...]:
    """Return every target that comes with Assay, in the order of reports, `native` first."""
    text = resources.files("assay.targets").joinpath("catalogue.toml").read_text()
    return (native(), *_targets(tomllib.loads(text), "catalogue.toml", {}))


@functools.cache
def native() -> Target:
    """Describe this machine as a target."""
    machine = platform.machine()
    architecture = of_machine(machine).name
    return Target(
        name=NATIVE_NAME,
        title=f"this machine ({machine})",
        architecture=architecture,
        runs=("i386",) if architecture == "amd64" else (),
        bits=8 * struct.calcsize("P"),  # platform.architecture() starts a program
        endian="little" if (1).to_bytes(2, "little")[0] else "big",
        abi="the system's",
        runner=Runner.NATIVE,
        runtime=Runtime.LIBC,
        packages=("gcc",),
    )


def users_targets(path: Path) -> tuple[Target, ...]:
    """Read a user's file of targets; `base` names one of the catalogue to start from.

    UsageError if it cannot be read, or an entry is not complete.
    """
    form = "docs/reference/targets.md shows the form."
    try:
        described = tomllib.loads(path.read_text())
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", form) from None
    except ValueError as error:
        raise UsageError(f"{path}: {error}", form) from None
    known = {one.name: one for one in catalogue()}
    made = tuple(_port_beside(path, one) for one in _targets(described, str(path), known))
    for one in made:
        if one.name in known:
            raise UsageError(f"{path}: there is a target {one.name!a} already", "Rename it.")
        known[one.name] = one
    return made


def _port_beside(path: Path, target: Target) -> Target:
    """Find a user's own port, written with a folder, from the file that names it."""
    if "/" not in target.board:
        return target
    return replace(target, board=str((path.parent / target.board).resolve()))


def choose(names: Iterable[str], targets: tuple[Target, ...]) -> tuple[Target, ...]:
    """Find targets by name or architecture; `all` means every one. Each once, in that order."""
    chosen: dict[str, Target] = {}
    for name in names:
        for one in targets if name == ALL else (_named(name, targets),):
            chosen.setdefault(one.name, one)
    return tuple(chosen.values())


def _named(name: str, targets: tuple[Target, ...]) -> Target:
    """Find one target; its own name comes before that of its architecture."""
    exact = [one for one in targets if one.name == name]
    emulated = [one for one in targets if one.architecture == name and not one.is_native]
    for one in (*exact, *emulated):
        return one
    known = [one.name for one in targets] + [one.architecture for one in targets]
    nearest = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(nearest)}? " if nearest else ""
    raise UsageError(f"unknown target {name!a}", f"{hint}`assay targets` lists them.")


def _targets(described: dict[str, Any], where: str, bases: dict[str, Target]) -> Iterable[Target]:
    """Make records of a file's entries."""
    entries = described.get("target", [])
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise UsageError(
            f"{where}: `target` is no list of tables", "docs/reference/targets.md shows the form."
        )
    for entry in entries:
        name = entry.get("name", "without a name")
        try:
            yield _target(dict(entry), bases)
        except (TypeError, ValueError, KeyError) as error:
            raise UsageError(
                f"{where}: the target {name!a} is not well described: {error}",
                "docs/reference/targets.md lists the fields and which of them are needed.",
            ) from None


def _target(entry: dict[str, Any], bases: dict[str, Target]) -> Target:
    base = bases[entry.pop("base")] if "base" in entry else None
    unknown = set(entry) - _FIELDS
    if unknown:
        raise ValueError(f"there is no field {', '.join(sorted(unknown))}")
    lacking = [] if base else [one.name for one in fields(Target) if one.required]
    if lacking := [one for one in lacking if one not in entry]:
        raise ValueError(f"the field {', '.join(lacking)} is missing")
    for name, value in entry.items():
        if isinstance(value, list):
            entry[name] = tuple(value)
    for name, kind in (("runner", Runner), ("runtime", Runtime)):
        if name in entry:
            entry[name] = kind(entry[name])
    for name, value in entry.items():
        _check_kind(name, value)
    made = replace(_elsewhere(base, entry), **entry) if base else Target(**entry)
    if made.runner in REACHED and not made.line:
        raise ValueError(f"runner {made.runner.value} needs `line`")
    if made.runtime is Runtime.BOARD and not made.board:
        raise ValueError("runtime board needs `board`, the name of its port")
    return made


def _check_kind(name: str, value: object) -> None:
    """Raise ValueError if a field has a value of another kind than it shall have."""
    kind = _KINDS[name]
    if get_origin(kind) is tuple:
        fits = isinstance(value, tuple) and all(isinstance(one, str) for one in value)
        shown = "list of strings"
    else:
        kinds = get_args(kind) or (kind,)
        fits = type(value) in kinds
        shown = _SPOKEN.get(kinds[0], "such thing")
    if not fits:
        raise ValueError(f"`{name}` is {value!r}, no {shown}")


def _elsewhere(base: Target, entry: dict[str, Any]) -> Target:
    """Take from a base for a board or another machine all that is not its emulator's."""
    runner = entry.get("runner", base.runner)
    if runner not in REACHED:
        return base
    packages = [name for name in base.packages if not name.startswith(EMULATORS)]
    if runner is Runner.SSH:
        packages.append("openssh-client")
    return replace(
        base, emulator="", machine="", counts=None, traps="", unseen="", packages=tuple(packages)
    )


def fits(architecture: str | None, target: Target) -> bool:
    """Return whether code bound to `architecture` (None: to none) runs on the target."""
    if architecture is None:
        return True
    return any(name in target.architectures for name in architectures_of(architecture))


def unsuited(package: Package, target: Target) -> str:
    """Explain why no code of the package runs on the target; empty if it may."""
    if not fits(package.architecture, target):
        return f"it is assembly for {package.architecture}"
    return ""


class Installed(Struct, frozen=True):
    """A target, what it needs that is missing, what does not work of the rest, and the cure."""

    target: Target
    missing: tuple[str, ...]
    broken: str = ""

    @property
    def ok(self) -> bool:
        """Return whether the target can be used here."""
        return not self.missing and not self.broken

    @property
    def reason(self) -> str:
        """Describe what is missing or broken, as the reason of a skipped cell."""
        return self.broken or f"not installed: {', '.join(self.missing)}"

    @property
    def cure(self) -> str:
        """Return the line that installs it."""
        return install_line((self,))


def look_for(target: Target) -> Installed:
    """Look for everything the target needs."""
    programs = [target.compiler, *_emulators(target)]
    missing = [name for name in programs if shutil.which(name) is None]
    missing += [str(path) for path in _HEADERS.get(target.runner, ()) if not path.exists()]
    if target.runner is not Runner.WINE:
        return Installed(target, tuple(missing))
    missing += wine.missing(target.bits)
    return Installed(target, tuple(missing), "" if missing else wine.trouble())


def install_line(found: Iterable[Installed]) -> str:
    """Return one apt-get line for all that is missing; empty if nothing is."""
    packages = sorted({name for one in found if not one.ok for name in one.target.packages})
    return " ".join(("apt-get install -y --no-install-recommends", *packages)) if packages else ""


def _emulators(target: Target) -> tuple[str, ...]:
    if target.runner is Runner.SSH:
        return ("ssh",)
    return (target.emulator,) if target.emulator else ()
