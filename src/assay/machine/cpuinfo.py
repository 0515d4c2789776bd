# SPDX-License-Identifier: MIT
"""What the system says of its processors: flags, frequency, SUPERCOP's word, and what code lacks.

The file `cpuinfo` of a reports folder has the system's text, as it is, and a last line with the
frequency in MHz that the user confirmed. Nothing is measured here.

SUPERCOP's word consists of EBX, EDX and ECX of leaf 0, EAX and EDX of leaf 1, and the type of
core of leaf 26 where there is one (Intel, Software Developer's Manual, volume 2, CPUID). No
instruction is needed: Linux states family, model and stepping, of which the signature consists,
and names each feature of EDX. A feature that Linux has switched off is missing.

Which extensions object code uses is asked only when an illegal instruction was met: code that
chooses at run time may well contain what the processor does not have.
"""

import math
import platform
import re
from functools import reduce

from assay.errors import UsageError
from assay.machine.sources import LINUX, Sources, cpuinfo_fields

CPUINFO = "cpuinfo"
_FLAG_NAMES = frozenset({"flags", "Features", "features", "isa"})
CORE_TYPES_LEAF = 26
BASE_FAMILY = 15  # the field has four bits; what is beyond them is in the extended one
EDX = (
    *("fpu", "vme", "de", "pse", "tsc", "msr", "pae", "mce", "cx8", "apic", "", "sep", "mtrr"),
    *("pge", "mca", "cmov", "pat", "pse36", "pn", "clflush", "", "dts", "acpi", "mmx", "fxsr"),
    *("sse", "sse2", "ss", "ht", "tm", "ia64", "pbe"),
)
_HERTZ_PER_MHZ = 1e6
_KHZ_PER_MHZ = 1e3
_NUMBER = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,20})?")
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f]{1,16}")
_TSC_FLAGS = frozenset({"constant_tsc", "tsc_known_freq"})
EXTENSIONS = {
    "xop": r"\b(?:vprot[bwdq]|vpcmov|vpperm|vpmac\w+|vpmadcs\w+|vpsh[al][bwdq]|vfrcz\w+)\b",
    "fma4": r"\bvfn?m(?:add|sub)(?:sub|add)?[ps][sd]\b",
    "fma": r"\bvfn?m(?:add|sub)(?:sub|add)?(?:132|213|231)[ps][sd]\b",
    "sse4a": r"\b(?:extrq|insertq|movnts[sd])\b",
    "tbm": r"\b(?:blc(?:fill|ic?|msk|s)|bls(?:fill|ic)|t1mskc|tzmsk)\b",
    "avx512f": r"%zmm|%k[1-7]\b",
    "avx2": r"\bvp\w+ .*%ymm",
    "avx": r"\bv\w+ .*%[xy]mm",
    "sha_ni": r"\bsha(?:1|256)\w+",
    "aes": r"\bv?aes(?:enc|dec|imc|keygen)\w*",
    "pclmulqdq": r"\bv?pclmul\w+",
    "gfni": r"\bv?gf2p8\w+",
    "bmi2": r"\b(?:mulx|pdep|pext|rorx|s[ah][lr]x|bzhi)\b",
    "adx": r"\bad[co]x\b",
}


def cpu_flags(sources: Sources = LINUX) -> frozenset[str] | None:
    """Name what all processors can do (`avx2`, `asimd`, `zbb`); None if it is not told.

    A RISC-V isa string such as `rv64imafdcv_zba_zbb` is taken apart.
    """
    fields = cpuinfo_fields(sources.cpuinfo())
    sets = [_flags(name, value) for name, value in fields if name in _FLAG_NAMES]
    return reduce(frozenset.__and__, sets) if sets else None


def cpuinfo_text(mhz: float, sources: Sources = LINUX) -> str:
    """Compose the file's text."""
    told = sources.cpuinfo() or f"{platform.processor() or platform.machine()}"
    return f"{told}\n\n{mhz:.3f}\n"


def parse_mhz(text: str, cure: str = "Enter a number such as 1694.829.") -> float:
    """Read a frequency that somebody typed."""
    try:
        mhz = float(text)
    except ValueError:
        mhz = math.nan
    if not 0 < mhz < math.inf:
        raise UsageError(f"{text.strip()[:40]!r} is no clock speed in MHz", cure)
    return mhz


def _flags(name: str, value: str) -> frozenset[str]:
    """Split one line of flags."""
    if name != "isa":
        return frozenset(value.split())
    base, *extensions = value.lower().split("_")
    return frozenset([*base[4:], *extensions])


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


def cpu_mhz(sources: Sources = LINUX) -> float | None:
    """Return the nominal frequency in MHz, at which a constant time-stamp counter runs.

    On x86 with a constant counter that is half of BogoMIPS, which Linux computes
    from the counter's rate (arch/x86/kernel/tsc.c, `lpj_fine`); "cpu MHz" is the
    speed of the moment. Elsewhere: the base frequency, what /proc/cpuinfo says,
    the highest frequency. None where the system does not tell.
    """
    fields = cpuinfo_fields(sources.cpuinfo())
    answers = (
        _time_stamp_mhz(fields),
        _sysfs_mhz(sources, "cpu0/cpufreq/base_frequency"),
        _stated_mhz(fields),
        _sysfs_mhz(sources, "cpu0/cpufreq/cpuinfo_max_freq"),
    )
    return next((mhz for mhz in answers if mhz), None)


def _time_stamp_mhz(fields: list[tuple[str, str]]) -> float | None:
    """Halve BogoMIPS where the time-stamp counter is constant."""
    values = dict(reversed(fields))
    constant = not _TSC_FLAGS.isdisjoint(values.get("flags", "").split())
    return _number(values.get("bogomips", "")) / 2 if constant else None


def _stated_mhz(fields: list[tuple[str, str]]) -> float | None:
    """Find a frequency in /proc/cpuinfo: x86 and s390x, ppc, alpha, sparc."""
    values = dict(reversed(fields))
    if "Cpu0ClkTck" in values:
        return _hexadecimal(values["Cpu0ClkTck"]) / _HERTZ_PER_MHZ
    if "cycle frequency [Hz]" in values:
        return _number(values["cycle frequency [Hz]"]) / _HERTZ_PER_MHZ
    names = ("cpu MHz", "clock", "CPU MHz", "cpu MHz static")
    return next((_number(values[name]) for name in names if name in values), None)


def _sysfs_mhz(sources: Sources, name: str) -> float | None:
    """Read a frequency that /sys gives in kHz."""
    text = sources.cpu(name)
    return _number(text) / _KHZ_PER_MHZ if text else None


def _number(text: str) -> float:
    """Read the number at the start of a text; 0 if there is none."""
    match = _NUMBER.match(text)
    return float(match[0]) if match else 0.0


def _hexadecimal(text: str) -> float:
    """Read a whole text as a hexadecimal number; 0 if it is none, or absurd."""
    return float(int(text, 16)) if _HEXADECIMAL.fullmatch(text) else 0.0


def lacking(listing: str, sources: Sources = LINUX) -> tuple[str, ...]:
    """Name the extensions that disassembled code uses and this processor lacks, as Linux does.

    Empty where nothing is known: another architecture, or no listing.
    """
    flags = dict(cpuinfo_fields(sources.cpuinfo())).get("flags", "").split()
    used = (name for name, pattern in EXTENSIONS.items() if re.search(pattern, listing))
    return tuple(name for name in used if name not in flags) if flags else ()


def traps(listing: str) -> bool:
    """Return whether code of x86 has the illegal instruction that compilers use as a trap."""
    return re.search(r"\bud2\b", listing) is not None
