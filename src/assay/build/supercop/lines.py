# SPDX-License-Identifier: MIT
"""The shell lines that make one object of a package: compile, combine, hide its names.

All runs in one jail. Sources are compiled one by one inside the package's folder, as
SUPERCOP does, since assembly may include files by relative names.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath

from assay.model import Compiler, Configuration, Target

RAW, COMBINED = "raw.o", "combined.o"
STATE = {".data": "data", ".data.rel": "data", ".data.rel.local": "data", ".bss": "bss"}
FLAGS = {"data": "alloc,load,data,contents", "bss": "alloc"}
ALIGN = "-DCRYPTO_ALIGN(n)=__attribute__((aligned(n)))"


def compiler_path(compiler: Compiler, language: str) -> str:
    """Name the compiler for a language: g++-12 for gcc-12."""
    if language != "c++":
        return str(compiler.path)
    name = compiler.path.name.replace("clang", "clang++").replace("gcc", "g++")
    return str(compiler.path.with_name(name))


def compile_words(
    compiler: Compiler, configuration: Configuration, language: str, own: str
) -> list[str]:
    """Give the line that compiles a source, less includes and the source."""
    words = [compiler_path(compiler, language), *configuration.arch.split()]
    words += [*configuration.opt.split(), "-fno-lto", "-DSUPERCOP"]
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
) -> list[str]:
    """Give the lines that compile sources inside the package's folder, into the folder `to`.

    Objects are numbered, so that sources of one name in two folders have two of them.
    `more` are further options of single sources.
    """
    lines = [f"mkdir {to}", "cd package"]
    for number, source in enumerate(sources):
        own = [*words, *(more or {}).get(source, ())]
        name = f"../{to}/{number}-{PurePath(source).name}.o"
        lines.append(shlex.join([*own, "-c", source, "-o", name]))
    return [*lines, "cd .."]


def tool(configuration: Configuration, target: Target, name: str) -> str:
    """Name a binary tool for what the configuration compiles for: `ld -m elf_i386`."""
    if not target.is_native:
        return re.sub(r"gcc(-\d+)?$", name, target.compiler)
    return f"{name} -m elf_i386" if name == "ld" and "-m32" in configuration.arch else name


def combine_line(ld: str, parts: str, to: str) -> str:
    """Give the line that makes one relocatable object of many; `parts` may be a pattern."""
    return f"{ld} -r -d --force-group-allocation -o {to} {parts}"


def archive_line(ar: str, parts: str, to: str) -> str:
    """Give the line that makes an archive, of which `ld` takes what is called."""
    return f"{ar} rcs {to} {parts}"


def hide_line(objcopy: str, keep: str, source: str, to: str) -> str:
    """Give the line that makes every name local but those that match `keep`.

    What the package may write gets sections of its own, so that the agent finds them.
    Compilers sign their work in sections that do not run; they are left out.
    """
    words = [objcopy, "--wildcard", f"--keep-global-symbol={keep}", "--strip-debug"]
    words += ["-R", ".comment", "-R", ".note.gnu.property"]
    for section, kind in STATE.items():
        words += ["--rename-section", f"{section}=assay_{kind},{FLAGS[kind]}"]
    return shlex.join([*words, source, to])


def script(lines: Iterable[str]) -> list[str]:
    """Give the command that runs the lines until one fails."""
    return ["sh", "-ec", "\n".join(lines)]
