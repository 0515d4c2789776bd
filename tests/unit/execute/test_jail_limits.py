# SPDX-License-Identifier: MIT
"""Where the jail ends what grows or stays: memory, processes, files, output, time, daemons."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.execute.conftest import RunShell

from assay.execute import jail as jail_module
from assay.execute.command import KEPT_OUTPUT_BYTES, kill_group, run_jailed
from assay.execute.jail import MIB, NOBODY, Jail, JailMode, Limits, strongest_jail
from assay.execute.staging import staged_folder

Install = Callable[[str, str], Path]

COUNT_FORKS = r"""
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int made = 0, child;
    while (made < 5000 && (child = fork()) > 0) made++;
    if (made < 5000 && child == 0) for (;;) pause();
    printf("%d\n", made);
    return 0;
}
"""
MEMORY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    unsigned long mib = 0;
    char *p;
    while (mib < 8192 && (p = malloc(1 << 20)) != NULL) { memset(p, 1, 4096); mib++; }
    printf("%lu\n", mib);
    return 0;
}
"""
BOMB = r"""
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
    int child = 1, made = 0;
    while (made++ < 5000 && (child = fork()) > 0) { }
    if (child < 0) close(open("full", O_CREAT | O_RDWR, 0644));
    for (;;) pause();
}
"""
# A daemon that left its session: it tells that it lives by keeping a file locked.
DAEMON = r"""
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>
int main(void)
{
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            int fd = open("lock", O_CREAT | O_RDWR, 0644);
            flock(fd, LOCK_EX);
            write(fd, "locked", 6);
            for (;;) pause();
        }
        _exit(0);
    }
    for (;;) pause();
}
"""
PARENT = """
import sys
from pathlib import Path
from assay.execute.command import run_jailed
from assay.execute.jail import Limits, strongest_jail
run_jailed([sys.argv[1]], Path(sys.argv[2]), strongest_jail(), Limits())
"""


def jail_of(mode: JailMode) -> Jail:
    """Give the jail of this mode as it can be had here."""
    return strongest_jail() if mode is JailMode.BUBBLEWRAP else Jail(mode)


@pytest.fixture
def install(home: Path, compile_c: Callable[..., Path]) -> Install:
    """Give a function that compiles a C text into the jail's folder."""

    def make(name: str, text: str) -> Path:
        program = home / name
        program.write_bytes(compile_c(name, text).read_bytes())
        program.chmod(0o755)
        return program

    return make


def until(holds: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


def locked(path: Path) -> bool:
    """Tell whether a living process holds the lock of a file."""
    if not path.exists() or not path.read_bytes():
        return False
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_memory_ends_at_the_limit(home: Path, jail: Jail, install: Install) -> None:
    """A program gets what the limit says, less what it needs itself."""
    program = install("memory", MEMORY)
    ended = run_jailed([str(program)], home, jail, Limits(memory_bytes=64 * MIB))
    assert 32 <= int(ended.output) <= 64


@pytest.mark.parametrize("mode", list(JailMode))
def test_processes_end_at_the_limit(home: Path, install: Install, mode: JailMode) -> None:
    """A fork bomb gets no further than the limit, also when Assay runs as root."""
    program = install("forks", COUNT_FORKS)
    ended = run_jailed([str(program)], home, jail_of(mode), Limits(wall_seconds=5, processes=20))
    assert int(ended.output.split()[-1]) <= 20


@pytest.mark.parametrize("mode", list(JailMode))
def test_files_end_at_the_limit(home: Path, mode: JailMode) -> None:
    """A file grows to the limit and no further."""
    text = "head -c 50000000 /dev/zero > big; ls -l big"
    run_jailed(["/bin/sh", "-c", text], home, jail_of(mode), Limits(file_bytes=MIB))
    assert (home / "big").stat().st_size == MIB


def test_temporary_space_ends_at_the_limit(shell: RunShell) -> None:
    """It holds what the limit says, however many files it is cut into."""
    text = "for i in 1 2 3 4 5 6; do head -c 1000000 /dev/zero > /tmp/$i; done; cat /tmp/* | wc -c"
    ended = shell(text, Limits(scratch_bytes=2 * MIB))
    assert int(ended.output.split()[-1]) <= 2 * MIB


def test_processor_time_ends_at_the_limit(shell: RunShell) -> None:
    """A loop is ended by the kernel, before the time by the clock."""
    ended = shell("while :; do :; done", Limits(wall_seconds=20, cpu_seconds=1))
    assert not ended.ok
    assert not ended.timed_out


def test_time_by_the_clock_ends_all_of_it(home: Path, jail: Jail, install: Install) -> None:
    """At the limit a daemon that left its session and its group dies as well."""
    program = install("daemon", DAEMON)
    ended = run_jailed([str(program)], home, jail, Limits(wall_seconds=0.5))
    assert ended.timed_out
    assert not ended.ok
    assert (home / "lock").read_bytes() == b"locked"
    assert until(lambda: not locked(home / "lock"))


def test_a_command_that_ends_leaves_nothing_behind(
    home: Path, jail: Jail, install: Install
) -> None:
    """Not even a daemon that left its session while the command ended well."""
    program = install("daemon", DAEMON)
    text = f"{program} & while ! test -s lock; do :; done; exit 0"
    ended = run_jailed(["/bin/sh", "-c", text], home, jail, Limits())
    assert ended.ok
    assert until(lambda: not locked(home / "lock"))


def test_a_killed_parent_takes_the_jail_with_it(home: Path, install: Install) -> None:
    """After kill -9 on Assay itself, what ran in the jail is gone, daemons included."""
    inside = install("daemon", DAEMON)
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(inside), str(home)])
    try:
        assert until(lambda: locked(home / "lock"))
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    assert until(lambda: not locked(home / "lock"))


def test_many_small_files_end_at_the_limit(home: Path, shell: RunShell) -> None:
    """No file is large, and the disk is not filled with a million of them."""
    few = Limits(folder_files=300, wall_seconds=60.0)
    ended = shell("i=0; while [ $i -lt 100000 ]; do : > f$i; i=$((i+1)); done", few)
    assert not ended.ok
    assert not ended.timed_out
    assert ended.overfull == "made more than 300 files"
    assert len(list(home.iterdir())) < 100000


def test_what_is_written_in_all_ends_at_the_limit(shell: RunShell) -> None:
    """Each file is below its limit; a command that ends by itself is looked at, too."""
    little = Limits(folder_bytes=8 * MIB)
    ended = shell("for i in 1 2 3; do head -c 4194304 /dev/zero | tr '\\0' x > f$i; done", little)
    assert ended.overfull == "wrote more than 8 MiB"
    assert not ended.ok
    assert shell("rm f*; mkdir -p a/b; ln -s / a/b/c; echo fine", little).ok


def test_output_is_kept_up_to_a_bound_and_says_so(shell: RunShell) -> None:
    """A flood of messages is cut, with a note of how much there was."""
    ended = shell(f"head -c {KEPT_OUTPUT_BYTES + 1000} /dev/zero | tr '\\0' x")
    assert ended.output.startswith("x" * KEPT_OUTPUT_BYTES + "\n[cut here: ")
    assert f"{KEPT_OUTPUT_BYTES + 1000} bytes were printed" in ended.output


def test_output_that_is_no_text_is_replaced(shell: RunShell) -> None:
    """Bytes that are no UTF-8 do not end a campaign."""
    assert shell(r"printf 'a\377b'").output == "a\N{REPLACEMENT CHARACTER}b"


def test_a_bomb_in_one_jail_does_not_starve_another(
    home: Path, jail: Jail, install: Install
) -> None:
    """While one jail is full of processes, others start and work: no verdict is spoilt."""
    program = install("bomb", BOMB)
    limits = Limits(processes=100)
    with jail.confined([str(program)], home, limits, writable=True) as confined:
        bomb = subprocess.Popen(
            confined.words, pass_fds=confined.descriptors, start_new_session=True
        )
    try:
        assert until((home / "full").exists)
        with staged_folder() as other:
            ended = run_jailed(
                ["/bin/sh", "-c", "(true); (true) | cat; echo fine"], other, jail,
                Limits(processes=10),
            )  # fmt: skip
        assert ended.output == "fine\n"
    finally:
        kill_group(bomb)


def test_what_a_user_runs_anyway_does_not_count(
    home: Path, jail: Jail, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where jails share their user with others, the limit stands above what is there."""
    monkeypatch.setattr(jail_module, "FRESH_USERS", range(2**40, 2**40 + 1))
    assert jail_module.fresh_user() == NOBODY
    user = home.stat().st_uid if os.geteuid() == 0 else os.geteuid()
    before = jail_module.tasks_of(user)
    sleep = ["/usr/bin/sleep", "100"]
    with jail.confined(sleep, home, Limits(), writable=True) as confined:
        sleeper = subprocess.Popen(
            confined.words, pass_fds=confined.descriptors, start_new_session=True
        )
    try:
        assert until(lambda: jail_module.tasks_of(user) > before)
        with jail.confined(["true"], home, Limits(processes=7), writable=True) as confined:
            (option,) = [word for word in confined.words if word.startswith("--nproc=")]
        assert int(option.partition("=")[2]) > 7 + before
    finally:
        kill_group(sleeper)
