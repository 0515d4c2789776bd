# SPDX-License-Identifier: MIT
"""What the jail keeps submitted code from, shown by programs that try."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.caches import forget_jails
from tests.unit.execute.conftest import RunShell

from assay.errors import MachineError
from assay.execute import jail as jail_module
from assay.execute.command import run_jailed
from assay.execute.jail import Jail, JailMode, Limits, choose_jail, strongest_jail

needs_proc = pytest.mark.skipif(
    not strongest_jail().proc, reason="the kernel gives jails no /proc of their own here"
)


@pytest.fixture
def secret() -> Iterator[Path]:
    """Give a file in the user's home folder that everybody may read."""
    path = Path.home() / ".assay-test-secret"
    path.write_text("the secret of the house\n")
    path.chmod(0o644)
    yield path
    path.unlink()


@pytest.mark.parametrize(
    "path",
    ["/etc/shadow", "/etc/passwd", "/etc/hostname", "/root", "/home", "/work", "/var", "/sys"],
)
def test_files_of_the_host_are_not_there(shell: RunShell, path: str) -> None:
    """Only /usr and what finding programs needs can be seen."""
    ended = shell(f"cat {path} || ls {path}")
    assert not ended.ok
    assert "No such file" in ended.output


def test_the_users_home_is_not_there(shell: RunShell, secret: Path) -> None:
    """Not even what everybody on the host may read."""
    ended = shell(f"cat {secret}; cat ~/{secret.name}; cat /proc/1/root{secret}")
    assert "the secret" not in ended.output
    assert ended.output.count("No such file") == 3


def test_other_temporary_folders_are_not_there(
    shell: RunShell, home: Path, tmp_path: Path
) -> None:
    """The temporary folder is a fresh one, with the jail's own folder in it and nothing else."""
    (tmp_path / "other").write_text("x")
    ended = shell("find /tmp -mindepth 1")
    found = {Path(line) for line in ended.output.splitlines()}
    assert home in found
    assert all(one in home.parents or one.is_relative_to(home) for one in found)


@pytest.mark.parametrize("place", ["/usr/x", "/etc/x", "/x", "/usr/bin/sh", "/dev/x", "/proc/x"])
def test_nothing_can_be_written_outside(shell: RunShell, place: str) -> None:
    """The system is read-only, for root's jail as for anybody's."""
    ended = shell(f"echo x > {place} && test -s {place} && echo written")
    assert "written" not in ended.output or not Path(place).exists()
    assert not Path("/x").exists()
    assert not Path("/usr/x").exists()


def test_only_the_own_folder_is_writable_and_only_if_it_shall_be(
    home: Path, jail: Jail, shell: RunShell
) -> None:
    """Compilers write into their folder; agents see it read-only."""
    assert shell("echo kept > result").ok
    assert (home / "result").read_text() == "kept\n"
    text = ["/bin/sh", "-c", "echo x > other"]
    with jail.confined(text, home, Limits(), writable=False) as confined:
        done = subprocess.run(
            confined.words, pass_fds=confined.descriptors, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
    assert done.returncode != 0
    assert "Read-only" in done.stderr
    assert not (home / "other").exists()


NETWORK = """
import socket
print([name for _, name in socket.if_nameindex()])
s = socket.socket()
s.settimeout(2)
print(s.connect_ex(('192.0.2.1', 80)) != 0)
"""


def test_there_is_no_network(home: Path, jail: Jail) -> None:
    """Sockets are refused, and without that wall behind it there is the loopback device only."""
    ended = run_jailed(["/usr/bin/env", "python3", "-c", NETWORK], home, jail, Limits())
    if "No such file" in ended.output:
        pytest.skip("no system Python in the jail")
    assert "PermissionError: [Errno 1]" in ended.output
    words = ["/usr/bin/env", "python3", "-c", NETWORK]
    with jail.confined(words, home, Limits(), writable=True) as confined:
        at = confined.words.index("--seccomp")
        unfiltered = [*confined.words[:at], *confined.words[at + 2 :]]
        done = subprocess.run(unfiltered, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["['lo']", "True"]


@needs_proc
def test_abstract_sockets_of_the_host_are_out_of_reach(shell: RunShell) -> None:
    """A network namespace of its own hides the host's listeners, too."""
    ended = shell("cat /proc/net/unix | wc -l; cat /proc/net/tcp | wc -l")
    assert ended.output.split() == ["1", "1"]


@needs_proc
def test_the_environment_of_the_bench_is_not_seen(
    shell: RunShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor what the first process of the jail was started with: that one is bubblewrap's."""
    monkeypatch.setenv("ASSAY_SECRET", "of the house")
    ended = shell("for one in /proc/[0-9]*/environ; do tr '\\0' ' ' < $one; done; echo looked")
    assert ended.output.endswith("looked\n")
    assert "PATH=" in ended.output
    assert "of the house" not in ended.output


@needs_proc
def test_other_processes_are_not_seen(shell: RunShell) -> None:
    """The jail's processes are numbered from one, and are all there is."""
    ended = shell("ls /proc | grep -c '^[0-9]*$'; kill -0 4000; echo $?")
    seen, *_, killed = ended.output.split()
    assert int(seen) <= 6
    assert killed == "1"


def test_the_environment_is_not_handed_on(
    shell: RunShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tokens in the user's environment stay there; the variables are a fixed few."""
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    names = {line.partition("=")[0] for line in shell("env").output.splitlines()}
    assert names - {"PWD", "OLDPWD", "SHLVL", "_"} == {
        "ASSAY_PADDING", "HOME", "LC_ALL", "PATH", "TMPDIR",
    }  # fmt: skip


@needs_proc
def test_no_rights_are_left_to_take(shell: RunShell) -> None:
    """No capabilities, no user database, and set-uid programs give nothing."""
    status = shell("grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status").output.split()
    assert status == ["CapEff:", "0" * 16, "CapBnd:", "0" * 16, "NoNewPrivs:", "1"]
    assert shell("id -u").output.strip() != "0"


def test_the_weaker_mode_names_itself() -> None:
    """What stands in every result tells the two apart."""
    assert choose_jail("limits").mode.value == "limits only"
    assert choose_jail("bubblewrap").mode.value == "bubblewrap"


def test_the_weaker_mode_clears_the_environment(
    shell: RunShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no walls, but it hands no secrets over."""
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    ended = shell("env; pwd; id -u", inside=Jail(JailMode.LIMITS_ONLY))
    assert "hunter2" not in ended.output
    assert ended.output.splitlines()[-1] != "0"


@pytest.fixture
def nothing_cached() -> Iterator[None]:
    """Let the jail look for its tools again, before and after a test."""
    forget_jails()
    yield
    forget_jails()


@pytest.mark.usefixtures("nothing_cached")
def test_a_missing_bubblewrap_is_told_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without bwrap nothing runs, unless the user accepts the weaker mode."""
    for name in ("setpriv", "prlimit"):
        (tmp_path / name).symlink_to(f"/usr/bin/{name}")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match="bwrap is not installed") as caught:
        strongest_jail()
    assert "apt-get install bubblewrap" in caught.value.cure
    assert "--jail limits" in caught.value.cure
    assert choose_jail("limits").mode is JailMode.LIMITS_ONLY


@pytest.fixture
def bubblewrap(
    nothing_cached: None,  # noqa: ARG001
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[str], None]:
    """Give a function that puts a shell text in bubblewrap's place."""

    def put(text: str) -> None:
        (home / "bwrap").write_text(f"#!/bin/sh\n{text}\n")
        (home / "bwrap").chmod(0o755)
        home.chmod(0o777)
        monkeypatch.setenv("PATH", f"{home}:{os.environ['PATH']}")

    return put


def test_a_bubblewrap_that_cannot_run_is_told_with_what_it_says(
    bubblewrap: Callable[[str], None],
) -> None:
    """Kernels without user namespaces refuse; their words are passed on."""
    bubblewrap("echo 'No permissions to create' >&2; exit 1")
    with pytest.raises(MachineError, match="the jail cannot run: No permissions to create"):
        strongest_jail()


def test_a_kernel_that_gives_no_proc_is_asked_twice_and_leaves_a_jail_without(
    bubblewrap: Callable[[str], None], home: Path
) -> None:
    """Containers hide parts of their own /proc, and so may give no other."""
    bubblewrap('case "$*" in *"--proc /proc"*) mktemp "$0.XXXXXX"; exit 1;; esac')
    assert strongest_jail() == Jail(JailMode.BUBBLEWRAP, proc=False)
    assert len(list(home.glob("bwrap.*"))) == 2


def test_what_refused_a_jail_once_is_not_believed(bubblewrap: Callable[[str], None]) -> None:
    """A busy machine has no processes left for a moment, and the next jails are whole again."""
    bubblewrap('[ -d "$0.refused" ] || { mkdir "$0.refused"; exit 1; }')
    assert strongest_jail() == Jail(JailMode.BUBBLEWRAP)


def test_a_failure_is_not_kept(bubblewrap: Callable[[str], None]) -> None:
    """A service outlives the moment in which nothing could be started."""
    bubblewrap("exit 1")
    with pytest.raises(MachineError):
        strongest_jail()
    bubblewrap('exec /usr/bin/bwrap "$@"')
    assert strongest_jail().mode is JailMode.BUBBLEWRAP


@pytest.mark.usefixtures("nothing_cached")
def test_a_limit_that_is_lower_already_is_no_lack_of_programs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Batch systems set them; installing anything would not help."""
    said = "prlimit: failed to set the AS resource limit: Operation not permitted"
    monkeypatch.setattr(jail_module, "_trial", lambda _: said)
    with pytest.raises(MachineError, match="AS resource limit") as refused:
        strongest_jail()
    assert "ulimit -Ha" in refused.value.cure
