# SPDX-License-Identifier: MIT
"""What the doctor says of machines: simulated ones, as kernels of several kinds tell it."""

import os
from pathlib import Path

import pytest

from assay.machine.doctor import TOPICS, Patient, examine
from assay.machine.sources import Sources
from assay.model import Finding, Machine, Trust

PROC = {
    "loadavg": "0.05 0.10 0.20 1/200 4242",
    "pressure/cpu": "some avg10=0.00 avg60=0.10 avg300=0.00 total=5\nfull avg10=0.00 total=0",
    "stat": "cpu  1000 0 500 98500 0 0 0 0 0 0\ncpu0 1 0 0 9 0 0 0 0 0 0",
    "meminfo": "MemTotal: 16000000 kB\nMemAvailable:    8000000 kB\n",
    "sys/kernel/randomize_va_space": "2",
    "sys/kernel/perf_event_paranoid": "2",
}
SYS = {
    "bus/event_source/devices/cpu/type": "4",
    "kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
}
CPU = {
    "cpu3/cpufreq/scaling_governor": "performance",
    "cpu3/topology/thread_siblings_list": "3",
    "cpu3/thermal_throttle/core_throttle_count": "0",
    "intel_pstate/no_turbo": "1",
    "isolated": "2-3",
}


def patient(folder: Path, hypervisor: str | None = None, **changed: str | None) -> Patient:
    """Make a tuned machine of four processors; `proc:...`, `sys:...`, `cpu:...` change files."""
    files = {f"proc:{name}": text for name, text in PROC.items()}
    files |= {f"sys:{name}": text for name, text in SYS.items()}
    files |= {f"cpu:{name}": text for name, text in CPU.items()}
    for name, text in (files | changed).items():
        kind, _, path = name.partition(":")
        below = {"proc": "proc", "sys": "sys", "cpu": "sys/devices/system/cpu"}[kind]
        if text is not None:
            file = folder / below / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{text}\n")
    return Patient(Sources(folder / "proc", folder / "sys", folder), hypervisor, 3, 4)


def findings(patient: Patient) -> dict[str, Finding]:
    """Ask about everything."""
    return {one.topic: one for one in (look(patient) for look in TOPICS)}


def machine(found: tuple[Finding, ...]) -> Machine:
    """Make a machine with these findings."""
    return Machine("h", "C", "x", 1, 1, "k", "s", None, None, None, None, None, (), found)


def test_a_tuned_machine_is_of_class_a(tmp_path: Path) -> None:
    """Nothing costs trust, and nothing needs a cure."""
    found = findings(patient(tmp_path))
    assert {one.trust for one in found.values()} == {Trust.GOOD}
    assert not any(one.cure for one in found.values())
    assert machine(tuple(found.values())).trust_class == "A"


@pytest.mark.parametrize(
    ("topic", "changed", "trust", "cure"),
    [
        ("governor", {"cpu:cpu3/cpufreq/scaling_governor": "powersave"}, Trust.COSTS, "tee"),
        ("turbo", {"cpu:intel_pstate/no_turbo": "0"}, Trust.COSTS, "no_turbo"),
        ("threads", {"cpu:cpu3/topology/thread_siblings_list": "1,3"}, Trust.COSTS, "smt/control"),
        ("load", {"proc:loadavg": "1.50 1 1 1/2 3"}, Trust.COSTS, "top"),
        ("load", {"proc:loadavg": "9.00 1 1 1/2 3"}, Trust.BADLY, "top"),
        ("pressure", {"proc:pressure/cpu": "some avg10=9 avg60=9.5 total=1"}, Trust.COSTS, "top"),
        ("steal", {"proc:stat": "cpu  100 0 0 9000 0 0 0 900 0 0"}, Trust.BADLY, "dedicated"),
        ("isolation", {"cpu:isolated": ""}, Trust.COSTS, "isolcpus=3"),
        ("placement", {"proc:sys/kernel/randomize_va_space": "0"}, Trust.COSTS, "sysctl"),
        (
            "huge pages",
            {"sys:kernel/mm/transparent_hugepage/enabled": "[always] madvise never"},
            Trust.COSTS,
            "madvise",
        ),
        ("heat", {"cpu:cpu3/thermal_throttle/core_throttle_count": "17"}, Trust.COSTS, "Cool"),
        ("memory", {"proc:meminfo": "MemAvailable: 100000 kB"}, Trust.BADLY, "memory"),
        ("cycle counter", {"sys:bus/event_source/devices/cpu/type": None}, Trust.COSTS, "pmu"),
    ],
)
def test_each_defect_costs_trust_and_has_a_cure(
    tmp_path: Path, topic: str, changed: dict[str, str | None], trust: Trust, cure: str
) -> None:
    """It alone is found, with what it costs and what to do."""
    found = findings(patient(tmp_path, **changed))
    assert found[topic].trust is trust
    assert found[topic].cost
    assert cure in found[topic].cure
    assert {t for t, one in found.items() if one.trust is not Trust.GOOD} == {topic}


def test_a_forbidden_counter_is_no_missing_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian's default of 3 keeps it from users, and one command gives it back."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    found = findings(patient(tmp_path, **{"proc:sys/kernel/perf_event_paranoid": "3"}))
    assert found["cycle counter"].cure == "sysctl kernel.perf_event_paranoid=2"


def test_a_virtual_machine_is_of_class_c(tmp_path: Path) -> None:
    """Whatever else is in order; the report says it in one line."""
    found = findings(patient(tmp_path, hypervisor="kvm"))
    assert found["virtualisation"].trust is Trust.BADLY
    there = machine(tuple(found.values()))
    assert there.trust_class == "C"
    assert there.diagnosis == "virtual (kvm) (class C)"


def test_what_is_not_told_is_unknown_and_not_good(tmp_path: Path) -> None:
    """An empty /proc and /sys, as other kernels have."""
    sources = Sources(tmp_path, tmp_path, tmp_path)
    told = {one.topic: one.trust for one in examine(None, sources)}
    seen = told.keys() - {"virtualisation", "container", "threads"}
    assert Trust.GOOD not in {told[topic] for topic in seen}
    assert told["load"] is told["steal"] is told["heat"] is Trust.UNKNOWN


def test_files_in_an_unknown_form_end_nothing(tmp_path: Path) -> None:
    """The next kernel may write them otherwise."""
    for name in PROC:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("garbage\n")
    told = {one.topic: one.trust for one in examine(None, Sources(tmp_path, tmp_path))}
    assert told["load"] is Trust.UNKNOWN


def test_a_machine_that_nobody_examined_has_no_class() -> None:
    """Results of older versions."""
    assert machine(()).trust_class is None
    assert machine(()).diagnosis == ""
