# SPDX-License-Identifier: MIT
"""What instruments that follow secrets are shown of a package besides its code.

Memcheck complains of branches and addresses that depend on secret bytes, and of nothing else.
So the package is compiled with an assembler that first rewrites its input: before every
instruction of a kind it puts something that does nothing, and of which memcheck complains if
the operands are secret (`harness/visible/`).

- Divisions of integers take more or less time on many processors (KyberSlash, 2023). On Arm,
  AArch64, RISC-V, MIPS, PowerPC and IBM Z, too, where traces of addresses are compared.
- Multiplications end early where an operand is small, on processors that
  `targets/architectures.toml` names; there alone, in traces of addresses.
- A prefetch loads a cache line, as a load does; memcheck sees no access in it.
- Floating-point operations are slower on denormal numbers (Andrysco et al., "On subnormal
  floating point and abnormal timing", 2015).

Projects switch on by macros the marks by which they say what is no secret any more, and all but
SUPERCOP's `crypto_declassify` are requests to valgrind in the end. Where something else follows
secrets, a header of the harness takes the place of valgrind's and leads to that function
(`harness/marks/`).
"""

import re
import shutil
from enum import StrEnum
from pathlib import Path

from assay.compile.parts import HARNESS
from assay.compile.recipe import Recipe
from assay.model import Configuration

OPTION = "-B"
# What a disassembly has where something was made visible, and what valgrind complains of there.
LOOKED_UP = (  # not on x86-64
    r"ld[\w.]*\s+[rw](\d+), \[[rx]\1, #-1\]|lb[uz]\s+((?:[tar]|t\d|r1)\d),-1\(\2\)"
    r"|llgc\s+(%r\d+),-256\(\3,%r15\)"
)
DIVIDES = (
    rf"cmp\w? +\$0x3,[^\n]*\n[^\n]*\bjb\b|{LOOKED_UP}",
    rf"^(?:jb\b|{LOOKED_UP})",
)
LOOKS = (r"lea +-0x100\(%rsp\),%rsp", r"^movb? \(%rdx,%rcx")
SHARED = ("look.awk", "traced.awk")
SYSTEMS = "/usr/bin/as"
# mlkem-native, mldsa-native, BoringSSL.
SWITCHES = (
    "-DMLK_CONFIG_CT_TESTING_ENABLED",
    "-DMLD_CONFIG_CT_TESTING_ENABLED",
    "-DBORINGSSL_CONSTANT_TIME_VALIDATION",
)
FOLDER = "marks"
FIRST = f"{FOLDER}/valgrind/memcheck.h"


class Visible(StrEnum):
    """What is made visible: the name of a program in `harness/visible/`, and of a folder."""

    PLAIN = ""
    DIVISIONS = "divisions"
    MULTIPLICATIONS = "multiplications"
    PREFETCHES = "prefetches"
    FLOATS = "floats"

    def in_listing(self, listing: str) -> bool:
        """Return whether the disassembly of an agent has what makes these instructions visible."""
        return re.search(self._signs[0], listing) is not None

    def complains(self, instruction: str) -> bool:
        """Return whether valgrind complains of these instructions if it does of this one."""
        return re.search(self._signs[1], instruction) is not None

    @property
    def _signs(self) -> tuple[str, str]:
        return DIVIDES if self in {Visible.DIVISIONS, Visible.MULTIPLICATIONS} else LOOKS


def options(what: Visible, compiler_family: str, *, inside_package: bool) -> str:
    """Return the options that make a compiler use this assembler."""
    where = f"../{what}/" if inside_package else f"{what}/"
    own = "-no-integrated-as " if compiler_family == "clang" else ""
    return f"{own}{OPTION}{where}"


def place_assembler(home: Path, configuration: Configuration, prefix: str) -> None:
    """Put the assembler where the options say, if they do; it ends with that of a `prefix`."""
    named = re.findall(rf"{OPTION}(?:\.\./)?(\w+)/(?!\S)", configuration.opt)
    for what in sorted({*named}.intersection(Visible)):
        folder = home / what
        folder.mkdir()
        for shared in SHARED:
            shutil.copyfile(HARNESS / "visible" / shared, folder / shared)
        shutil.copyfile(HARNESS / f"visible/{what}.awk", folder / "rewrite.awk")
        script = folder / "as"
        own = shutil.which(f"{prefix}as") if prefix else None
        text = (HARNESS / "visible" / "as.sh").read_text()
        script.write_text(text.replace("ASSEMBLER", own or SYSTEMS))
        script.chmod(0o755)


def binutils_prefix(recipe: Recipe) -> str:
    """Return what stands before the names of binutils for a recipe's target, clang's code, too."""
    target = recipe.target
    name = recipe.compiler.path.name if target.is_native else Path(target.compiler).name
    return re.sub(r"(gcc|clang)(-[\d.]+)?$", "", name)


def marks(*, valgrind: bool, inside_package: bool) -> str:
    """Return the options by which a package's marks are heard, by valgrind or another one."""
    up = "../" if inside_package else ""
    ours = () if valgrind else ("-isystem", f"{up}{FOLDER}", "-include", f"{up}{FIRST}")
    return " ".join((*SWITCHES, *ours))


def place_instruments(home: Path, recipe: Recipe) -> None:
    """Put the assembler, and the header of marks, where the options say, if they do."""
    place_assembler(home, recipe.configuration, binutils_prefix(recipe))
    if any(one.endswith(FIRST) for one in recipe.configuration.opt.split()):
        shutil.copytree(HARNESS / FOLDER, home / FOLDER)
