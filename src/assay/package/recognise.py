# SPDX-License-Identifier: MIT
"""What a folder that just came holds, and which command looks at it next."""

import os
import shlex
from pathlib import Path

from msgspec import Struct

from assay.model import BrokenPackage
from assay.model.apis import PACKAGED, all_listed
from assay.package.discover import Found, load_below
from assay.package.members import is_archive
from assay.package.supercop.listing import Listed, listing, operations
from assay.package.supercop.load import load_listed
from assay.package.supercop.outside import listed_in_folder

ANSWERS = (".rsp", ".test-vectors")
_MOST_LOADED = 20
_MOST_INNER = 3


class Recognised(Struct, frozen=True):
    """What is in a folder: in words, packages, those that cannot be loaded, next commands.

    `packages` is how many there are; `broken` are those of the first twenty that are
    broken. `answers` is a file of known answers that is there, if any.
    """

    says: str
    packages: int
    broken: tuple[BrokenPackage, ...]
    commands: tuple[str, ...]
    answers: str = ""


def recognise(folder: Path) -> Recognised:
    """Look at a folder without executing anything of it."""
    name = shlex.quote(str(folder))
    if operations(folder):
        return _tree(folder, name)
    listed = listed_in_folder(folder)
    if listed:
        return _listed(folder, name, listed)
    found = load_below(folder, folder, folder.name)
    if found:
        return _packages(folder, name, found)
    inner = tuple(path for path in sorted(folder.rglob("*")) if is_archive(path))[:_MOST_INNER]
    if inner:
        within = ", ".join(str(path.relative_to(folder)) for path in inner)
        commands = tuple(f"assay add {shlex.quote(str(path))}" for path in inner)
        return Recognised(f"no package, but archives: {within}", 0, (), commands)
    return Recognised(_NOTHING, 0, (), (f"assay cleanup {name}",), _answers(folder))


_NOTHING = f"no package: there is no header of an API ({all_listed()})"


def _tree(folder: Path, name: str) -> Recognised:
    """Recognise folders of operations: a tree of SUPERCOP's, or a part of one."""
    listed = listing(folder)
    what = f"a tree in SUPERCOP's layout with {_count(len(listed))}"
    commands: tuple[str, ...]
    if len(listed) == 1:
        commands = (f"assay check {shlex.quote(listed[0].place)} --tree {name}",)
    else:
        first = [shlex.quote(each) for each in operations(folder)[:1]]
        commands = (
            f"assay list --tree {name}",
            *(f"assay check {one} --tree {name}" for one in first),
        )
    return Recognised(what, len(listed), _broken(listed), commands, _answers(folder))


def _listed(folder: Path, name: str, listed: tuple[Listed, ...]) -> Recognised:
    """Recognise implementations of operations in any other layout."""
    tops = {one.root.relative_to(folder.absolute()).parts[:1] for one in listed}
    nist = any(part.lower().endswith("implementation") for top in tops for part in top)
    what = "a submission as NIST asks" if nist else "the SUPERCOP API"
    commands = (f"assay check {name}",)
    says = f"{what}, {_count(len(listed))}"
    broken = _broken(listed)
    if len(broken) == len(listed):
        commands = (f"rename or repair what is named above, then assay check {name}",)
    return Recognised(says, len(listed), broken, commands, _answers(folder))


def _packages(folder: Path, name: str, found: tuple[Found, ...]) -> Recognised:
    """Recognise packages of eSTREAM's APIs and compact hashes."""
    broken = tuple(one for one in found if isinstance(one, BrokenPackage))
    apis = sorted({one.api for one in found if not isinstance(one, BrokenPackage)})
    says = f"{', '.join(apis) or 'a raw submission'}, {_count(len(found))}"
    commands: tuple[str, ...]
    if len(broken) == len(found):
        commands = (f"assay cleanup {name}",)
    else:
        commands = (f"assay check {name}",)
        if len(found) == 1:
            written = PACKAGED[apis[0]].answers[0].replace("verified", "unverified")
            commands = (*commands, f"assay vectors {name} -o {written}")
    return Recognised(says, len(found), broken, commands, _answers(folder))


def _broken(listed: tuple[Listed, ...]) -> tuple[BrokenPackage, ...]:
    """Load the first few and give those that cannot be."""
    loaded = map(load_listed, listed[:_MOST_LOADED])
    return tuple(one for one in loaded if isinstance(one, BrokenPackage))


def _count(many: int) -> str:
    return "1 implementation" if many == 1 else f"{many} implementations"


def _answers(folder: Path) -> str:
    """Find a file of known answers, the shallowest one."""
    every = ((place, name) for place, _, files in os.walk(folder) for name in files)
    found = (str(Path(place) / name) for place, name in every if name.endswith(ANSWERS))
    return min(found, key=lambda name: (name.count("/"), name), default="")
