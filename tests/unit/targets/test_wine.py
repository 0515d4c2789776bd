# SPDX-License-Identifier: MIT
"""Windows under wine: what is missing, what is broken, and programs in the jail."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.execute.calls import Calls
from assay.execute.jail import Jail, JailMode, strongest_jail
from assay.execute.opening import EMULATED_LIMITS, start_of
from assay.execute.staging import hand_over, staged_folder
from assay.model import Target
from assay.targets import wine
from assay.targets.catalogue import catalogue, choose, look_for

NAMES = ("windows-amd64", "windows-i386")
PROGRAM = r"""
#include <stdio.h>
#include <winsock2.h>
#include <windows.h>
static int connects(void)
{
    WSADATA data;
    struct sockaddr_in to = {AF_INET, 0x5000, {{{127, 0, 0, 1}}}};
    SOCKET line;
    WSAStartup(0x202, &data);
    line = socket(AF_INET, SOCK_STREAM, 0);
    return line != INVALID_SOCKET && connect(line, (struct sockaddr *)&to, sizeof to) == 0;
}
int main(int argc, char **argv)
{
    FILE *file = fopen("made-here", "w");
    printf("%d %d %d %d %d\n", argc, (int)sizeof(void *), (int)sizeof(long), file != NULL,
           NETWORK ? connects() : 0);
    return argv[1] ? argv[1][0] : 0;
}
"""


@pytest.fixture(params=NAMES)
def target(request: pytest.FixtureRequest) -> Target:
    """Give a target that can be used here."""
    (one,) = choose([request.param], catalogue())
    found = look_for(one)
    if not found.ok:
        pytest.skip(found.reason)
    return one


@pytest.fixture
def fresh() -> Iterator[None]:
    """Let wine be tried again, before and after."""
    wine.trouble.cache_clear()
    yield
    wine.trouble.cache_clear()


def built(folder: Path, target: Target) -> Path:
    """Compile the program."""
    (folder / "x.c").write_text(PROGRAM)
    # The library of sockets is none of those that wine 8 starts without a system of 32 bits.
    network = ["-DNETWORK=1", "-lws2_32"] if target.bits == 64 else ["-DNETWORK=0"]
    line = [target.compiler, *target.options, "-static", "-O1", "x.c", "-o", "x.exe", *network]
    subprocess.run(line, cwd=folder, check=True, capture_output=True)
    return folder / "x.exe"


@pytest.mark.parametrize("mode", JailMode)
def test_a_program_runs_in_the_jail_without_files_or_network(
    target: Target, mode: JailMode
) -> None:
    """It gets its arguments, and its exit code comes back; `long` has 32 bits."""
    jail = strongest_jail() if mode is JailMode.BUBBLEWRAP else Jail(mode)
    with staged_folder("assay-test-") as home:
        words = [*start_of(target, built(home, target)).words, "A"]
        hand_over(home)
        with jail.confined(
            words, home, EMULATED_LIMITS, writable=False, calls=Calls.TOOL
        ) as confined:
            done = subprocess.run(
                confined.words, pass_fds=confined.descriptors, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, check=False,
            )  # fmt: skip
        assert not (home / "made-here").exists()
    assert done.returncode == ord("A"), done.stderr
    assert done.stdout.split() == ["2", str(target.bits // 8), "4", "0", "0"]


def test_what_is_missing_is_named_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Compiler, wine, and its libraries of 32 bits, which stand in a package of their own."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(wine, "PROGRAMS", ())
    monkeypatch.setattr(wine, "LIBRARIES", {64: (), 32: ()})
    (narrow,) = choose(["windows-i386"], catalogue())
    found = look_for(narrow)
    assert not found.ok
    assert found.missing == (
        "i686-w64-mingw32-gcc", "wine", "wine64", "wine/x86_64-windows/ntdll.dll",
        f"wine/i386-windows/ntdll.dll {wine.NARROW_CURE}",
    )  # fmt: skip
    assert found.cure.endswith("gcc-mingw-w64-i686 wine wine64")


@pytest.mark.usefixtures("fresh")
def test_a_wine_that_does_not_start_is_a_reason(
    target: Target, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What it says, or its exit code, stands where targets are skipped."""
    for script, reason in (("echo no server >&2; exit 3", "no server"), ("exit 4", "exit 4")):
        broken = tmp_path / "wine"
        broken.write_text(f"#!/bin/sh\n{script}\n")
        broken.chmod(0o755)
        monkeypatch.setattr(wine, "PROGRAMS", (str(broken),))
        wine.trouble.cache_clear()
        found = look_for(target)
        assert not found.ok
        assert found.reason.startswith(f"wine does not start: {reason} (")


def test_nothing_is_left_of_a_trial() -> None:
    """The prefix goes with the folder that it was made in."""
    if shutil.which("wine") is None:
        pytest.skip("wine is not here")
    wine.trouble.cache_clear()
    assert wine.trouble() == ""
