# SPDX-License-Identifier: MIT
"""A fleet in a file: which machines, how each is reached, and with which options of `assay run`.

A machine is this one, one behind ssh with an Assay of its own, or a target of this one: an
emulator, a board, or a machine behind ssh that needs nothing but ssh.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from assay.errors import UsageError
from assay.fleet.jobs import Action, refused_option
from assay.model import NATIVE_NAME
from assay.targets.catalogue import catalogue, choose, users_targets

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
LARGEST_BYTES = 1 << 20
# They have a value each, and mean nothing where instructions or cycles are counted.
TIMED = ("--launches", "--samples", "--precision", "--most-launches")
_FORM = "docs/guide/fleet.md shows the form."
_TOP = ("options", "targets-file", "allowed-signers", "machine")


class FleetMachine(Struct, frozen=True):
    """One machine: this one, if neither `ssh` nor `target` says another.

    `assay` is the command of Assay behind `ssh`, and `key` one there that signs its results.
    """

    name: str
    ssh: str = ""
    assay: str = "assay"
    key: str = ""
    target: str = ""
    options: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """State how it is reached, in words."""
        if self.ssh:
            return f"ssh {self.ssh}"
        return f"target {self.target}" if self.target else "this machine"


class Fleet(Struct, frozen=True):
    """The machines of a file, and what holds for all of them."""

    machines: tuple[FleetMachine, ...]
    targets_file: Path | None = None
    allowed: Path | None = None

    def only(self, names: tuple[str, ...]) -> "Fleet":
        """Return the fleet with the machines named; all without any. UsageError for others."""
        known = {one.name: one for one in self.machines}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise UsageError(f"the fleet has no machine {unknown[0]!a}", f"It has {_list(known)}.")
        chosen = tuple(known[name] for name in names) or self.machines
        return Fleet(chosen, self.targets_file, self.allowed)


def read_fleet(path: Path) -> Fleet:
    """Read a fleet's file; UsageError says what in it is wrong. Nothing is reached yet."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise UsageError(f"{path} has more than {LARGEST_BYTES} bytes", _FORM)
        said = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", _FORM) from None
    except ValueError as error:
        raise UsageError(f"{path}: {error}", _FORM) from None
    try:
        return _fleet(said, path.parent)
    except ValueError as error:
        raise UsageError(f"{path}: {error}", _FORM) from None


def _fleet(said: Mapping[str, Any], beside: Path) -> Fleet:
    """Make the record of a file; ValueError for what it should not say."""
    _only_known(said, _TOP, "the file")
    entries = said.get("machine")
    fits = isinstance(entries, list) and all(isinstance(one, dict) for one in entries)
    if not fits or not entries:
        raise ValueError("it names no machine: `[[machine]]` begins one")
    targets = _path(said, "targets-file", beside)
    common = _words(said.get("options", []), "options")
    known = (*catalogue(), *(users_targets(targets) if targets else ()))
    counting = {one.name for one in known if one.counts}
    machines = tuple(
        _machine(one, _fitting(common, counts=one.get("target") in counting)) for one in entries
    )
    names = [one.name for one in machines]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"two machines are called {twice[0]}")
    places = [(one.ssh, one.target) for one in machines]
    again = next((one for one in places if places.count(one) > 1), None)
    if again is not None:
        raise ValueError(f"two entries are one machine: {again[0] or again[1] or 'this one'}")
    choose([one.target for one in machines if one.target], known)
    return Fleet(machines, targets, _path(said, "allowed-signers", beside))


def _fitting(common: tuple[str, ...], *, counts: bool) -> tuple[str, ...]:
    """Return the options for all machines without those that exact counts have no use for."""
    found = []
    words = iter(common)
    for word in words:
        if counts and word in TIMED:
            next(words, None)
        else:
            found.append(word)
    return tuple(found)


def _machine(entry: Mapping[str, Any], common: tuple[str, ...]) -> FleetMachine:
    _only_known(entry, tuple(one.name for one in fields(FleetMachine)), "a machine")
    texts: dict[str, Any] = {name: _text(entry, name) for name in entry if name != "options"}
    name = texts.get("name", "")
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!a} is no name of a machine: letters, digits, dots and dashes")
    own = _words(entry.get("options", []), f"options of {name}")
    made = FleetMachine(**texts, options=(*common, *own))
    if made.ssh and made.target:
        raise ValueError(
            f"{name} has `ssh` and `target`: a target behind ssh is one of a targets-file"
        )
    if not made.ssh and ("assay" in entry or "key" in entry):
        raise ValueError(f"{name} has `assay` or `key`, which are for machines with `ssh`")
    if made.ssh.startswith("-") or made.assay.startswith("-") or made.key.startswith("-"):
        raise ValueError(f"{name} has a value that begins with a dash")
    if made.target == NATIVE_NAME:
        raise ValueError(f"{name} is this machine: leave `target` out")
    if reason := refused_option(Action.MEASURE, made.options):
        raise ValueError(f"{name}: {reason}")
    return made


def _only_known(said: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    unknown = [one for one in said if one not in known]
    if unknown:
        raise ValueError(f"{what} has no field {unknown[0]!a}; there are {_list(known)}")


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry[name]
    if not isinstance(value, str) or not value or not value.isprintable():
        raise ValueError(f"`{name}` is {value!a}, and no text of one line")
    return value


def _words(value: Any, what: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError(f"`{what}` is {value!a}, and no list of strings")
    return tuple(value)


def _path(said: Mapping[str, Any], name: str, beside: Path) -> Path | None:
    """Return a path of the file, which is relative to the file's own folder."""
    if name not in said:
        return None
    path = beside / Path(_text(said, name)).expanduser()
    if not path.is_file():
        raise ValueError(f"`{name}`: there is no file {path}")
    return path


def _list(names: Any) -> str:
    return ", ".join(names)
