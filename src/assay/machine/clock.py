# SPDX-License-Identifier: MIT
"""The clock frequency that the machine states. Nothing is measured here."""

import re

from assay.machine.sources import LINUX, Sources, cpuinfo_fields

_HERTZ_PER_MHZ = 1e6
_KHZ_PER_MHZ = 1e3
_NUMBER = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,20})?")
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f]{1,16}")
_TSC_FLAGS = frozenset({"constant_tsc", "tsc_known_freq"})


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
