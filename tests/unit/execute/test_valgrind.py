# SPDX-License-Identifier: MIT
"""What valgrind's report is read as."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from platform import machine

import pytest

from assay.errors import MachineError
from assay.execute import valgrind
from assay.execute.agent import AgentError
from assay.execute.calls import Calls
from assay.execute.jail import LARGE_LIMITS, Jail, JailMode
from assay.execute.pipe import PipeClosed
from assay.execute.valgrind import (
    MOST_PLACES,
    OPTIONS,
    SHIFTED,
    LoggedPipe,
    ValgrindOutput,
    last_words,
)

FRAME = "<frame><fn>{}</fn><file>{}</file><line>7</line></frame>"
ERROR = "<error><kind>{}</kind><what>{}</what><stack>{}</stack>{}</error>"
SECRET = "<auxwhat>Uninitialised value was created by a client request</auxwhat>"
STACK = "<auxwhat>Uninitialised value was created by a stack allocation</auxwhat>"
PROGRAM = """
#include <valgrind/memcheck.h>
static volatile int hits;
static __attribute__((noinline)) void decide(const unsigned char *p) { if (*p & 1) hits++; }
int main(void)
{
    unsigned char key = 1;
    volatile unsigned char nothing[64];
    VALGRIND_MAKE_MEM_UNDEFINED(&key, 1);
    decide(&key);
    if (nothing[7] == 3) hits++;
    return 0;
}
"""
RARE = """
#include <unistd.h>
static volatile int hits;
static __attribute__((noinline)) void rare(void) { while (hits < 3) hits++; }
int main(void)
{
    char word;
    while (read(0, &word, 1) == 1) {
        if (word == 'b') rare();
        write(1, &word, 1);
    }
    return 0;
}
"""


@pytest.fixture
def report(tmp_path: Path) -> Iterator[ValgrindOutput]:
    """Give a report that tests write."""
    descriptor = os.open(tmp_path / "report", os.O_RDWR | os.O_CREAT)
    yield ValgrindOutput(descriptor)
    os.close(descriptor)


def write(report: ValgrindOutput, text: str) -> None:
    """Let valgrind have written this so far."""
    os.pwrite(report.descriptor, f"<?xml version='1.0'?><valgrindoutput>{text}".encode(), 0)


def test_a_report_without_errors_says_nothing(report: ValgrindOutput) -> None:
    """Neither does an empty file."""
    assert report.read() == ()
    write(report, "")
    assert report.read() == ()


def test_a_branch_on_a_secret_is_told_with_its_places(report: ValgrindOutput) -> None:
    """The innermost three."""
    frames = "".join(FRAME.format(f"f{n}", "hash.c") for n in range(5))
    write(report, ERROR.format("UninitCondition", "Conditional jump", frames, SECRET))
    (one,) = report.read()
    assert (one.what, one.secret, one.undefined) == ("Conditional jump", True, True)
    assert one.where == ("f0 (hash.c:7)", "f1 (hash.c:7)", "f2 (hash.c:7)")


def test_memory_that_nobody_wrote_is_no_secret(report: ValgrindOutput) -> None:
    """It comes from an allocation."""
    write(report, ERROR.format("UninitValue", "Use", FRAME.format("f", "a.c"), STACK))
    (one,) = report.read()
    assert (one.secret, one.undefined) == (False, True)


def test_a_wrong_access_is_neither(report: ValgrindOutput) -> None:
    """Its place may be unknown."""
    write(report, ERROR.format("InvalidRead", "Invalid read", "<frame><ip>0x1</ip></frame>", ""))
    (one,) = report.read()
    assert (one.secret, one.undefined, one.where) == (False, False, ("?",))


def test_bytes_given_to_a_system_call_are_secret_only_if_they_have_no_value(
    report: ValgrindOutput,
) -> None:
    """`write` of a secret is one; an address where there is nothing is a wrong access."""
    what = "Syscall param write(buf) points to {} byte(s)"
    states, frame = ("uninitialised", "unaddressable"), FRAME.format("f", "a.c")
    write(report, "".join(ERROR.format("SyscallParam", what.format(s), frame, "") for s in states))
    assert [(one.secret, one.undefined) for one in report.read()] == [(True, True), (False, False)]


def test_how_the_agent_waits_for_requests_is_not_the_packages_matter(
    report: ValgrindOutput,
) -> None:
    """Valgrind 3.19 has complained of the memory of `pselect`, on a machine with much to do."""
    frames = ("pselect64_syscall", "pselect.c"), ("hal_process_asked", "posix.c")
    stack = "".join(FRAME.format(*one) for one in frames)
    what = "Syscall param pselect6(sig) points to unaddressable byte(s)"
    write(report, ERROR.format("SyscallParam", what, stack, ""))
    assert report.read() == ()


def test_an_address_that_is_no_number_is_a_damaged_report(report: ValgrindOutput) -> None:
    """The code that valgrind executes can reach its files."""
    frame = "<frame><ip>!0x1</ip><fn>f</fn><file>a.c</file><line>7</line></frame>"
    write(report, ERROR.format("UninitValue", "Use", frame, SECRET))
    with pytest.raises(AgentError, match="valgrind's report is damaged"):
        report.read()


def test_an_error_of_which_half_is_written_is_read_later(report: ValgrindOutput) -> None:
    """The report of a living agent has no end."""
    whole = ERROR.format("UninitValue", "Use", FRAME.format("f", "a.c"), SECRET)
    other = ERROR.format("UninitValue", "Use", FRAME.format("g", "a.c"), SECRET)
    write(report, whole + other[:40])
    assert len(report.read()) == 1
    write(report, whole + other)
    assert len(report.read()) == 2


def test_a_real_report_tells_secrets_from_what_nobody_wrote(tmp_path: Path) -> None:
    """Valgrind's own words, of the version that is installed."""
    gcc, found = shutil.which("gcc"), shutil.which("valgrind")
    if not gcc or not found:
        pytest.skip("needs gcc and valgrind")
    (tmp_path / "main.c").write_text(PROGRAM)
    program = str(tmp_path / "main")
    built = [gcc, "-g", "-O0", "-w", "-o", program, str(tmp_path / "main.c")]
    if subprocess.run(built, capture_output=True, check=False).returncode:
        pytest.skip("needs valgrind's headers")
    descriptor = os.memfd_create("report", 0)
    command = [found, *OPTIONS, f"--xml-fd={descriptor}", program]
    subprocess.run(command, pass_fds=(descriptor,), check=True)
    told = {one.where[0].split()[0]: one.secret for one in ValgrindOutput(descriptor).read()}
    os.close(descriptor)
    assert told == {"decide": True, "main": False}


VECTOR = """#include <emmintrin.h>
#include <valgrind/memcheck.h>
unsigned char key[16], table[256], seen[16];
int main(void)
{
    __m128i by;
    VALGRIND_MAKE_MEM_UNDEFINED(key, 16);
    by = _mm_loadu_si128((__m128i *)key);
    _mm_storeu_si128((__m128i *)seen, _mm_sll_epi64(_mm_set1_epi64x(1), by));
    return LOOK;
}
"""


@pytest.mark.parametrize(
    ("look", "found"), [("0", []), ("table[seen[0]]", ["Use of uninitialised value of size 8"])]
)
def test_a_vector_that_is_shifted_by_a_secret_is_told_from_an_address(
    tmp_path: Path, look: str, found: list[str]
) -> None:
    """What comes of the shift is followed all the same."""
    gcc, valgrind = shutil.which("gcc"), shutil.which("valgrind")
    if not gcc or not valgrind or machine() != "x86_64":
        pytest.skip("needs gcc and valgrind on x86-64")
    (tmp_path / "main.c").write_text(VECTOR.replace("LOOK", look))
    program = str(tmp_path / "main")
    built = [gcc, "-g", "-O1", "-w", "-o", program, str(tmp_path / "main.c")]
    if subprocess.run(built, capture_output=True, check=False).returncode:
        pytest.skip("needs valgrind's headers")
    descriptor = os.memfd_create("report", 0)
    command = [valgrind, *OPTIONS, f"--xml-fd={descriptor}", program]
    subprocess.run(command, pass_fds=(descriptor,), check=True)
    complaints, text = ValgrindOutput(descriptor).read(), os.pread(descriptor, 1 << 20, 0)
    os.close(descriptor)
    assert SHIFTED.encode() in text
    assert [one.what for one in complaints] == found


def test_code_that_is_met_for_the_first_time_is_told(tmp_path: Path) -> None:
    """The log grows by what one more argument leads to, and by nothing when it is met again."""
    gcc, found = shutil.which("gcc"), shutil.which("valgrind")
    if not gcc or not found:
        pytest.skip("needs gcc and valgrind")
    (tmp_path / "main.c").write_text(RARE)
    program = str(tmp_path / "main")
    subprocess.run([gcc, "-O1", "-o", program, str(tmp_path / "main.c")], check=True)
    report, log = os.memfd_create("report", 0), os.memfd_create("log", 0)
    files = f"--xml-fd={report}", f"--log-fd={log}"
    with subprocess.Popen(
        [found, *OPTIONS, *files, program],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(report, log),
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        output, sizes = ValgrindOutput(report, log=log), []
        for word in b"aaabbb":
            process.stdin.write(bytes([word]))
            process.stdin.flush()
            assert process.stdout.read(1) == bytes([word])
            sizes.append(output.translated)
        process.stdin.close()
    os.close(report)
    os.close(log)
    assert 0 < sizes[2] < sizes[3] <= sizes[4] == sizes[5]


HUNGRY = """
#include <stdlib.h>
#include <string.h>
int main(void)
{
    for (;;) memset(malloc(1 << 28), 1, 1 << 28);
}
"""
MEMORY = "Valgrind's memory management: out of memory:"


@pytest.mark.slow  # until its memory is used up
def test_what_valgrind_says_of_its_own_end_is_told_and_nothing_else(tmp_path: Path) -> None:
    """It has no memory left; in the same log are translations, figures and stacks."""
    gcc, found, limit = shutil.which("gcc"), shutil.which("valgrind"), shutil.which("prlimit")
    if not gcc or not found or not limit:
        pytest.skip("needs gcc, valgrind and prlimit")
    (tmp_path / "main.c").write_text(HUNGRY)
    program = str(tmp_path / "main")
    subprocess.run([gcc, "-O0", "-o", program, str(tmp_path / "main.c")], check=True)
    log = os.memfd_create("log", 0)
    assert last_words(log) == ""
    command = [limit, "--as=1500000000", found, *OPTIONS, "--xml-fd=2", f"--log-fd={log}", program]
    subprocess.run(command, pass_fds=(log,), capture_output=True, check=False)
    said = last_words(log)
    os.close(log)
    assert said.startswith(f"{MEMORY} newSuperblock's request for ")
    assert said.endswith("mmap-ed ANONYMOUS.")


def test_the_account_of_an_end_has_what_valgrind_said() -> None:
    """An agent that translated code and ended well has no more than its own account."""
    log = os.memfd_create("log", 0)
    translated = "==== SB 7 (evchecks 9) [tid 1] 0x401ab70 valgrind: +0x1"
    for word, said in (("", ""), (f"==7== {MEMORY}", f"; valgrind said: {MEMORY}")):
        script = f'printf "%s\\n" "{translated}" "{word}" > /dev/fd/{log}; exit 3'
        words = ["/bin/sh", "-c", script]
        jail = Jail(JailMode.LIMITS_ONLY)
        pipe = LoggedPipe(words, Path("/"), jail, LARGE_LIMITS, inherited=(log,), calls=Calls.TOOL)
        pipe.log = log
        with pytest.raises(PipeClosed):
            pipe.read(1, time.monotonic() + 60)
        assert pipe.close() == f"it exited with code 3{said}"
    os.close(log)


def test_a_missing_valgrind_has_a_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that installs it."""
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(MachineError) as caught:
        valgrind.valgrind()
    assert caught.value.cure == "apt-get install valgrind"


def test_a_place_is_listed_once_however_many_ways_lead_there(report: ValgrindOutput) -> None:
    """Recursion makes hundreds of errors of one place, which differ in their outer frames."""
    frames = [FRAME.format(f"f{n}", "a.c") for n in range(4)]
    inner = "".join(frames[:3])
    ways = "".join(
        ERROR.format("UninitCondition", "Jump", inner + FRAME.format(f"caller{n}", "b.c"), SECRET)
        for n in range(50)
    )
    other = ERROR.format("UninitCondition", "Jump", "".join(frames[1:]), SECRET)
    write(report, ways + other)
    assert [one.where[0] for one in report.read()] == ["f0 (a.c:7)", "f1 (a.c:7)"]


def test_other_complaints_leave_room_for_secrets(report: ValgrindOutput) -> None:
    """A package cannot hide a leak behind more uninitialised variables than are kept."""
    many = "".join(
        ERROR.format("UninitValue", "Use", FRAME.format(f"f{n}", "a.c"), STACK)
        for n in range(MOST_PLACES + 5)
    )
    leak = ERROR.format("UninitCondition", "Jump", FRAME.format("leak", "a.c"), SECRET)
    write(report, many + leak)
    found = report.read()
    assert [one.where for one in found if one.secret] == [("leak (a.c:7)",)]
    assert len(found) == MOST_PLACES + 1
