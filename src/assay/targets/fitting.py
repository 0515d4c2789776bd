# SPDX-License-Identifier: MIT
"""Which targets suit a package: its architecture, and what is below the agent there."""

from assay.model import Package, Runtime, Target

# What is told from the registers that an assembly text names (package/architecture.py).
FAMILIES = {
    "x86-64": ("amd64",),
    "32-bit x86": ("i386",),
    "AArch64": ("aarch64",),
    "SPARC": ("sparc64",),
    "PowerPC": ("ppc", "ppc64le"),
    "MIPS": ("mips-le", "mips-be"),
    "ARM": ("arm-le", "mixed-le", "thumb-le", "thumb2", "cortex-m0", "cortex-m4", "armv7"),
    "AVR": ("avr8",),
}


def fits(architecture: str | None, target: Target) -> bool:
    """Return whether code bound to `architecture` (None: to none) runs on the target."""
    if architecture is None:
        return True
    names = FAMILIES.get(architecture, (architecture,))
    return any(name in target.architectures for name in names)


def unsuited(package: Package, target: Target) -> str:
    """Explain why no code of the package runs on the target; empty if it may."""
    if package.kind == "operation" and target.runtime is not Runtime.LIBC:
        return f"packages of the SUPERCOP API need a C library ({target.runtime} here)"
    if not fits(package.architecture, target):
        return f"it is assembly for {package.architecture}"
    return ""
