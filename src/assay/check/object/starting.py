# SPDX-License-Identifier: MIT
"""Whether code runs before the first call or after the last, and data that a thread has by itself.

Such code can find out what the program is for, and change it before the harness has begun.
"""

from collections.abc import Iterator
from pathlib import Path

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from assay.check.check import Check, CheckFailed, CheckFinding, CheckSkipped
from assay.check.object.linked import objects_of
from assay.check.trial import AnyTrial
from assay.elf.reading import UNDEFINED, open_object

CXX = "c++"
# Names of sections whose content start-up code calls; C++ has the first ones by itself.
OF_CXX = (".init_array", ".fini_array", ".ctors", ".dtors", ".CRT$XC", ".CRT$XT")
STARTING = (*OF_CXX, ".preinit_array", ".init", ".fini", ".CRT$", "__libc_")
TABLES = {"SHT_INIT_ARRAY", "SHT_FINI_ARRAY", "SHT_PREINIT_ARRAY"}
# Where the start-up code of static programs looks for tables; a linker gives these names to
# nothing that a package has defined.
EDGES = frozenset(
    f"__{table}_{edge}"
    for table in ("init_array", "fini_array", "preinit_array", "rel_iplt", "rela_iplt")
    for edge in ("start", "end")
)
CHOSEN = "STT_LOOS"  # 10, STT_GNU_IFUNC: the address is what a function returns at program start
NAMED = 4

EMULATED = "__emutls_v."  # where the target has no thread-local storage of its own


def run_constructors(trial: AnyTrial) -> None:
    """Fail where code runs without being called by a function of the API."""
    starting = {name for path in objects_of(trial) for name in _starting(path)}
    if not starting:
        return
    details = trial.package.details
    if details and details.language == CXX and all(one.startswith(OF_CXX) for one in starting):
        raise CheckSkipped("it is C++, whose objects have constructors")
    named = ", ".join(sorted(starting)[:NAMED])
    raise CheckFailed(f"code runs without being called: {named}")


def _starting(path: Path) -> set[str]:
    """Name what makes code of an object file run by itself."""
    with open_object(path) as elf:
        return {*_sections(elf), *_symbols(elf)}


def _sections(elf: ELFFile) -> Iterator[str]:
    for one in elf.iter_sections():
        if one["sh_size"] and (one.name.startswith(STARTING) or one["sh_type"] in TABLES):
            yield one.name


def _symbols(elf: ELFFile) -> Iterator[str]:
    tables = (one for one in elf.iter_sections() if isinstance(one, SymbolTableSection))
    for symbol in (symbol for table in tables for symbol in table.iter_symbols()):
        if symbol["st_info"]["type"] == CHOSEN:
            yield f"{symbol.name} (IFUNC)"
        elif symbol.name in EDGES and symbol["st_shndx"] != UNDEFINED:
            yield symbol.name


CONSTRUCTORS = Check(
    "object/constructors",
    "Does no code run before the first call of an API function, or after the last?",
    (
        "SUPERCOP accepted a package whose constructor printed the expected checksum and ended "
        "the program. Constructors, destructors, initialisers of threads and functions that "
        "choose an implementation when the program starts (IFUNC, target_clones) all run unseen."
    ),
    (
        "Compute tables at compile time or in the function. Choose an implementation at the "
        "first call, and not by IFUNC."
    ),
    run_constructors,
)


def run_thread_local(trial: AnyTrial) -> None:
    """Report sections of which every thread has its own copy."""
    found = sorted({one for path in objects_of(trial) for one in _of_threads(path)})
    if found:
        raise CheckFinding(f"every thread has data of its own in it: {', '.join(found)}")


def _of_threads(path: Path) -> set[str]:
    with open_object(path) as elf:
        return {
            one.name
            for one in elf.iter_sections()
            if one["sh_size"] and (one["sh_flags"] & SH_FLAGS.SHF_TLS or EMULATED in one.name)
        }


THREAD_LOCAL: Check[AnyTrial] = Check(
    "object/thread-local",
    "Is the package free of data that every thread has by itself?",
    (
        "A context may be made by one thread and used by another. What the first one remembers "
        "of it beside the context is not there in the second, or is out of date."
    ),
    "Keep all state in the context, or in the arguments.",
    run_thread_local,
)
