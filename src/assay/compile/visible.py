# SPDX-License-Identifier: MIT
"""Making visible to valgrind what else takes a time that depends on its operands.

Memcheck complains of branches and addresses that depend on secret bytes, and of nothing else.
So the package is compiled with an assembler that first rewrites its input: before every
instruction of a kind it puts something that does nothing, and of which memcheck complains if
the operands are secret (`harness/visible/`).

- Divisions of integers take more or less time on many processors (KyberSlash, 2023).
- A prefetch loads a cache line, as a load does; memcheck sees no access in it.
- Floating-point operations are slower on denormal numbers (Andrysco et al., "On subnormal
  floating point and abnormal timing", 2015).
"""

import re
import shutil
from enum import StrEnum
from pathlib import Path

from assay.compile.parts import HARNESS
from assay.model import Configuration

OPTION = "-B"
LOOK = "look.awk"


class Visible(StrEnum):
    """What is made visible: the name of a program in `harness/visible/`, and of a folder."""

    PLAIN = ""
    DIVISIONS = "divisions"
    PREFETCHES = "prefetches"
    FLOATS = "floats"


def options(what: Visible, compiler_family: str, *, inside_package: bool) -> str:
    """Return the options that make a compiler use this assembler."""
    where = f"../{what}/" if inside_package else f"{what}/"
    own = "-no-integrated-as " if compiler_family == "clang" else ""
    return f"{own}{OPTION}{where}"


def place_assembler(home: Path, configuration: Configuration) -> None:
    """Put the assembler where the options say, if they do."""
    named = re.findall(rf"{OPTION}(?:\.\./)?(\w+)/(?!\S)", configuration.opt)
    for what in sorted({*named}.intersection(Visible)):
        folder = home / what
        folder.mkdir()
        shutil.copyfile(HARNESS / "visible" / LOOK, folder / LOOK)
        shutil.copyfile(HARNESS / f"visible/{what}.awk", folder / "rewrite.awk")
        script = folder / "as"
        shutil.copyfile(HARNESS / "visible" / "as.sh", script)
        script.chmod(0o755)
