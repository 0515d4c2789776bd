# SPDX-License-Identifier: MIT
"""The shell lines that make one object of a package: compile, combine, hide its names.

All runs in one jail. Sources are compiled one by one inside the package's folder, as
SUPERCOP does, since assembly may include files by relative names.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from assay.compile.parts import (
    DROP,
    HOSTED,
    linker_scripts,
    package_words,
    replaced_functions,
    sanitizers,
)
from assay.model import Compiler, Configuration, Runtime, Target

RAW, COMBINED = "raw.o", "combined.o"
WHOLE = "whole.o"  # the package and its subroutines, without the adapter: what is counted
STATE = {".data": "data", ".data.rel": "data", ".data.rel.local": "data", ".bss": "bss"}
FLAGS = {"data": "alloc,load,data,contents", "bss": "alloc"}
GROUPS = "--force-group-allocation"
# The linker's scripts of boards lay out what is called like that (boards/cortex-m.ld).
BOARD_STATE = {".data": ".data.assay", ".bss": ".bss.assay"}
# Windows's linker sorts by what follows the dollar; agent/operation_memory.c has both ends.
WINDOWS_STATE = {".data": ".data$assay_m", ".bss": ".data$assay_n"}
STANDARD = "-std="
STANDARDS_OF_CXX = ("-std=c++", "-std=gnu++")
ALIGN = "-DCRYPTO_ALIGN(n)=__attribute__((aligned(n)))"


def compiler_path(compiler: Compiler, language: str) -> str:
    """Name the compiler for a language: g++-12 for gcc-12."""
    if language != "c++":
        return str(compiler.path)
    name = compiler.path.name.replace("clang", "clang++").replace("gcc", "g++")
    return str(compiler.path.with_name(name))


def is_for(language: str, option: str) -> bool:
    """Return whether an option says nothing of another language's standard.

    Clang refuses those, and a package in C++ has parts in C: its adapter, and other packages.
    """
    if not option.startswith(STANDARD):
        return True
    return option.startswith(STANDARDS_OF_CXX) == (language == "c++")


def compile_words(
    compiler: Compiler, configuration: Configuration, language: str, own: str
) -> list[str]:
    """Return the line that compiles a source, less includes and the source."""
    options = (one for one in package_words(configuration) if is_for(language, one))
    words = [compiler_path(compiler, language), *options]
    words += ["-fno-lto", "-DSUPERCOP"]
    for prefix in ("", "_"):
        words.append(f"-D{prefix}CRYPTO_NAMESPACETOP={prefix}{own}")
        for macro in ("CRYPTO_NAMESPACE", "CRYPTO_SHARED_NAMESPACE"):
            words.append(f"-D{prefix}{macro}(name)={prefix}{own}_##name")
    return [*words, ALIGN]


def compile_lines(
    words: Sequence[str],
    sources: Iterable[str],
    to: str = "objects",
    more: Mapping[str, list[str]] | None = None,
    made: Mapping[str, str] | None = None,
    asking: Mapping[str, str] | None = None,
) -> list[str]:
    """Return the lines that compile sources inside the package's folder, into the folder `to`.

    Objects are numbered, so that sources of one name in two folders have two of them.
    `more` are further options of single sources, and `made` are objects that are copied.
    `asking` are lines that set the variable `length` to an option for a source.
    """
    lines = [f"mkdir {to}", "cd package"]
    sources = tuple(sources)
    for source, name in zip(sources, object_names(sources, to), strict=True):
        if made and source in made:
            lines.append(shlex.join(["cp", f"../{made[source]}", f"../{name}"]))
            continue
        own = shlex.join([*words, *(more or {}).get(source, ())])
        if asking and source in asking:
            lines.append(asking[source])
            own += " $length"
        lines.append(f"{own} {shlex.join(['-c', source, '-o', f'../{name}'])}")
    return [*lines, "cd .."]


def object_names(sources: Iterable[str], to: str = "objects") -> list[str]:
    """Name what `compile_lines` makes of the sources, in their order."""
    return [f"{to}/{number}-{PurePath(one).name}.o" for number, one in enumerate(sources)]


def tool(configuration: Configuration, target: Target, name: str) -> str:
    """Name a binary tool for what the configuration compiles for: `ld -m elf_i386`."""
    if not target.is_native:
        return re.sub(r"gcc(-\d+)?$", name, target.compiler)
    return f"{name} -m elf_i386" if name == "ld" and "-m32" in configuration.arch else name


def linker(configuration: Configuration, target: Target, *, last: bool = True) -> str:
    """Return the words that begin a line which combines objects into one.

    All but the `last` such line leave groups as they are: others have the same, such as what
    32-bit code asks for its address, and one of each is kept.

    Where there is no C library, the compiler starts the linker: it alone knows what its options
    mean to it. Linkers for boards may be old, and there is nothing there that comes in groups;
    that of AVR would put constants among the variables. Where what nothing refers to is dropped
    later, the code of each file of assembly stays a section.
    """
    apart = ("--unique=.text",) if DROP in replaced_functions(configuration) else ()
    if target.is_native or target.runtime in HOSTED:
        groups = [GROUPS] if last else []
        return " ".join((tool(configuration, target, "ld"), "-r", "-d", *groups, *apart))
    own = ["--unique=.rodata*"]
    if target.runtime is Runtime.FREESTANDING:
        own = [GROUPS] if last else []
    passed = (f"-Wl,{one}" for one in ("-d", *own, *apart))
    return shlex.join([target.compiler, *target.options, "-nostdlib", "-r", *passed])


def symbol(target: Target, name: str) -> str:
    """Return the name that an object file has for a name of C: Windows adds to it on 32 bits."""
    return f"_{name}" if target.runtime is Runtime.WINDOWS and target.bits == 32 else name


def combine_line(ld: str, parts: str, to: str) -> str:
    """Return the line that makes one relocatable object of many; `parts` may be a pattern."""
    return f"{ld} -o {to} {parts}"


def called_lines(
    tools: tuple[str, str], functions: Iterable[str], sources: Iterable[str], to: str
) -> Iterator[str]:
    """Yield the lines that combine what the functions need of the sources' objects.

    As in SUPERCOP an archive holds the objects by name: one that nothing calls is left
    out, and may define what another one does. `tools` are `ld` and `ar`.
    """
    ld, ar = tools
    named = sorted(zip(sources := tuple(sources), object_names(sources), strict=True))
    yield archive_line(ar, shlex.join(name for _, name in named), "package.a")
    wanted = " ".join(f"-u {name}" for name in functions)
    yield combine_line(ld, f"{wanted} package.a", to)


def rename_line(objcopy: str, renamed: Mapping[str, str], name: str) -> str:
    """Return the line that gives symbols of an object other names."""
    pairs = (f"--redefine-sym={old}={new}" for old, new in renamed.items())
    return shlex.join([objcopy, *pairs, name])


def archive_line(ar: str, parts: str, to: str) -> str:
    """Return the line that makes an archive, of which `ld` takes what is called.

    No compiler's plugin need read the objects, which are never of LTO. This system's `ar`
    would load all that it finds, which takes ten times as long as the archive.
    """
    plugins = "--plugin= " if ar == "ar" else ""
    return f"{ar} {plugins}rcs {to} {parts}"


def hide_line(
    objcopy: str, keep: str, source: str, to: str, configuration: Configuration, target: Target
) -> str:
    """Return the line that makes every name local but those that match `keep`.

    What the package may write gets sections of its own, so that the agent finds them.
    Compilers sign their work in sections that do not run; they are left out. Source lines
    stay where a configuration asks for them, and sanitizers find what they have made.
    """
    words = [objcopy, "--wildcard", f"--keep-global-symbol={keep}"]
    words += [] if "-g" in configuration.opt.split() else ["--strip-debug"]
    words += ["-R", ".comment", "-R", ".note.gnu.property"]
    for section, name in ({} if sanitizers(configuration) else _state(target)).items():
        words += ["--rename-section", f"{section}={name}"]
    return shlex.join([*words, source, to])


def _state(target: Target) -> dict[str, str]:
    """Return the names and flags that sections get which a package may write."""
    if target.runtime is Runtime.WINDOWS:
        return {old: f"{new},{FLAGS['data']}" for old, new in WINDOWS_STATE.items()}
    if target.runtime is Runtime.BOARD and not linker_scripts(target):
        return {}  # nobody can say where they begin
    if target.runtime is Runtime.BOARD:
        return {old: f"{new},{FLAGS[old[1:]]}" for old, new in BOARD_STATE.items()}
    return {section: f"assay_{kind},{FLAGS[kind]}" for section, kind in STATE.items()}


def script(lines: Iterable[str]) -> list[str]:
    """Return the command that runs the lines until one fails."""
    return ["sh", "-ec", "\n".join(lines)]
