# SPDX-License-Identifier: MIT
"""Exact counts: the plugin against qemu's own log, the runner against the data sheet."""

import os
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.execute import counting
from assay.execute.counting import Counting, Counts, Executed, difference, placed, plugin
from assay.execute.jail import Jail, Limits
from assay.execute.ranges import AddressRange, ranges_of
from assay.execute.staging import staged_folder

HARNESS = Path(counting.__file__).parents[1] / "harness"
PACKAGE = r"""
unsigned work(unsigned char *p, unsigned n)
{
    unsigned s = 1;
    while (n--) {
        s = s * 33 + *p++;
        if (s & 4)
            s ^= n;
    }
    return s;
}
unsigned slanted(unsigned char *p)
{
    unsigned s = 0, i;
    for (i = 0; i < 10; i++)
        s += *(volatile unsigned *)(p + 1 + 4 * i);
    *(volatile unsigned short *)(p + 3) = 1;
    return s;
}
"""
MAIN = r"""
unsigned work(unsigned char *, unsigned), slanted(unsigned char *);
static unsigned char bytes[1000] __attribute__((aligned(8)));
void _start(void)
{
    volatile unsigned sum = work(bytes, 1000) + slanted(bytes);
    (void)sum;
    EXIT
}
"""


@dataclass(frozen=True)
class Machine:
    """A compiler, an emulator, and how a program ends there."""

    name: str
    compiler: tuple[str, ...]
    emulator: str
    leave: str


MACHINES = (
    Machine(
        "amd64", ("gcc",), "qemu-x86_64",
        '__asm__ volatile("mov $231, %eax\\n\\txor %edi, %edi\\n\\tsyscall");',
    ),
    Machine(
        "thumb", ("arm-linux-gnueabi-gcc", "-mthumb", "-march=armv7-a", "-mno-unaligned-access"),
        "qemu-arm", '__asm__ volatile("mov r7, #1\\n\\tmov r0, #0\\n\\tsvc 0");',
    ),
    Machine(
        "riscv64", ("riscv64-linux-gnu-gcc",), "qemu-riscv64",
        '__asm__ volatile("li a7, 93\\n\\tli a0, 0\\n\\tecall");',
    ),
)  # fmt: skip


@pytest.fixture(scope="module", params=MACHINES, ids=lambda one: one.name)
def machine(request: pytest.FixtureRequest) -> Machine:
    """Give a machine that is here."""
    one: Machine = request.param
    for program in (one.compiler[0], one.emulator):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    return one


@pytest.fixture(scope="module")
def program(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a program of a package and something around it, without any library."""
    folder = tmp_path_factory.mktemp("counted")
    (folder / "package.c").write_text(PACKAGE)
    (folder / "main.c").write_text(MAIN.replace("EXIT", machine.leave))
    options = ["-O1", "-fno-stack-protector", "-fcf-protection=none"]
    options = options if machine.name == "amd64" else options[:2]
    for source in ("package.c", "main.c"):
        subprocess.run([*machine.compiler, *options, "-c", source], cwd=folder, check=True)
    link = ["-nostdlib", "-static", "-no-pie", "main.o", "package.o", "-o", "program"]
    subprocess.run([*machine.compiler, *link], cwd=folder, check=True)
    return folder / "program"


def count(machine: Machine, program: Path, *, memory: bool = False) -> Counts:
    """Run the program under the plugin; give what it counts."""
    ranges = ranges_of(program, [program.parent / "package.o"])
    with Counting(ranges, memory=memory) as counting:
        words = [machine.emulator, *counting.plugin_words(program.parent), str(program)]
        subprocess.run(words, pass_fds=counting.descriptors, check=True)
        return counting.read()


def logged(machine: Machine, program: Path, ranges: tuple[AddressRange, ...]) -> Counter[str]:
    """Count what qemu itself logs when it translates and runs instruction by instruction."""
    log = program.with_suffix(".log")
    words = [machine.emulator, "-singlestep", "-d", "exec,nochain", "-D", str(log), str(program)]
    subprocess.run(words, check=True)
    found: Counter[str] = Counter()
    for line in log.read_text().splitlines():
        if line.startswith("Trace"):
            address = int(line.split("[")[1].split("/")[1], 16)
            names = [one.name for one in ranges if one.start <= address < one.end]
            found[names[0] if names else "elsewhere"] += 1
    return found


def test_the_plugin_counts_what_qemu_logs(machine: Machine, program: Path) -> None:
    """Function by function, and what lies outside of them; ranges that touch stay apart."""
    ranges = ranges_of(program, [program.parent / "package.o"])
    assert [one.name for one in ranges] == ["work", "slanted"]
    assert ranges[0].end == ranges[1].start
    counts = count(machine, program)
    expected = logged(machine, program, ranges)
    assert expected["work"] > 5000
    found = {name: tally.instructions for name, tally in counts.functions.items()}
    assert dict(expected) == {**found, "elsewhere": counts.elsewhere.instructions}


def test_two_runs_count_the_same(machine: Machine, program: Path) -> None:
    """Exact means that nothing of the machine's moment is in it."""
    assert count(machine, program) == count(machine, program)


def test_accesses_are_counted_where_asked(machine: Machine, program: Path) -> None:
    """A thousand loads; ten words and a half-word that are not aligned."""
    counts = count(machine, program, memory=True)
    work, slanted = counts.functions["work"], counts.functions["slanted"]
    assert (work.loads, work.misaligned) == (1000 + (machine.name == "amd64"), 0)  # ret loads
    assert slanted.misaligned == 11
    assert count(machine, program).package.instructions == counts.package.instructions
    assert count(machine, program).package.loads == 0


def test_the_plugin_refuses_files_that_do_not_fit(machine: Machine, program: Path) -> None:
    """Ranges that overlap, and a file that is none: told, and nothing runs."""
    with Counting(
        [AddressRange("a", 0x1000, 0x2000), AddressRange("b", 0x1800, 0x3000)]
    ) as counting:
        words = [machine.emulator, *counting.plugin_words(program.parent), str(program)]
        done = subprocess.run(
            words, pass_fds=counting.descriptors, capture_output=True, text=True, check=False
        )
        assert done.returncode != 0
        assert "one range for each slot" in done.stderr
    bad = f"{placed(plugin(), program.parent)},counts={program},ranges={program}"
    words = [machine.emulator, "-plugin", bad, str(program)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "no counts file" in done.stderr


def test_counts_come_out_of_the_jail(machine: Machine, program: Path, jail: Jail) -> None:
    """The jailed emulator has the counters' descriptor, and no file to write to."""
    limits = Limits(memory_bytes=64 << 30)
    with (
        staged_folder("assay-test-") as home,
        Counting(ranges_of(program, [program.parent / "package.o"])) as counting,
    ):
        place = Path(shutil.copy(program, home))
        words = [machine.emulator, *counting.plugin_words(home), str(place)]
        with jail.confined(words, home, limits, writable=False) as confined:
            descriptors = (*counting.descriptors, *confined.descriptors)
            subprocess.run(confined.words, pass_fds=descriptors, check=True)
        assert counting.read().functions == count(machine, program).functions


# ---- AVR


# ---- the bench's side


def test_counters_begin_at_zero_and_differ() -> None:
    """A reading knows each function, and a difference leaves what was before out."""
    with Counting(
        [AddressRange("f", 16, 32), AddressRange("g", 32, 48), AddressRange("f", 64, 80)]
    ) as counting:
        first = counting.read()
        assert first.functions == {"f": Executed(), "g": Executed()}
        assert first.lowest_stack is None
        for slot, number in ((1, 5), (3, 7), (0, 9)):
            at = 16 + 48 * slot
            counting._map[at : at + 8] = number.to_bytes(8, "little")
        counting._map[16 + 48 + 40 : 16 + 48 + 48] = (99).to_bytes(8, "little")
        second = counting.read()
        assert (second.functions["f"].instructions, second.lowest_stack) == (12, 99)
        assert second.elsewhere.instructions == 9
        assert difference(second, second).total == Executed()
        assert difference(second, first).package == second.package


@given(st.lists(st.lists(st.integers(0, 2**40), min_size=5, max_size=5), min_size=2, max_size=2))
def test_tallies_add_up(numbers: list[list[int]]) -> None:
    """What is added and taken away again leaves nothing behind."""
    one, other = (Executed(*each) for each in numbers)
    assert one + other - other == one
    assert (one + other).cycles == one.cycles + other.cycles


def test_nobody_can_shorten_the_counters() -> None:
    """An emulator that cut the file would end the bench when it reads."""
    with Counting([AddressRange("f", 16, 32)]) as counting, pytest.raises(PermissionError):
        os.ftruncate(counting.descriptors[0], 1)


# ---- helper programs
