# SPDX-License-Identifier: MIT
"""What others take of the machine, as Linux tells it."""

from pathlib import Path

import pytest

from assay.machine.processors import Usage, cpu_list, neighbours, usage
from assay.machine.sources import Sources

STAT = """cpu  0 0 0 0 0 0 0 0 0 0
cpu0 100 0 50 1000 5 0 5 7 0 0
cpu1 10 0 0 1000 0 0 0 300 0 0
cpu2 1 0 0 1000 0 0 0 0 0 0
intr 1 2
"""
PRESSURE = "some avg10=32.92 avg60=39.13 avg300=18.42 total=2500000\nfull avg10=0.0 total=0\n"


def sources(folder: Path, flags: str = "fpu", siblings: str = "1-2") -> Sources:
    """Make a /proc and a /sys of three processors."""
    (folder / "proc/pressure").mkdir(parents=True)
    (folder / "proc/stat").write_text(STAT)
    (folder / "proc/pressure/cpu").write_text(PRESSURE)
    (folder / "proc/cpuinfo").write_text(f"flags : {flags}\n")
    topology = folder / "sys/devices/system/cpu/cpu1/topology"
    topology.mkdir(parents=True)
    (topology / "thread_siblings_list").write_text(f"{siblings}\n")
    return Sources(folder / "proc", folder / "sys")


@pytest.mark.parametrize(
    ("text", "processors"),
    [("0", {0}), ("0-3,8", {0, 1, 2, 3, 8}), ("", set()), ("1,5\n", {1, 5})],
)
def test_lists_of_processors_are_read_as_the_kernel_writes_them(
    text: str, processors: set[int]
) -> None:
    """Documentation/admin-guide/cputopology.rst."""
    assert cpu_list(text) == processors


def test_on_real_machines_the_threads_of_the_core_are_neighbours(tmp_path: Path) -> None:
    """Another core's work is not."""
    assert neighbours(1, sources(tmp_path)) == {2}


def test_in_a_virtual_machine_every_other_processor_may_be_one(tmp_path: Path) -> None:
    """What it is told of its cores need not be true."""
    assert neighbours(1, sources(tmp_path, flags="fpu hypervisor")) == {0, 2}


def test_steal_and_pressure_are_read_in_seconds(tmp_path: Path) -> None:
    """300 steps of a hundredth on processor 1, 2.5 million microseconds."""
    used = usage(1, sources(tmp_path))
    assert used.steal_seconds == pytest.approx(3.0)
    assert used.pressure_seconds == pytest.approx(2.5)


def test_a_system_that_tells_nothing_gives_nothing(tmp_path: Path) -> None:
    """Unknown is None and not 0."""
    used = usage(0, Sources(tmp_path, tmp_path))
    assert (used.steal_seconds, used.pressure_seconds, used.beside_seconds) == (None,) * 3


def test_use_between_two_moments_is_never_negative() -> None:
    """Our own time is taken off, and may be counted earlier than the processor's."""
    first, last = Usage(1.0, 0.5, None, 2.0), Usage(3.0, 0.7, 1.0, 1.9)
    between = last.since(first)
    assert (between.at, between.pressure_seconds, between.beside_seconds) == (2.0, None, 0.0)
    assert between.steal_seconds == pytest.approx(0.2)
