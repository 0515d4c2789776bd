# SPDX-License-Identifier: MIT
"""What of a target's tools is on this machine, and the line that installs the rest."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from assay.model import Runner, Target
from assay.targets import wine

_HEADERS = {"simavr": (Path("/usr/include/simavr/sim_avr.h"),)}


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
