# SPDX-License-Identifier: MIT
"""Exact counts: the plugin against qemu's own log, the runner against the data sheet."""

import os
import shutil
import subprocess
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import MachineError
from assay.execute import tools
from assay.execute.counting import Counting, Counts, Executed, difference
from assay.execute.jail import Jail, Limits
from assay.execute.ranges import AddressRange, ranges_of
from assay.execute.staging import staged_folder
from assay.execute.tools import placed, plugin, simavr_runner

HARNESS = Path(tools.__file__).parents[1] / "harness"
STRICT = ("-std=gnu11", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-O1")
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

AVR = r"""
#include <avr/io.h>
__attribute__((noinline)) void ten(void)
{
    __asm__ volatile("nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop");
}
__attribute__((noinline, used, naked)) void mixed(void)
{
    __asm__ volatile("push r16\n lds r16, 0x200\n sts 0x200, r16\n mul r16, r16\n"
                     "pop r16\n clr r1\n rjmp .+0\n ret");
}
static void put(unsigned char c) { while (!(UCSR0A & 0x20)) ; UDR0 = c; }
static unsigned char get(void) { while (!(UCSR0A & 0x80)) ; return UDR0; }
int main(void)
{
    unsigned char c;
    UCSR0A = 2; UCSR0C = 6; UBRR0 = 1; UCSR0B = 0x18;
    for (;;) {
        c = get();
        if (c == '!') { ten(); mixed(); }
        if (c == '#') *(volatile unsigned char *)0xf000 = c;
        put(c);
    }
}
"""


@pytest.fixture(scope="module")
def avr_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a program that sends back what it gets, or skip."""
    if shutil.which("avr-gcc") is None:
        pytest.skip("avr-gcc is not installed")
    if not Path("/usr/include/simavr").is_dir():
        pytest.skip("libsimavr-dev is not installed")
    folder = tmp_path_factory.mktemp("avr")
    (folder / "echo.c").write_text(AVR)
    for words in (["-c", "echo.c"], ["echo.o", "-o", "echo"]):
        subprocess.run(["avr-gcc", "-mmcu=atmega1281", "-O1", *words], cwd=folder, check=True)
    return folder / "echo"


def simulate(program: Path, data: bytes) -> tuple[bytes, Counts, int, str]:
    """Send bytes through the program; give what comes back, counts, exit code, complaints."""
    with Counting(ranges_of(program, [program.with_suffix(".o")])) as counting:
        process = subprocess.Popen(
            counting.simavr_words(program, program.parent),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            pass_fds=counting.descriptors,
        )  # fmt: skip
        out, complaints = process.communicate(data)
        return out, counting.read(), process.returncode, complaints.decode()


def test_no_byte_is_lost_on_the_way_through_the_simulator(avr_program: Path) -> None:
    """Much more than any buffer holds, all values, both ways; the end of input ends it."""
    data = os.urandom(20_000).replace(b"#", b"-")
    back, _, code, complaints = simulate(avr_program, data)
    assert (data, 0, "") == (back, code, complaints)


def test_bytes_pass_one_by_one_as_well(avr_program: Path) -> None:
    """Each answer comes before the next byte is sent."""
    with Counting(()) as counting:
        process = subprocess.Popen(
            counting.simavr_words(avr_program, avr_program.parent),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=counting.descriptors,
            bufsize=0,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        for value in range(200):
            process.stdin.write(bytes([value | 1]))
            if value | 1 == ord("#"):
                break
            assert bytes([value | 1]) == process.stdout.read(1)
        process.communicate()


def test_cycles_are_those_of_the_data_sheet(avr_program: Path) -> None:
    """Each call of the two functions takes what the instruction set manual says."""
    _, once, _, _ = simulate(avr_program, b"!")
    _, thrice, _, _ = simulate(avr_program, b"!a!b!")
    for counts, calls in ((once, 1), (thrice, 3)):
        ten, mixed = counts.functions["ten"], counts.functions["mixed"]
        assert (ten.instructions, ten.cycles) == (11 * calls, (10 + 4) * calls)
        cycles = 2 + 2 + 2 + 2 + 2 + 1 + 2 + 4
        assert (mixed.instructions, mixed.cycles) == (8 * calls, cycles * calls)


def test_the_simulator_is_repeatable_and_sees_the_stack(avr_program: Path) -> None:
    """The same input gives the same counts of the package; `mixed` pushes a byte."""
    first, second = simulate(avr_program, b"!!")[1], simulate(avr_program, b"!!")[1]
    assert first.functions["ten"] == second.functions["ten"]
    assert first.lowest_stack == second.lowest_stack
    assert first.lowest_stack is not None
    assert 0x2000 < first.lowest_stack < 0x21FF


def test_a_program_that_crashes_is_told(avr_program: Path) -> None:
    """A write to where there is no memory ends the simulator with a code of its own."""
    back, _, code, complaints = simulate(avr_program, b"ab#cd")
    assert (back, code) == (b"ab", 4)
    assert "crashed at address" in complaints


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
        counting.forget_stack()
        assert counting.read().lowest_stack is None
        assert counting.read().functions == second.functions


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


@pytest.fixture
def new_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_helpers_are_built_once(new_cache: Path) -> None:
    """By whoever comes first; the others wait and find it."""
    built: list[Path] = []
    threads = [threading.Thread(target=lambda: built.append(plugin())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(built)) == 1
    assert len(built) == 4
    before = built[0].stat().st_mtime_ns
    assert plugin().stat().st_mtime_ns == before
    assert built[0].is_relative_to(new_cache)


@pytest.mark.parametrize("helper", [plugin, simavr_runner])
def test_a_machine_without_a_compiler_is_told_what_to_install(
    new_cache: Path, monkeypatch: pytest.MonkeyPatch, helper: Callable[[], Path]
) -> None:
    """The cure is a line to type."""
    assert new_cache.is_dir()
    monkeypatch.setattr(tools, "COMPILERS", ("no-such-compiler",))
    with pytest.raises(MachineError) as caught:
        helper()
    assert "apt-get install gcc" in caught.value.cure


def test_a_missing_library_is_told_what_to_install(
    new_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compiler's own words, and the packages; nothing half-done stays behind."""
    helper = tools.RUNNER
    monkeypatch.setattr(
        tools, "RUNNER",
        tools._Helper(helper.source, helper.name, ("-isystem", "/"), ("-lno-such-library",),
                      helper.cure),
    )  # fmt: skip
    with pytest.raises(MachineError, match="cannot build assay-simavr") as caught:
        simavr_runner()
    assert "libsimavr-dev" in caught.value.cure
    assert [path.name for path in new_cache.rglob("assay-simavr*")] == []


def test_a_helper_is_placed_again_when_it_has_changed(tmp_path: Path) -> None:
    """A folder of an older campaign has an older helper."""
    helper = tmp_path / "helper"
    helper.write_text("new")
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "helper").write_text("old")
    assert placed(helper, folder).read_text() == "new"
    assert placed(helper, folder).stat().st_mode & 0o777 == 0o755
    assert [path.name for path in folder.iterdir()] == ["helper"]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("source", ["qemu-plugin.c", "simavr.c"])
def test_the_helpers_have_no_warning(compiler: str, source: str) -> None:
    """They are ours."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    if source == "simavr.c" and not Path("/usr/include/simavr").is_dir():
        pytest.skip("libsimavr-dev is not installed")
    command = [compiler, *STRICT, "-fsyntax-only", str(HARNESS / "counting" / source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
