# SPDX-License-Identifier: MIT
"""What a compiler sees of a package, by the layout that its author chose.

In the folder of a build stand `package`, `include` (headers of the subroutines),
`provided` (the harness's headers), `plain` (headers with plain names, seen last) and, for an
agent, `adapter` and `subject`. What is the same for all packages is linked to: one copy for all
builds of a process, in the jail's sight, as fifty small files are copied and removed in a time in
which a short source is compiled.
"""

import atexit
import functools
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from threading import Lock

from msgspec.structs import replace

from assay.compile.files import stage_files
from assay.compile.parts import HARNESS
from assay.compile.supercop.adapter import ENTRY
from assay.compile.supercop.names import details_of, own_headers, plain_headers, shared_headers
from assay.compile.supercop.subroutines import Subroutine
from assay.execute.jail import Jail
from assay.execute.staging import hand_over, staged_folder
from assay.model import Package, Runtime, Target
from assay.model.packages import OperationDetails

PROVIDED, PLAIN, SUBJECT, BELOW = "provided", "plain", "subject", "below"
MIPS = ("mips-le", "mips-be")
_ONE_AT_A_TIME = Lock()


def shared_folder() -> Path:
    """Return the folder of what is the same for all; it is removed when the process ends.

    In it stand `provided` (the harness's headers and services), `plain` (headers with
    plain names), `subject` (what adapters include) and `below` (headers of a missing C library).
    """
    with _ONE_AT_A_TIME:  # or two threads would make two, and mix them up
        folder = _made(tempfile.gettempdir())
        if not all((folder / name).is_dir() for name in (PROVIDED, PLAIN, SUBJECT, BELOW)):
            _made.cache_clear()  # whoever cleans temporary folders was here
            folder = _made(tempfile.gettempdir())
        return folder


def seeing_shared(jail: Jail) -> Jail:
    """Return the same jail, in which the folder can be read."""
    return replace(jail, readable=(*jail.readable, shared_folder()))


def link_shared(home: Path, *names: str) -> None:
    """Let parts of the folder be seen in the folder of a build, under their own names."""
    for name in names:
        (home / name).symlink_to(shared_folder() / name)


@functools.lru_cache(maxsize=8)
def _made(_parent: str) -> Path:
    stack = ExitStack()
    atexit.register(stack.close)
    folder = stack.enter_context(staged_folder("assay-shared-"))
    shutil.copytree(HARNESS / "supercop", folder / PROVIDED)
    shutil.copytree(HARNESS / "subject", folder / SUBJECT)
    shutil.copytree(HARNESS / "runtime" / "include", folder / BELOW)
    write_texts(folder / PLAIN, plain_headers())
    hand_over(folder)
    return folder


def write_texts(folder: Path, texts: dict[str, str]) -> None:
    """Write files into a folder, made if need be."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)


ADAPTER = "../adapter/adapter.c"
COMMON = "common/"
_SUPERCOP = "include"
_SERVICES = {"supercop": (), "nist": ("rng.c",), "pqclean": (),
             "liboqs": ("randombytes.c", "../libjade/randombytes.c"),
             "libjade": ("randombytes.c",)}  # fmt: skip


def lay_out(home: Path, package: Package, league: str, subroutines: Iterable[Subroutine]) -> None:
    """Copy a package, write the headers that SUPERCOP generates, and add the harness's."""
    stage_files(package, home / "package")
    if details_of(package).layout == "supercop":
        write_texts(home / "package", own_headers(package, league))
    (home / "include").mkdir()
    for one in subroutines:
        write_texts(home / "include", shared_headers(one.package, one.league))
    link_shared(home, PROVIDED, PLAIN, BELOW)


def lay_out_adapter(home: Path, text: str, entry: str = "") -> None:
    """Write the adapter, and what it includes."""
    write_texts(home / "adapter", {"adapter.c": text} | ({ENTRY: entry} if entry else {}))
    link_shared(home, SUBJECT)


def include_options(package: Package) -> list[str]:
    """Return the options that say where headers are, seen from the package's folder."""
    details = details_of(package)
    own = () if details.layout == "supercop" else (f"../provided/{details.layout}",)
    first = (*details.folders, *own) if details.functions else (*own, *details.folders)
    folders = (".", *first, "../include", f"../provided/{_SUPERCOP}", "../plain")
    return [f"-I{folder}" for folder in folders]


def options_below(target: Target) -> list[str]:
    """Return the options that code needs where a target has no C library.

    Linkers for MIPS refuse calls through the table of global addresses to names that were hidden.
    """
    if target.runtime is not Runtime.FREESTANDING:
        return []
    direct = ["-fno-pic", "-mno-abicalls", "-G0"] if target.architecture in MIPS else []
    return ["-isystem", f"../{BELOW}", *direct]


def defines_for(package: Package) -> dict[str, list[str]]:
    """Return the options that single sources have besides."""
    defines: dict[str, list[str]] = {}
    for source, macro in details_of(package).defines:
        defines.setdefault(source, []).append(f"-D{macro}")
    for source, header in details_of(package).forced:
        defines.setdefault(source, []).extend(("-include", header))
    if is_elsewhere(details_of(package)):  # code there takes the macro for SUPERCOP's own
        for source in package.sources:
            defines.setdefault(source, []).append("-USUPERCOP")
    return defines


def with_macro(package: Package, macro: str) -> Package:
    """Return the same package with another macro defined in all of its sources."""
    details = details_of(package)
    more = tuple((source, macro) for source in package.sources)
    return replace(package, details=replace(details, defines=(*details.defines, *more)))


def defines_for_adapter(package: Package) -> list[str]:
    """Return the options by which api.h is, to the adapter, what it is to the package's sources.

    Submissions to NIST choose a parameter set in their Makefile, and api.h follows it.
    """
    details = details_of(package)
    if details.layout != "nist":
        return []
    shared = {name for name, _ in details.shared}
    own = (source for source in package.sources if source not in shared)
    sets = [{macro for name, macro in details.defines if name == source} for source in own]
    return [f"-D{macro}" for macro in sorted(set.intersection(*sets))] if sets else []


def is_elsewhere(details: OperationDetails) -> bool:
    """Return whether a package is for another framework, or a build of its own."""
    if details.layout == "nist":
        return bool(details.functions) or any(
            name.startswith(COMMON) for name, _ in details.shared
        )
    return details.layout == "liboqs"


def services(package: Package) -> list[str]:
    """Name the sources of the harness that a layout's packages may call, from their folder."""
    layout = details_of(package).layout
    return [f"../provided/{layout}/{name}" for name in _SERVICES[layout]]
