# SPDX-License-Identifier: MIT
"""SUPERCOP's word for an x86 processor: vendor, signature, and the oldest features.

They are EBX, EDX and ECX of leaf 0, EAX and EDX of leaf 1, and the type of core of leaf 26
where there is one (Intel, Software Developer's Manual, volume 2, CPUID). No instruction is
needed: Linux states family, model and stepping, of which the signature consists, and names
each feature of EDX. A feature that Linux has switched off is missing.
"""

from assay.machine.sources import LINUX, Sources, cpuinfo_fields

CORE_TYPES_LEAF = 26
BASE_FAMILY = 15  # the field has four bits; what is beyond them is in the extended one
EDX = (
    *("fpu", "vme", "de", "pse", "tsc", "msr", "pae", "mce", "cx8", "apic", "", "sep", "mtrr"),
    *("pge", "mca", "cmov", "pat", "pse36", "pn", "clflush", "", "dts", "acpi", "mmx", "fxsr"),
    *("sse", "sse2", "ss", "ht", "tm", "ia64", "pbe"),
)


def cpuid(sources: Sources = LINUX) -> str:
    """Return the word; empty on other processors, and of cores of several types."""
    known = dict(reversed(cpuinfo_fields(sources.cpuinfo())))
    hybrid = (sources.sys / "devices/cpu_atom").exists()
    try:
        signed = signature(*(int(known[name]) for name in ("cpu family", "model", "stepping")))
        leaves = int(known["cpuid level"])
    except (KeyError, ValueError):
        return ""
    if hybrid:
        return ""
    flags = known.get("flags", "").split()
    features = sum(1 << bit for bit, name in enumerate(EDX) if name in flags)
    kind = ("00",) if leaves >= CORE_TYPES_LEAF else ()
    return "-".join((known.get("vendor_id", ""), f"{signed:08x}", *kind, f"{features:08x}"))


def signature(family: int, model: int, stepping: int) -> int:
    """Return EAX of leaf 1."""
    base, extended = min(family, BASE_FAMILY), max(0, family - BASE_FAMILY)
    return extended << 20 | model >> 4 << 16 | base << 8 | (model & 15) << 4 | stepping
