# SPDX-License-Identifier: MIT
"""What of the machine blurs timings, what it costs in trust, and the command that fixes it.

Everything is read from /proc and /sys (Documentation/admin-guide/sysctl and
Documentation/ABI of Linux); what is not told there is said to be unknown.
"""

import os
from collections.abc import Callable

from msgspec import Struct

from assay.machine.processors import cpu_list, measuring_cpu
from assay.machine.sources import LINUX, Sources
from assay.machine.virtual import examine_container
from assay.model import Finding, Trust

_CPU = "/sys/devices/system/cpu"
_LOAD_COSTS, _LOAD_BADLY = 0.25, 0.75  # runnable processes per processor
_PRESSURE_COSTS = 1.0  # per cent of the last minute
_STEAL_COSTS, _STEAL_BADLY = 0.001, 0.01  # share of the time since the start
_MEMORY_COSTS, _MEMORY_BADLY = 2 << 30, 512 << 20
_PARANOID = 2  # up to this, processes may count their own cycles
_KIB = 1024


class Patient(Struct, frozen=True):
    """The machine, its hypervisor (None: none is seen), and the processor measured on."""

    sources: Sources
    hypervisor: str | None
    cpu: int | None
    processors: int

    def proc(self, name: str) -> str | None:
        """Read a file below /proc."""
        return self.sources.text(self.sources.proc / name)

    def sys(self, name: str) -> str | None:
        """Read a file below /sys."""
        return self.sources.text(self.sources.sys / name)


def examine(hypervisor: str | None, sources: Sources = LINUX) -> tuple[Finding, ...]:
    """Look at everything; `hypervisor` is what the machine runs under, None on bare metal."""
    patient = Patient(sources, hypervisor, measuring_cpu(sources), os.cpu_count() or 1)
    return tuple(_looked(look, patient) for look in TOPICS)


def _looked(look: Callable[[Patient], Finding], patient: Patient) -> Finding:
    """Look at one topic; what the kernel writes in a form of its own is not told."""
    try:
        return look(patient)
    except (ValueError, LookupError):
        topic = look.__name__.strip("_").replace("_", " ")
        return Finding(topic, Trust.UNKNOWN, f"{topic}: not understood")


def _virtual(patient: Patient) -> Finding:
    if patient.hypervisor is None:
        return Finding("virtualisation", Trust.GOOD, "no hypervisor")
    return Finding(
        "virtualisation",
        Trust.BADLY,
        f"virtual ({patient.hypervisor})",
        "Other guests use time and caches unseen, and the reported processor may not be the "
        "real one.",
        "Measure on the machine itself, or rent one without a hypervisor (bare metal).",
    )


def _container(patient: Patient) -> Finding:
    return examine_container(patient.sources)


def _counter(patient: Patient) -> Finding:
    devices = patient.sources.sys / "bus/event_source/devices"
    names = [path.name for path in devices.glob("*")] if devices.is_dir() else []
    present = any(name.startswith(("cpu", "armv", "power", "riscv")) for name in names)
    paranoid = patient.proc("sys/kernel/perf_event_paranoid")
    cost = "Cycles are ticks of a fixed clock times a factor: 2 % off at worst, not 0.5 %."
    if not present:
        cure = "Let the hypervisor pass the counters on (qemu: -cpu host,pmu=on)."
        return Finding("cycle counter", Trust.COSTS, "no cycle counter", cost, cure)
    if paranoid and int(paranoid) > _PARANOID and os.geteuid() != 0:
        state = f"cycle counter forbidden (perf_event_paranoid {paranoid})"
        cure = f"sysctl kernel.perf_event_paranoid={_PARANOID}"
        return Finding("cycle counter", Trust.COSTS, state, cost, cure)
    return Finding("cycle counter", Trust.GOOD, "cycle counter usable")


def _governor(patient: Patient) -> Finding:
    found = patient.sources.cpu(f"cpu{patient.cpu or 0}/cpufreq/scaling_governor")
    if found is None:
        return Finding("governor", Trust.UNKNOWN, "governor unknown")
    if found == "performance":
        return Finding("governor", Trust.GOOD, "governor performance")
    cost = "The clock follows the load: the first launches run slower than the later ones."
    cure = f"echo performance | tee {_CPU}/cpu*/cpufreq/scaling_governor"
    return Finding("governor", Trust.COSTS, f"governor {found}", cost, cure)


def _turbo(patient: Patient) -> Finding:
    disabled = patient.sources.switch("intel_pstate/no_turbo")
    boost = patient.sources.switch("cpufreq/boost")
    on = not disabled if disabled is not None else boost
    if on is None:
        return Finding("turbo", Trust.UNKNOWN, "turbo unknown")
    if not on:
        return Finding("turbo", Trust.GOOD, "turbo off")
    cost = "The clock depends on temperature and on what other cores do."
    cure = (
        f"echo 1 > {_CPU}/intel_pstate/no_turbo"
        if disabled is not None
        else f"echo 0 > {_CPU}/cpufreq/boost"
    )
    return Finding("turbo", Trust.COSTS, "turbo on", cost, cure)


def _threads(patient: Patient) -> Finding:
    text = patient.sources.cpu(f"cpu{patient.cpu}/topology/thread_siblings_list")
    siblings = sorted(cpu_list(text or "") - {patient.cpu or 0})
    if patient.hypervisor is not None and not siblings:
        cost = "Another guest, or our own other processor, may be the other half of the core."
        return Finding("threads", Trust.UNKNOWN, "threads per core unknown", cost)
    if not siblings:
        return Finding("threads", Trust.GOOD, "one thread on the measured core")
    names = ", ".join(map(str, siblings))
    cost = "What runs there takes a quarter of the core's speed from the measured thread."
    cure = f"echo off > {_CPU}/smt/control"
    return Finding("threads", Trust.COSTS, f"processor {names} on the same core", cost, cure)


def _load(patient: Patient) -> Finding:
    text = patient.proc("loadavg")
    if not text:
        return Finding("load", Trust.UNKNOWN, "load unknown")
    load = float(text.split()[0])
    share = load / patient.processors
    state = f"load {load:.2f} on {patient.processors} processors"
    if share <= _LOAD_COSTS:
        return Finding("load", Trust.GOOD, state)
    trust = Trust.BADLY if share > _LOAD_BADLY else Trust.COSTS
    cost = "Launches are disturbed and repeated; the rest shares caches with what else runs."
    return Finding("load", trust, state, cost, "Stop what `top` shows, and wait a minute.")


def _pressure(patient: Patient) -> Finding:
    text = patient.proc("pressure/cpu") or ""
    fields = dict(word.split("=", 1) for word in text.partition("\n")[0].split() if "=" in word)
    if "avg60" not in fields:
        return Finding("pressure", Trust.UNKNOWN, "processor pressure unknown")
    share = float(fields["avg60"])
    state = f"processes waited for a processor in {share:.1f} % of the last minute"
    if share <= _PRESSURE_COSTS:
        return Finding("pressure", Trust.GOOD, state)
    cost = "Something competes for the processors."
    return Finding("pressure", Trust.COSTS, state, cost, "Stop what `top` shows.")


def _steal(patient: Patient) -> Finding:
    first = (patient.proc("stat") or "").partition("\n")[0].split()
    if len(first) < 9 or first[0] != "cpu":  # the name and eight times
        return Finding("steal", Trust.UNKNOWN, "stolen time unknown")
    times = [int(one) for one in first[1:9]]
    share = times[7] / max(sum(times), 1)
    state = f"{100 * share:.2f} % of all time went to other guests"
    if share <= _STEAL_COSTS:
        return Finding("steal", Trust.GOOD, state)
    trust = Trust.BADLY if share > _STEAL_BADLY else Trust.COSTS
    cost = "The hypervisor gives the processor away in the middle of a measurement."
    return Finding("steal", trust, state, cost, "Ask for dedicated processors.")


def _isolation(patient: Patient) -> Finding:
    isolated = cpu_list(patient.sources.cpu("isolated") or "")
    if patient.processors == 1:
        cost = "The bench itself runs where it measures."
        return Finding("isolation", Trust.COSTS, "one processor only", cost, "Use two or more.")
    if patient.cpu in isolated:
        return Finding("isolation", Trust.GOOD, f"processor {patient.cpu} is isolated")
    cost = (
        "Any process may run on the same processor as the measured one; such launches are marked."
    )
    cure = f"Boot with isolcpus={patient.cpu} nohz_full={patient.cpu} rcu_nocbs={patient.cpu}."
    state = f"processor {patient.cpu} not isolated"
    return Finding("isolation", Trust.COSTS, state, cost, cure)


def _placement(patient: Patient) -> Finding:
    found = patient.proc("sys/kernel/randomize_va_space")
    if found is None:
        return Finding("placement", Trust.UNKNOWN, "random placement unknown")
    if found == "2":
        return Finding("placement", Trust.GOOD, "memory placed at random")
    cost = "All launches have the same addresses, so an unlucky one stays in every figure."
    cure = "sysctl kernel.randomize_va_space=2"
    return Finding("placement", Trust.COSTS, "memory not placed at random", cost, cure)


def _huge_pages(patient: Patient) -> Finding:
    found = patient.sys("kernel/mm/transparent_hugepage/enabled")
    if found is None:
        return Finding("huge pages", Trust.UNKNOWN, "huge pages unknown")
    if "[always]" not in found:
        return Finding("huge pages", Trust.GOOD, "huge pages on request only")
    cost = "Whether a launch gets huge pages is chance; agility depends on it."
    cure = "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"
    return Finding("huge pages", Trust.COSTS, "huge pages given at will", cost, cure)


def _throttling(patient: Patient) -> Finding:
    name = f"cpu{patient.cpu}/thermal_throttle/core_throttle_count"
    found = patient.sources.cpu(name)
    if found is None:
        return Finding("heat", Trust.UNKNOWN, "throttling unknown")
    if found == "0":
        return Finding("heat", Trust.GOOD, "never throttled")
    cost = "The core was slowed down because it was too hot."
    return Finding("heat", Trust.COSTS, f"throttled {found} times", cost, "Cool the machine.")


def _memory(patient: Patient) -> Finding:
    lines = (line.split() for line in (patient.proc("meminfo") or "").splitlines())
    known = {words[0]: int(words[1]) * _KIB for words in lines if len(words) > 1}
    free = known.get("MemAvailable:")
    if free is None:
        return Finding("memory", Trust.UNKNOWN, "free memory unknown")
    state = f"{free / (1 << 30):.1f} GiB of memory free"
    if free >= _MEMORY_COSTS:
        return Finding("memory", Trust.GOOD, state)
    trust = Trust.BADLY if free < _MEMORY_BADLY else Trust.COSTS
    cost = "The kernel takes caches away and may swap while something is timed."
    return Finding("memory", trust, state, cost, "End what takes memory.")


TOPICS: tuple[Callable[[Patient], Finding], ...] = (
    _virtual,
    _container,
    _counter,
    _governor,
    _turbo,
    _threads,
    _load,
    _pressure,
    _steal,
    _isolation,
    _placement,
    _huge_pages,
    _throttling,
    _memory,
)
