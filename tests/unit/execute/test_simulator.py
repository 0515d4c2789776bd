# SPDX-License-Identifier: MIT
"""Counting on simavr: cycles of the data sheet, no byte lost, crashes reported."""

import os
import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from assay.execute.counting import Counting, Counts
from assay.execute.ranges import ranges_of
from assay.execute.tracing import Tracing

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
__attribute__((noinline, used, naked)) void touching(void)
{
    __asm__ volatile("push r28\n push r29\n"
                     "ldi r26, 0x10\n ldi r27, 2\n ldi r28, 0x20\n ldi r29, 2\n"
                     "ldi r30, 0x30\n ldi r31, 2\n ldi r18, 1\n"
                     "ld r19, X\n ld r19, X+\n ld r19, -X\n st X, r19\n"
                     "ldd r19, Y+5\n std Y+63, r19\n st -Y, r19\n ld r19, Y+\n"
                     "ld r19, Z+\n std Z+33, r19\n ldd r19, Z+1\n"
                     "lpm r19, Z\n lpm r19, Z+\n lpm\n"
                     "out 0x3b, r18\n elpm r19, Z\n elpm r19, Z+\n elpm\n lpm r19, Z\n"
                     "clr r18\n out 0x3b, r18\n lds r19, 0x200\n pop r29\n pop r28\n ret");
}
__attribute__((noinline, used, naked)) void skipping(void)
{
    __asm__ volatile("clr r18\n sbrc r18, 0\n inc r18\n sbrs r18, 0\n inc r18\n"
                     "sbrs r18, 0\n rjmp .+0\n sbrc r18, 0\n rjmp .+0\n"
                     "cpse r18, r18\n lds r19, 0x200\n cpse r18, r18\n mul r18, r18\n"
                     "sbrc r18, 0\n mul r18, r18\n clr r1\n ret");
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
        if (c == '?') touching();
        if (c == '/') skipping();
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


def test_a_trace_has_the_addresses_that_loads_and_stores_by_pointers_access(
    avr_program: Path,
) -> None:
    """Of data and of flash, as the instruction set manual says; others are not of secrets."""
    own = ranges_of(avr_program, [avr_program.with_suffix(".o")])
    named = {one.name: one for one in own}
    agent = [one for one in own if one.name != "touching"]
    with closing(Tracing([named["touching"]], agent)) as tracing:
        process = subprocess.run(
            tracing.simavr_words(avr_program, avr_program.parent),
            input=b"?", pass_fds=tracing.descriptors, capture_output=True, check=True,
        )  # fmt: skip
        assert process.stdout == b"?"
        trace, rest = tracing.taken()
    assert rest == 0
    accesses = [int(one >> 1) for one in trace if one & 1]
    assert accesses == [
        *(0x210, 0x210, 0x210, 0x210),
        *(0x225, 0x25F, 0x21F, 0x21F),
        *(0x230, 0x252, 0x232),
        *(0x231, 0x231, 0x232),
        *(0x10232, 0x10232, 0x10233, 0x233),
    ]
    instructions = [int(one >> 1) for one in trace if not one & 1]
    assert instructions[0] == named["touching"].start
    assert len(instructions) == 2 + 7 + 4 + 4 + 3 + 3 + 1 + 4 + 2 + 1 + 3


def test_an_instruction_that_takes_what_a_skip_does_is_not_in_a_trace(avr_program: Path) -> None:
    """`inc` is skipped or done in two cycles; a jump, two words and a product take longer."""
    own = ranges_of(avr_program, [avr_program.with_suffix(".o")])
    (wanted,) = (one for one in own if one.name == "skipping")
    with closing(Tracing([wanted], [one for one in own if one is not wanted])) as tracing:
        words = tracing.simavr_words(avr_program, avr_program.parent)
        subprocess.run(words, input=b"/", pass_fds=tracing.descriptors, check=True)
        trace, _ = tracing.taken()
    executed = [int(one >> 1) - wanted.start for one in trace if not one & 1]
    # The second `inc` is done, and so are one `rjmp` and one `mul`.
    assert executed == [0, 2, 6, 10, 14, 16, 18, 24, 28, 30, 32, 34]


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
