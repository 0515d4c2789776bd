# SPDX-License-Identifier: MIT
"""The machine's description, as it is stored beside results, and which Assay this is."""

import os
import platform
import shutil
import socket
import subprocess
from functools import cache
from pathlib import Path

import psutil

import assay
from assay.machine.cpuinfo import cpu_mhz, cpuid
from assay.machine.doctor import examine
from assay.machine.sources import LINUX, Sources, cpuinfo_fields
from assay.model import Machine

_CPU_NAMES = ("model name", "cpu model", "Processor", "uarch", "cpu", "processor 0", "Hardware")
_DETECT_SECONDS = 5
_SECONDS = 5


def describe(sources: Sources = LINUX) -> Machine:
    """Describe this machine; what the system does not tell is None."""
    governor = sources.cpu("cpu0/cpufreq/scaling_governor")
    turbo = _turbo(sources)
    virtualised = hypervisor(sources)
    return Machine(
        host=os.environ.get("HOSTNAME") or socket.gethostname(),
        cpu=_cpu(sources),
        architecture=platform.machine(),
        cores=_cores(),
        memory_bytes=psutil.virtual_memory().total,
        kernel=f"{platform.system()} {platform.release()}",
        system=_system(),
        mhz=cpu_mhz(sources),
        governor=governor,
        turbo=turbo,
        smt=sources.switch("smt/active"),
        virtualised=virtualised,
        notes=_notes(governor, virtualised, turbo=turbo),
        findings=examine(virtualised, sources),
        cpuid=cpuid(sources),
        microcode=_fields(sources).get("microcode", ""),
        libc=" ".join(filter(None, platform.libc_ver())),
    )


def _fields(sources: Sources) -> dict[str, str]:
    """Return what the kernel says of the first processor."""
    return dict(reversed(cpuinfo_fields(sources.cpuinfo())))


def _cpu(sources: Sources) -> str:
    """Name the processor as its maker does; the architecture where that is unknown."""
    values = _fields(sources)
    found = next((values[name] for name in _CPU_NAMES if values.get(name)), "")
    return found or platform.processor() or platform.machine()


def _cores() -> int:
    """Count the cores; processors where the system does not tell them apart."""
    return psutil.cpu_count(logical=False) or psutil.cpu_count() or 1


def _system() -> str:
    """Name the distribution."""
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        return platform.system()


def _turbo(sources: Sources) -> bool | None:
    """Return whether the clock may rise above its nominal frequency."""
    disabled = sources.switch("intel_pstate/no_turbo")
    return sources.switch("cpufreq/boost") if disabled is None else not disabled


def hypervisor(sources: Sources) -> str | None:
    """Name the hypervisor; None on bare metal or where there is no sign of one.

    systemd-detect-virt is asked if it is there. The processor's `hypervisor`
    flag alone does not name it.
    """
    detector = shutil.which("systemd-detect-virt") if sources is LINUX else None
    name = _detected(detector) if detector else ""
    flags = _fields(sources).get("flags", "")
    if name and name != "none":
        return name
    return "a hypervisor that is not named" if "hypervisor" in flags.split() else None


def _detected(detector: str) -> str:
    """Ask for the kind of virtual machine; containers do not count."""
    try:
        answer = subprocess.run(
            [detector, "--vm"],
            capture_output=True,
            text=True,
            timeout=_DETECT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.strip()


def _notes(
    governor: str | None, virtualised: str | None, *, turbo: bool | None
) -> tuple[str, ...]:
    """State which of the settings blur timings, a sentence each."""
    notes = []
    if virtualised == "qemu":
        notes.append(
            "The processor is emulated: figures say nothing of a real one, and are not compared "
            "with the processor time that was used."
        )
    elif virtualised:
        notes.append(f"Runs under {virtualised}: other guests may take time from it.")
    if turbo:
        notes.append("Turbo is on: the core clock is not the time-stamp counter's.")
    if governor not in {None, "performance"}:
        notes.append(f"The frequency governor is {governor}, not performance.")
    return tuple(notes)


@cache
def version_text() -> str:
    """Return `0.1.0`, in a clone with the commit: `0.1.0 (81800033, changed)`."""
    root = Path(assay.__file__).parents[2]
    if not (root / ".git").exists():
        return assay.__version__
    command = ("git", "-C", str(root), "describe", "--always", "--dirty=, changed", "--exclude=*")
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return assay.__version__
    return f"{assay.__version__} ({done.stdout.strip()})"
