# SPDX-License-Identifier: MIT
"""The checks of what a package does to the program that it is linked with, for every kind.

Looked at are the package's object files and the agent, a program like any other. Names that a
package must not define are those of the bench, of SUPERCOP and of the C library. Code that runs
before the first call or after the last can find out what the program is for, and change it before
the harness has begun.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from elftools.elf.constants import P_FLAGS, SH_FLAGS
from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from assay.check.check import Check, CheckFailed, CheckFinding, CheckSkipped
from assay.check.trial import AnyTrial, BaseTrial
from assay.elf.reading import UNDEFINED, global_symbols, open_object
from assay.model import Build

NAMED = 4
CURE = 'Add `.section .note.GNU-stack,"",%progbits` at the end of the assembly.'
TEXTREL_FLAG = 4  # DF_TEXTREL of DT_FLAGS
GONE = "the object code is not there any more"
FOREIGN = "linkers of other machines have rules of their own"

RANDOM = "randombytes"
RESERVED = ("assay_",)  # what tests and measurements here are made with begins so

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

EMULATED = "__emutls_v."  # where the target has no thread-local storage of its own


def run_stack(trial: BaseTrial[Any, Any]) -> None:
    """Look at what each source asked for, then at what the linker made of it."""
    build, agent = _built(trial)
    stacks = build.stacks
    if stacks.asking:
        raise CheckFailed(
            f"the note of {_named(stacks.asking)} says that the stack has to be executable"
        )
    if not _executable_stack(agent):
        return
    if stacks.silent:
        raise CheckFinding(silence(stacks.silent), cure=CURE)
    if build.subroutines:
        raise CheckFinding("a subroutine brings an executable stack", cure=CURE)
    if not stacks.empty:
        raise CheckFailed("the program that it is linked with gets an executable stack")


def silence(sources: tuple[str, ...]) -> str:
    """Return what is said of sources whose objects have code or data, and no note."""
    says = "do not say" if len(sources) > 1 else "does not say"
    return (
        f"{_named(sources)} {says} whether the stack has to be executable, and GNU ld then makes "
        "it so"
    )


def _named(sources: tuple[str, ...]) -> str:
    more = len(sources) - NAMED
    return ", ".join(sources[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _executable_stack(agent: Path) -> bool:
    with open_object(agent) as elf:
        segments = [one.header for one in elf.iter_segments()]
    return any(one.p_type == "PT_GNU_STACK" and one.p_flags & P_FLAGS.PF_X for one in segments)


def run_text(trial: BaseTrial[Any, Any]) -> None:
    """Look for sections both writable and executable, and for relocations in code."""
    build, agent = _built(trial)
    for path in build.objects:
        with open_object(path) as elf:
            for one in elf.iter_sections():
                both = SH_FLAGS.SHF_WRITE | SH_FLAGS.SHF_EXECINSTR
                if one["sh_size"] and one["sh_flags"] & both == both:
                    raise CheckFailed(f"{one.name} can be written to and executed")
    with open_object(agent) as elf:
        for segment in elf.iter_segments():
            if isinstance(segment, DynamicSegment) and _changes_text(segment):
                raise CheckFailed("its code has to be changed at every start (TEXTREL)")


def _changes_text(dynamic: DynamicSegment) -> bool:
    tags = {one.entry.d_tag: one.entry.d_val for one in dynamic.iter_tags()}
    return "DT_TEXTREL" in tags or bool(tags.get("DT_FLAGS", 0) & TEXTREL_FLAG)


def _built(trial: BaseTrial[Any, Any]) -> tuple[Build, Path]:
    bench = trial.bench
    if bench is not None and not bench.target.is_native:
        raise CheckSkipped(FOREIGN)
    build = built(trial)
    if build.agent is None or not build.agent.is_file():
        raise CheckSkipped(GONE)
    return build, build.agent


def built(trial: BaseTrial[Any, Any]) -> Build:
    """Return the build under test; CheckSkipped if its object files are not there any more."""
    build = trial.bench.build if trial.bench else None
    if build is None or not build.objects or not all(one.is_file() for one in build.objects):
        raise CheckSkipped(GONE)
    return build


def objects_of(trial: BaseTrial[Any, Any]) -> tuple[Path, ...]:
    """Return the package's object files, of which there is at least one; else CheckSkipped."""
    return built(trial).objects


def names_of(objects: Iterable[Path]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that object files define for others, and those that they need of any."""
    defined: set[str] = set()
    needed: set[str] = set()
    for path in objects:
        with open_object(path) as elf:
            own, others = global_symbols(elf)
        defined |= own
        needed |= others
    return frozenset(defined), frozenset(needed)


def names(*own: str) -> Check[Any]:
    """Return the check of names, of which some may begin as the API's `own`.

    Without those, packages are one object, and what else they define is hidden here.
    """
    return Check(
        "object/names",
        "Are the package's names distinct from those of the C library, tests and measurements?",
        (
            "The linker uses the package's function everywhere: a package with its own memcpy or "
            "clock changes the program around it, one with its own cycle counter would time "
            "itself, and one with its own randombytes would not be tested with the bench's."
        ),
        "Make the function `static`, or begin its name with ECRYPT_ or with CRYPTO_NAMESPACE.",
        partial(_run_names, own=own),
    )


def _run_names(trial: AnyTrial, own: tuple[str, ...]) -> None:
    """Fail where a name is somebody else's; what only clutters, or is hidden here, is a remark."""
    objects = objects_of(trial)
    defined, needed = names_of(objects if own else objects[:1])
    others = RESERVED_NAMES | C_LIBRARY if own else RESERVED_NAMES
    taken = sorted(one for one in defined if one.startswith(RESERVED) or one in others)
    if RANDOM in taken and not own:
        raise CheckFailed(
            f"it defines {RANDOM}: its random bytes are not those that tests give, so checksums "
            "and known answers cannot be compared",
            "\n".join(taken),
            "Remove it: randombytes belongs to SUPERCOP, and to whatever a program links.",
        )
    if taken:
        raise CheckFailed(
            f"it defines {', '.join(taken[:NAMED])}, which others have", "\n".join(taken)
        )
    seen = defined - needed if own else defined & C_LIBRARY
    if more := sorted(one for one in seen if not own or not one.startswith(own)):
        what = (
            "can be seen from outside and is not of the API: it collides with whatever has that "
            "name, too; make it `static`"
            if own
            else "of the C library: a program that it is linked with gets them, too (here they "
            "are hidden)"
        )
        raise CheckSkipped(f"{'' if own else 'it defines '}{', '.join(more[:NAMED])} {what}")


STACK: Check[Any] = Check(
    "object/stack",
    "Does the package work without an executable stack?",
    (
        "One object that asks for an executable stack removes the protection from the whole "
        "program. So does code that can be written to: in hashes this check looks for it, in "
        "others `object/text` does."
    ),
    (
        'In assembly, add `.section .note.GNU-stack,"",%progbits`. In C, do not take the address '
        "of a nested function."
    ),
    run_stack,
)
CHECKS: tuple[Check[Any], ...] = (
    STACK,
    Check(
        "object/text",
        "Is all code read-only, without relocations at program start?",
        (
            "Attackers look for writable code. Pages that are changed at load time cannot be "
            "shared, and many systems refuse them."
        ),
        "Put data into its own section, and address tables relative to it.",
        run_text,
    ),
)


def words(text: str) -> frozenset[str]:
    """Return the words of a text, names in a row say."""
    return frozenset(text.split())


RESERVED_NAMES = words(
    "cpucycles cpucycles_implementation cpucycles_persecond cpucycles_tracesetup "
    "cpucycles_version main _start _init _fini environ __libc_start_main crypto_declassify "
    "kernelrandombytes randombytes randombytes_bytes randombytes_calls "
    "gcry_check_version OPENSSL_init_crypto"
)
C_LIBRARY = words(
    "memcpy memmove memset memcmp strlen strchr strcpy strcmp malloc calloc realloc free "
    "aligned_alloc posix_memalign printf fprintf puts putchar fopen fclose fread fwrite open "
    "close read write pipe "
    "mmap munmap mprotect exit _exit abort signal sigaction raise setjmp longjmp clock "
    "clock_gettime gettimeofday time getenv rand srand random srandom qsort select poll "
    "pselect alarm atexit getrusage mallinfo2 setitimer setrlimit sigaltstack siglongjmp sysconf "
    "syscall strtol strtoul strtoll atoi atol atoll pthread_create pthread_join pthread_self "
    "pthread_attr_init pthread_attr_destroy pthread_attr_setguardsize pthread_attr_setstacksize "
    "dl_iterate_phdr getauxval malloc_usable_size mallopt prctl sbrk"
)


def run_constructors(trial: AnyTrial) -> None:
    """Fail where code runs without being called by a function of the API."""
    starting: set[str] = set()
    for path in objects_of(trial):
        with open_object(path) as elf:
            starting.update(_sections(elf), _symbols(elf))
    if not starting:
        return
    details = trial.package.details
    if details and details.language == CXX and all(one.startswith(OF_CXX) for one in starting):
        raise CheckSkipped("it is C++, whose objects have constructors")
    named = ", ".join(sorted(starting)[:NAMED])
    raise CheckFailed(f"code runs without being called: {named}")


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
    found: set[str] = set()
    for path in objects_of(trial):
        with open_object(path) as elf:
            sections = [one for one in elf.iter_sections() if one["sh_size"]]
        local = (one for one in sections if one["sh_flags"] & SH_FLAGS.SHF_TLS)
        found.update(one.name for one in (*local, *(s for s in sections if EMULATED in s.name)))
    if found:
        raise CheckFinding(f"every thread has data of its own in it: {', '.join(sorted(found))}")


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
