# SPDX-License-Identifier: MIT
"""Where a user's packages and configurations are, and how their code is confined."""

import os
import socket
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from assay.errors import UsageError
from assay.execute.jail import Jail, choose_jail
from assay.model import Compiler
from assay.package.places import SUBMISSIONS, has_reports_only, shipped
from assay.store import FILE_NAME


def repository_root() -> Path | None:
    """Find the clone in which the user works; None outside of one.

    `ASSAY_ROOT` (set by the scripts) wins; otherwise it is the working folder or
    its nearest ancestor that has a `submissions` folder. A results folder has one, too, with
    reports: it counts only if there is no other, and something else is in it.
    """
    named = os.environ.get("ASSAY_ROOT")
    if named:
        if not Path(named).is_dir():
            raise UsageError(f"ASSAY_ROOT names {named}, which is no folder", "Name a clone.")
        return Path(named).resolve()
    here = Path.cwd()
    having = [one for one in (here, *here.parents) if (one / SUBMISSIONS).is_dir()]
    clones = [one for one in having if not (one / FILE_NAME).is_file()]
    results = (one for one in having if not has_reports_only(one / SUBMISSIONS))
    return next(iter(clones or results), None)


def packages_root() -> Path:
    """Find the folder with submissions/ and benchmarks/: the clone's, or what Assay came with."""
    return repository_root() or shipped()


def reports_folder(root: Path | None) -> Path:
    """Name `reports-$HOSTNAME` below the root: compilers, configs/, shortlist live here.

    Outside of a clone it is the working folder or the nearest ancestor that is called so
    or has a folder called so, and at last the one to be made in the working folder.
    """
    name = f"reports-{os.environ.get('HOSTNAME') or socket.gethostname()}"
    if root is not None:
        return root / name
    here = Path.cwd()
    for folder in (here, *here.parents):
        if folder.name == name:
            return folder
        if (folder / name).is_dir():
            return folder / name
    return here / name


def confined(name: str, compilers: Iterable[Compiler], patience_seconds: float | None) -> Jail:
    """Return the jail of a name, with compilers outside /usr made visible in it."""
    outside = {
        path.parent.parent
        for compiler in compilers
        for path in (compiler.path, compiler.path.resolve())
        if not path.is_relative_to("/usr") and not path.parent.parent.samefile("/")
    }
    return replace(choose_jail(name, tuple(sorted(outside))), patience_seconds=patience_seconds)
