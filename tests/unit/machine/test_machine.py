# SPDX-License-Identifier: MIT
"""What the system tells about the processor, in the forms of several kernels."""

import ctypes
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.machine.cpuinfo import cpu_flags, cpu_mhz, cpuinfo_text, parse_mhz
from assay.machine.describe import describe
from assay.machine.sources import Sources

AMD64 = """\
processor\t: 0
model name\t: A processor
cpu MHz\t\t: 800.000
flags\t\t: fpu sse2 constant_tsc hypervisor
bogomips\t: 3389.66

processor\t: 1
model name\t: A processor
cpu MHz\t\t: 3200.000
flags\t\t: fpu sse2 avx constant_tsc hypervisor
bogomips\t: 3389.70
"""


def _sources(folder: Path, cpuinfo: str | None = None, **cpu: str) -> Sources:
    """Make a /proc and a /sys; `__` in a name stands for a slash."""
    proc, sys = folder / "proc", folder / "sys"
    proc.mkdir()
    if cpuinfo is not None:
        proc.joinpath("cpuinfo").write_text(cpuinfo)
    for name, text in cpu.items():
        path = sys / "devices/system/cpu" / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return Sources(proc, sys)


def test_a_constant_counter_gives_the_frequency_and_not_the_speed_of_the_moment(
    tmp_path: Path,
) -> None:
    """Half of BogoMIPS, of the first processor."""
    assert cpu_mhz(_sources(tmp_path, AMD64)) == pytest.approx(1694.83)


@pytest.mark.parametrize(
    ("cpuinfo", "mhz"),
    [
        ("cpu MHz\t\t: 1694.829\nflags\t: fpu\nbogomips : 3000\n", 1694.829),
        ("cpu\t\t: POWER9\nclock\t\t: 3800.000000MHz\n", 3800.0),
        ("cpu model\t: EV6\ncycle frequency [Hz]\t: 500000000 est.\n", 500.0),
        ("cpu\t\t: UltraSparc\nCpu0ClkTck\t: 000000003b9aca00\n", 1000.0),
        ("cpu MHz static\t: 5200\n", 5200.0),
        ("BogoMIPS\t: 108.00\nFeatures\t: fp asimd\n", None),
        ("", None),
    ],
)
def test_every_kernel_has_its_own_words_for_the_frequency(
    tmp_path: Path, cpuinfo: str, mhz: float | None
) -> None:
    """What is unknown is None and never 0."""
    assert cpu_mhz(_sources(tmp_path, cpuinfo)) == mhz


def test_sysfs_tells_what_cpuinfo_does_not(tmp_path: Path) -> None:
    """As on Arm; in kHz."""
    sources = _sources(tmp_path, None, cpu0__cpufreq__cpuinfo_max_freq="2400000")
    assert cpu_mhz(sources) == pytest.approx(2400.0)


def test_flags_are_those_that_all_processors_have(tmp_path: Path) -> None:
    """A program may move from one to another."""
    expected = frozenset({"fpu", "sse2", "constant_tsc", "hypervisor"})
    assert cpu_flags(_sources(tmp_path, AMD64)) == expected


def test_an_isa_string_is_taken_apart(tmp_path: Path) -> None:
    """Letters first, then named extensions."""
    flags = cpu_flags(_sources(tmp_path, "isa\t: rv64imafdcv_zba_zbb\n"))
    assert flags == frozenset({*"imafdcv", "zba", "zbb"})


def test_flags_that_are_not_told_are_none(tmp_path: Path) -> None:
    """Which is another thing than a processor without any."""
    assert cpu_flags(_sources(tmp_path)) is None


def test_the_description_has_the_switches_that_blur_timings(tmp_path: Path) -> None:
    """Each with a note."""
    sources = _sources(
        tmp_path,
        AMD64,
        cpu0__cpufreq__scaling_governor="powersave",
        intel_pstate__no_turbo="0",
        smt__active="1",
    )
    machine = describe(sources)
    assert machine.cpu == "A processor"
    assert (machine.governor, machine.turbo, machine.smt) == ("powersave", True, True)
    assert machine.virtualised == "a hypervisor that is not named"
    assert len(machine.notes) == 3


def test_the_description_has_microcode_and_the_c_library(tmp_path: Path) -> None:
    """Microcode as the kernel states it, the C library as it names itself."""
    machine = describe(_sources(tmp_path, "model name : A processor\nmicrocode : 0xd000410\n"))
    assert machine.settings["microcode"] == "0xd000410"
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        pytest.skip("the C library is not glibc, which alone names itself")
    library.gnu_get_libc_version.restype = ctypes.c_char_p
    version = library.gnu_get_libc_version().decode()
    assert machine.settings["C library"] == f"glibc {version}"
    assert "microcode" not in describe(Sources(tmp_path, tmp_path)).settings


def test_what_the_system_does_not_tell_is_none(tmp_path: Path) -> None:
    """Nothing is guessed."""
    machine = describe(_sources(tmp_path))
    unknown = (machine.mhz, machine.governor, machine.turbo, machine.smt, machine.virtualised)
    assert unknown == (None,) * 5
    assert machine.notes == ()
    assert machine.cpu


def test_this_machine_can_be_described() -> None:
    """With the real /proc and /sys."""
    machine = describe()
    assert machine.cores >= 1
    assert machine.memory_bytes > 2**20
    assert machine.architecture
    assert machine.kernel


def test_cpuinfo_is_raw_text_and_the_frequency_on_the_last_line(tmp_path: Path) -> None:
    """As the original has it."""
    text = cpuinfo_text(1694.8291, _sources(tmp_path, AMD64))
    assert text.startswith(AMD64.rstrip())
    assert text.splitlines()[-1] == "1694.829"


@pytest.mark.parametrize("text", ["", "x: y", "-5", "nan", "inf", "0"])
def test_what_is_no_frequency_is_an_error_with_a_cure(text: str) -> None:
    """A frequency of 0 would make all figures 0."""
    with pytest.raises(UsageError, match="no clock speed") as caught:
        parse_mhz(text)
    assert "1694.829" in caught.value.cure
