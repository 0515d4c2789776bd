# SPDX-License-Identifier: MIT
"""How a program for some target is started on this machine, if it can be."""

import platform
import re
import shutil
from pathlib import Path

_SPELLINGS = (
    (r"amd64", "x86_64"),
    (r"i[3-6]86", "i386"),
    (r"arm64", "aarch64"),
    (r"arm(?!eb).*", "arm"),
    (r"powerpc(.*)", r"ppc\1"),
    (r"parisc.*", "hppa"),
)
_FAMILIES = (
    (r"x86_64|i386", "x86"),
    (r"aarch64.*", "aarch64"),
    (r"arm.*", "arm"),
    (r"ppc.*", "ppc"),
    (r"mips.*", "mips"),
    (r"sparc.*", "sparc"),
    (r"riscv.*", "riscv"),
    (r"s390x", "s390x"),
    (r"alpha.*", "alpha"),
    (r"hppa.*", "hppa"),
)


def processor(target: str) -> str:
    """Name the processor of a target (`mips-linux-gnu`) or machine, as qemu spells it."""
    cpu = target.split("-", 1)[0].lower()
    for form, name in _SPELLINGS:
        match = re.fullmatch(form, cpu)
        if match:
            return match.expand(name)
    return cpu


def processor_family(target: str) -> str:
    """Name the family whose options a target takes; empty if it is unknown."""
    cpu = processor(target)
    return next((name for form, name in _FAMILIES if re.fullmatch(form, cpu)), "")


def is_native(target: str) -> bool:
    """Return whether programs for the target run here, without help."""
    if platform.system().lower() not in target:
        return False
    here, there = processor(platform.machine()), processor(target)
    return here == there or (here, there) == ("x86_64", "i386")


def runner(target: str) -> tuple[str, ...] | None:
    """Return the words to put before a program: none here, qemu for others, None without it."""
    if is_native(target):
        return ()
    name = f"qemu-{processor(target)}"
    qemu = shutil.which(name) or shutil.which(f"{name}-static")
    if qemu is None or "linux" not in target:
        return None
    libraries = Path("/usr") / target
    return (qemu, "-L", str(libraries)) if libraries.is_dir() else (qemu,)
