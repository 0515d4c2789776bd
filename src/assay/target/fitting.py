# SPDX-License-Identifier: MIT
"""On which targets assembly for some architecture runs."""

from assay.model import Target

# What is told from the registers that an assembly text names (package/architecture.py).
FAMILIES = {
    "x86-64": ("amd64",),
    "32-bit x86": ("i386",),
    "AArch64": ("aarch64",),
    "SPARC": ("sparc64",),
    "PowerPC": ("ppc", "ppc64le"),
    "MIPS": ("mips-le", "mips-be"),
    "ARM": ("arm-le", "mixed-le", "armv7"),
}


def fits(architecture: str | None, target: Target) -> bool:
    """Whether code bound to `architecture` (None: to none) runs on the target."""
    if architecture is None:
        return True
    names = FAMILIES.get(architecture, (architecture,))
    return any(name in target.architectures for name in names)
