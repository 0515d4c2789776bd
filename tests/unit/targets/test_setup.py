# SPDX-License-Identifier: MIT
"""`scripts/setup --targets` with an apt-get of our own: what is installed, and what if not."""

import os
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CATALOGUE = "src/assay/targets/catalogue.toml"
LIBRARIES = frozenset(
    (
        "libssl-dev",
        "libgmp-dev",
        "libntl-dev",
        "libcrypto++-dev",
        "libgcrypt20-dev",
        "nettle-dev",
        "libsodium-dev",
        "xsltproc",
        "valgrind",
    )
)
STUB = """#!/bin/sh
echo "${0##*/} $*" >>"$FAKE/log"
case "${0##*/} $*" in
"id -u") echo "${FAKE_USER:-0}" ;;
dpkg-query*) for last; do :; done; grep -qx "$last" "$FAKE/installed" && echo installed ;;
"dpkg-deb -x"*)
    for last; do :; done
    ! [ -e "$FAKE/libwine" ] || mkdir -p "$last/usr/lib/i386-linux-gnu/wine/i386-windows"
    ! [ -e "$FAKE/libwine" ] || touch "$last/usr/lib/i386-linux-gnu/wine/i386-windows/ntdll.dll" ;;
"apt-cache show"*) for last; do :; done; ! grep -qx "$last" "$FAKE/unknown" ;;
"apt-get install"*)
    for word; do grep -qx "$word" "$FAKE/broken" && exit 100; done
    [ -e "$FAKE/stutter" ] && rm "$FAKE/stutter" && exit 100
    for word; do echo "$word" >>"$FAKE/installed"; done ;;
esac
"""
Setup = Callable[..., subprocess.CompletedProcess[str]]


def described() -> set[str]:
    """Name every package of the catalogue."""
    entries = tomllib.loads((ROOT / CATALOGUE).read_text())["target"]
    return {name for entry in entries for name in entry["packages"]}


@pytest.fixture
def fake(tmp_path: Path) -> Path:
    """Make a clone whose environment is complete, and programs that only note their words."""
    clone, programs = tmp_path / "clone", tmp_path / "programs"
    for name in ("scripts/setup", CATALOGUE, "pyproject.toml"):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, clone / name)
    (clone / ".venv").mkdir()
    for stamp in (".assay", ".assay[test]"):
        (clone / ".venv" / stamp).touch()
    programs.mkdir()
    for name in ("apt-get", "apt-cache", "dpkg-query", "id", "bwrap", "gcc", "clang", "tcc",
                 "make", "chromium", "valgrind", "taskset", "prlimit", "setpriv", "dpkg",
                 "dpkg-deb"):  # fmt: skip
        (programs / name).write_text(STUB)
        (programs / name).chmod(0o755)
    for name in ("installed", "unknown", "broken", "log"):
        (tmp_path / name).touch()
    (tmp_path / "installed").write_text("\n".join([*LIBRARIES, "nats-server", "nginx-light", ""]))
    return tmp_path


@pytest.fixture
def setup(fake: Path) -> Setup:
    """Give a function that runs the script there."""

    def run(*arguments: str, user: str = "0") -> subprocess.CompletedProcess[str]:
        path = f"{fake / 'programs'}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "FAKE": str(fake), "FAKE_USER": user}
        environment["ASSAY_WINE32"] = str(fake / "wine/i386-windows")
        words = [str(fake / "clone/scripts/setup"), *arguments]
        return subprocess.run(words, capture_output=True, text=True, check=False, env=environment)

    return run


def installs(fake: Path) -> list[set[str]]:
    """Give the packages of every call of `apt-get install`."""
    calls = [line.split() for line in (fake / "log").read_text().splitlines()]
    return [
        {word for word in words[2:] if not word.startswith("-")}
        for words in calls
        if words[:2] == ["apt-get", "install"]
    ]


def test_targets_installs_all_that_the_catalogue_names(fake: Path, setup: Setup) -> None:
    """In one call, and a second run finds nothing left to do."""
    assert setup("--targets").returncode == 0
    assert installs(fake) == [described()]
    assert setup("--targets").returncode == 0
    assert len(installs(fake)) == 1


def test_tests_need_some_of_them(fake: Path, setup: Setup) -> None:
    """Those that the gate runs on, and not those that only the full sweep is for."""
    assert setup("--test").returncode == 0
    (installed,) = installs(fake)
    assert installed < described()
    assert {"gcc-avr", "simavr", "qemu-user", "gcc-12-multilib"} <= installed
    for machine in ("mips-linux-gnu", "powerpc-linux-gnu", "arm-linux-gnueabi", "s390x-linux-gnu"):
        assert f"gcc-{machine}" in installed


def test_multilib_is_never_that_which_conflicts(fake: Path, setup: Setup) -> None:
    """Debian's gcc-multilib throws out every cross compiler."""
    assert setup("--targets", "--test").returncode == 0
    everything = set().union(*installs(fake))
    assert "gcc-12-multilib" in everything
    assert "gcc-multilib" not in everything


def test_a_first_failure_is_tried_again(fake: Path, setup: Setup) -> None:
    """Mirrors stutter: the same packages once more, after an update."""
    (fake / "stutter").touch()
    done = setup("--targets")
    assert (done.returncode, installs(fake)) == (0, [described(), described()])
    assert "skipped" not in done.stderr


def test_what_does_not_exist_here_is_named_and_left_out(fake: Path, setup: Setup) -> None:
    """A package that apt does not know keeps no other from being installed."""
    (fake / "unknown").write_text("gcc-alpha-linux-gnu\n")
    done = setup("--targets")
    assert done.returncode == 0
    assert installs(fake) == [described() - {"gcc-alpha-linux-gnu"}]
    assert " * skipped: gcc-alpha-linux-gnu does not exist for this system" in done.stderr


def test_what_cannot_be_installed_does_not_spoil_the_rest(fake: Path, setup: Setup) -> None:
    """All together fails twice; then one by one, and the culprit is named."""
    (fake / "broken").write_text("gcc-hppa-linux-gnu\n")
    done = setup("--targets")
    assert done.returncode == 0
    installed = set((fake / "installed").read_text().split())
    assert described() - installed == {"gcc-hppa-linux-gnu"}
    assert " * skipped: gcc-hppa-linux-gnu could not be installed" in done.stderr


def test_who_is_not_root_gets_the_line(fake: Path, setup: Setup) -> None:
    """Nothing is installed; the targets without tools are skipped later."""
    done = setup("--targets", user="1000")
    assert done.returncode == 0
    assert installs(fake) == []
    (line,) = [one for one in done.stderr.splitlines() if "apt-get install" in one]
    assert set(line.split()[4:]) == described()


def test_windows_brings_the_libraries_of_32_bits_once(fake: Path, setup: Setup) -> None:
    """They are taken out of their package; the architecture is known to dpkg for that alone."""
    if Path("/usr/lib/i386-linux-gnu/wine/i386-windows/ntdll.dll").exists():
        pytest.skip("they are installed here")
    failed = setup("--windows")
    assert failed.returncode == 0
    assert " * skipped: wine's libraries of 32 bits could not be had" in failed.stderr
    (fake / "libwine").touch()
    for _ in range(2):
        assert "skipped" not in setup("--windows").stderr
    assert (fake / "wine/i386-windows/ntdll.dll").is_file()
    log = (fake / "log").read_text().splitlines()
    assert [line for line in log if "-architecture i386" in line] == [
        "dpkg --add-architecture i386", "dpkg --remove-architecture i386",
    ] * 2  # fmt: skip
    assert log.count("apt-get download libwine:i386") == 2
    assert {"gcc-mingw-w64-x86-64", "gcc-mingw-w64-i686", "wine64"} <= set().union(*installs(fake))


def test_libraries_of_packages_are_installed(fake: Path, setup: Setup) -> None:
    """All that are missing in one call, and a second run finds nothing left to do."""
    (fake / "installed").write_text("libgmp-dev\n")
    assert setup().returncode == 0
    assert installs(fake) == [LIBRARIES - {"libgmp-dev"}]
    assert setup().returncode == 0
    assert len(installs(fake)) == 1


def test_without_root_missing_libraries_are_named_and_no_failure(fake: Path, setup: Setup) -> None:
    """Packages that need them are skipped later."""
    (fake / "installed").write_text("libgmp-dev\n")
    done = setup(user="1000")
    assert (done.returncode, installs(fake)) == (0, [])
    (line,) = [one for one in done.stderr.splitlines() if "apt-get install" in one]
    assert set(line.split()[4:]) == LIBRARIES - {"libgmp-dev"}


def test_words_that_it_does_not_know_are_refused(fake: Path, setup: Setup) -> None:
    """A misspelt option must not pass for a complete setup."""
    done = setup("--target")
    assert (done.returncode, installs(fake)) == (2, [])
    assert "not --target" in done.stderr
