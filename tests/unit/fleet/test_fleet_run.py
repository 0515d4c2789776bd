# SPDX-License-Identifier: MIT
"""One campaign on the machines of a file: this one, some behind ssh, targets, and broken ones."""

import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay, calling
from tests.unit.cli.test_archived import measured
from tests.unit.execute.ssh_server import Server, serving, wait_for
from tests.unit.fleet.sealing import new_key

from assay import __version__
from assay.errors import UsageError
from assay.fleet import course, following
from assay.fleet.archived import folders
from assay.fleet.bundle import signed_by
from assay.fleet.plan import FleetMachine, read_fleet
from assay.store import FILE_NAME, Store

# What stands for Assay on another machine: `run` takes results that lie there, the rest is real.
THERE = """#!/bin/sh
cd "{there}" || exit 9
echo "$PWD: $*" >>calls
case $1 in
--version) echo "assay, version {version}" ;;
run) {run} ;;
bundle) shift; cd "$OLDPWD" && exec {program} bundle "$@" ;;
esac
"""
PROGRAM = shlex.join(following.PROGRAM)
RUN = 'ls -R "$OLDPWD/packages" >>calls; cp -r results "$OLDPWD/"; echo "1 cell, 0 failed."'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a server that knows two machines."""
    with serving(tmp_path_factory.mktemp("fleet"), {"there": "", "other": ""}) as started:
        yield started


@pytest.fixture
def assay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Give the command line in an empty folder, where this machine's own runs only say so."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(course, "FOLDER", str(tmp_path / "campaigns"))
    own = f"import sys; sys.argv[0] = ''; exec(open({str(tmp_path / 'own.py')!r}).read())"
    (tmp_path / "own.py").write_text("print('own', *sys.argv[1:])")
    program = sys.executable, "-c", own
    monkeypatch.setattr("assay.cli.fleet.FleetRun", partial(course.FleetRun, program=program))
    return calling(monkeypatch, capsys)


def installed(name: str, host: str, run: str = RUN, version: str = __version__) -> Path:
    """Put an Assay for another machine into a folder, with the results that it will find."""
    there = Path(name).absolute()
    there.mkdir()
    measured(there / "results", host).close()
    script = there / "assay"
    script.write_text(THERE.format(there=there, program=PROGRAM, run=run, version=version))
    script.chmod(0o755)
    return script


def fleet(*machines: str, top: str = "") -> str:
    """Write a fleet's file."""
    Path("fleet.toml").write_text("\n".join([top, *(f"[[machine]]\n{one}\n" for one in machines)]))
    return "fleet.toml"


def hosts(results: str) -> set[str]:
    """Return the machines whose results a folder holds."""
    found = set()
    for folder in folders(Path(results)):
        if not (folder / FILE_NAME).exists():
            continue
        with Store.open(folder, read_only=True) as store:
            machine = store.machine()
            found.add(machine.host if machine else "")
    return found


def package() -> Path:
    """Make a package's folder."""
    words = [*shlex.split(PROGRAM), "new", "mine", "--api", "sha3-nist"]
    subprocess.run(words, check=True, capture_output=True)
    return Path("mine")


def test_all_machines_of_a_file_fill_one_folder_and_one_report(
    server: Server, assay: Assay
) -> None:
    """This one and a target run here, one after another; two behind ssh send bundles.

    Options for all machines that exact counts have no use for are left out there.
    """
    del server
    first, second = installed("first", "alpha"), installed("second", "beta")
    path = fleet(
        'name = "here"',
        f'name = "hydra"\nssh = "there"\nassay = "{first}"\noptions = ["--best", "2"]',
        f'name = "lyra"\nssh = "other"\nassay = "{second}"',
        'name = "ppc"\ntarget = "qemu-ppc603e"',
        top='options = ["--launches", "3", "--glance"]',
    )
    done = assay("fleet", "run", path, str(package()), "--results", "out")
    assert done.code == 0, done.err
    assert hosts("out") == {"alpha", "beta"}
    assert "here: own run mine --results out --launches 3 --glance\n" in done.err
    assert "ppc: own run mine --results out --glance --target qemu-ppc603e\n" in done.err
    for line in ("here (this machine): done", "hydra (ssh there): done", "ppc (target"):
        assert line in done.out
    calls = Path("first/calls").read_text()
    assert "run packages/0/mine --launches 3 --glance --best 2 --results results" in calls
    assert "packages/0/mine:\n" in calls
    pages = "".join(page.read_text() for page in Path("out").rglob("*.html"))
    assert "alpha" in pages
    assert "beta" in pages


def test_a_machine_that_cannot_be_reached_is_named_and_taken_up_later(
    server: Server, assay: Assay
) -> None:
    """The others are not kept from their work, and nothing of theirs is taken twice."""
    del server
    first = installed("first", "alpha")
    entry = 'name = "hydra"\nssh = "{}"\nassay = "' + str(first) + '"'
    second = f'name = "lyra"\nssh = "other"\nassay = "{installed("second", "beta")}"'
    words = ("fleet", "run", fleet(entry.format("closed"), second), "--results", "out")
    done = assay(*words)
    assert done.code == 3
    assert "hydra (ssh closed): not reached" in done.out
    assert "Connection refused" in done.out
    assert "takes up what is left: hydra" in done.out
    assert hosts("out") == {"beta"}
    fleet(entry.format("there"), second)
    done = assay(*words)
    assert done.code == 0, done.out
    assert hosts("out") == {"alpha", "beta"}
    assert "lyra: imported before" in done.err
    assert len(list(Path("out/machines").glob("*/results.sqlite"))) == 2


@pytest.mark.parametrize(
    ("ssh", "command", "says"),
    [
        ("closed", "assay", "Connection refused"),
        ("refused", "assay", "Permission denied"),
        ("there", "/nowhere/assay", "no Assay answers as /nowhere/assay on there"),
    ],
)
def test_no_machine_at_all_is_an_error(
    server: Server, assay: Assay, ssh: str, command: str, says: str
) -> None:
    """With the reason of each and a cure."""
    del server
    path = fleet(f'name = "hydra"\nssh = "{ssh}"\nassay = "{command}"')
    done = assay("fleet", "run", path, "salsa20/ref", "--results", "out")
    assert done.code == 2
    assert says in done.out
    assert "no machine could do anything" in done.err


@pytest.mark.parametrize(("code", "state", "ends"), [(1, "something failed", 1), (3, "open", 3)])
def test_what_fails_on_one_machine_is_the_exit_code(
    server: Server, assay: Assay, code: int, state: str, ends: int
) -> None:
    """And its results are taken all the same."""
    del server
    run = f"{RUN}; echo 'salsa20/ref fails vectors'; exit {code}"
    first = installed("first", "alpha", run)
    path = fleet(f'name = "hydra"\nssh = "there"\nassay = "{first}"')
    done = assay("fleet", "run", path, "salsa20/ref", "--results", "out")
    assert done.code == ends
    assert state in done.out
    assert "salsa20/ref fails vectors" in done.out
    assert hosts("out") == {"alpha"}


def test_a_run_that_could_not_begin_there_says_why(server: Server, assay: Assay) -> None:
    """Its code is that of wrong usage or of a machine that lacks something."""
    del server
    first = installed("first", "alpha", "echo 'error: no compiler' >&2; exit 2")
    path = fleet(f'name = "hydra"\nssh = "there"\nassay = "{first}"', 'name = "here"')
    done = assay("fleet", "run", path, "salsa20/ref", "--results", "out")
    assert done.code == 3
    assert "hydra (ssh there): not run" in done.out
    assert "error: no compiler" in done.out
    assert hosts("out") == set()


def test_another_version_there_is_said_and_results_that_cannot_be_read_are_refused(
    server: Server, assay: Assay
) -> None:
    """Tables of a later version cannot be read by this one, and nothing of them is taken."""
    del server
    first = installed("first", "alpha", version="9.9.9")
    path = fleet(f'name = "hydra"\nssh = "there"\nassay = "{first}"')
    done = assay("fleet", "run", path, "salsa20/ref", "--results", "out")
    assert done.code == 0
    assert "Assay 9.9.9 there" in done.err
    later = 'cp -r results later; tar -czf "$OLDPWD/results.tar.gz" later'
    sent = f"bundle) {later}; exit; shift"
    first.write_text(first.read_text().replace("bundle) shift", sent))
    with closing(sqlite3.connect("first/results/results.sqlite")) as file:
        file.execute("UPDATE meta SET value = 999 WHERE key = 'version'")
        file.commit()
    done = assay("fleet", "run", path, "salsa20/ref", "--results", "again")
    assert done.code == 2
    assert "has version 999, this Assay knows up to" in done.out
    assert not Path("again/machines").exists()


def test_machines_sign_and_only_allowed_signers_are_taken(server: Server, assay: Assay) -> None:
    """The key stays on the machine; the file says who may sign."""
    del server
    key = new_key("key").absolute()
    first = installed("first", "alpha")
    entry = f'name = "hydra"\nssh = "there"\nassay = "{first}"\nkey = "{key}"'
    Path("allowed").write_text(f"hydra@lab {Path('key.pub').read_text()}")
    words = ("fleet", "run", fleet(entry, top='allowed-signers = "allowed"'), "--results", "out")
    done = assay(*words)
    assert done.code == 0, done.out
    assert "signed by hydra@lab" in done.err
    (taken,) = folders(Path("out"))
    assert signed_by(taken, Path("allowed")) is not None
    new_key("other")
    Path("allowed").write_text(f"other@lab {Path('other.pub').read_text()}")
    done = assay(*words[:-1], "again")
    assert done.code == 2
    assert "does not allow" in done.out
    assert not Path("again/machines").exists()


def test_what_runs_on_another_machine_ends_with_the_command(
    server: Server, assay: Assay, tmp_path: Path
) -> None:
    """However that ends: the session's input ends with it."""
    del server, assay
    first = installed("first", "alpha", "echo begun; exec sleep 4321")
    path = fleet(f'name = "hydra"\nssh = "there"\nassay = "{first}"')
    here = f"from assay.fleet import course; course.FOLDER = {course.FOLDER!r}"
    start = [sys.executable, "-c", f"{here}; from assay.cli.program import program; program()"]
    words = [*start, "fleet", "run", path, "salsa20/ref", "--results", "out"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "hydra: begun\n"
        assert wait_for(lambda: bool(sleeping(tmp_path)))
        process.kill()
    assert wait_for(lambda: not sleeping(tmp_path))


def sleeping(folder: Path) -> list[Path]:
    """Return the processes that sleep in a folder for another machine."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
            where = (entry.parent / "cwd").readlink()
        except OSError:
            continue
        if words[:2] == [b"sleep", b"4321"] and where.is_relative_to(folder):
            found.append(entry)
    return found


def test_a_fleet_of_two_machines_is_read_as_it_is_written(assay: Assay) -> None:
    """Options of all come before those of one, and paths are beside the file."""
    del assay
    Path("sub").mkdir()
    Path("sub/allowed").write_text("")
    Path("sub/fleet.toml").write_text(
        'options = ["--best", "4"]\nallowed-signers = "allowed"\n'
        '[[machine]]\nname = "here"\n[[machine]]\nname = "avr"\n'
        'target = "simavr-atmega1281"\noptions = ["--launches", "2"]\n'
    )
    found = read_fleet(Path("sub/fleet.toml"))
    assert found.machines == (
        FleetMachine("here", options=("--best", "4")),
        FleetMachine(
            "avr", target="simavr-atmega1281", options=("--best", "4", "--launches", "2")
        ),
    )
    assert found.allowed == Path("sub/allowed")
    assert found.only(("avr",)).machines == found.machines[1:]
    with pytest.raises(UsageError, match=r"none\.toml cannot be read: No such file or directory$"):
        read_fleet(Path("none.toml"))
    with pytest.raises(UsageError, match="no machine 'arv'"):
        found.only(("arv",))


BAD: Sequence[tuple[str, str]] = (
    ("", "names no machine"),
    ("machine = 3", "names no machine"),
    ("[[machine", "Expected"),
    ("[machine]\nname = 'a'", "names no machine"),
    ("fleet = 1\n[[machine]]\nname = 'a'", "the file has no field 'fleet'"),
    ("[[machine]]\nname = 'a'\nhost = 'b'", "a machine has no field 'host'"),
    ("[[machine]]\nname = '../a'", "is no name of a machine"),
    ("[[machine]]\nssh = 'a'", "is no name of a machine"),
    ("[[machine]]\nname = 'a'\n[[machine]]\nname = 'a'\nssh = 'b'", "two machines are called a"),
    ("[[machine]]\nname = 'a'\n[[machine]]\nname = 'b'", "are one machine: this one"),
    ("[[machine]]\nname = 'a'\nssh = 'x'\ntarget = 'qemu-mips'", "has `ssh` and `target`"),
    ("[[machine]]\nname = 'a'\nassay = 'x'", "are for machines with `ssh`"),
    ("[[machine]]\nname = 'a'\nssh = '-oProxyCommand=id'", "begins with a dash"),
    ("[[machine]]\nname = 'a'\nssh = 7", "`ssh` is 7"),
    ("[[machine]]\nname = 'a'\ntarget = 'qemu-mip'", "Did you mean qemu-mips"),
    ("[[machine]]\nname = 'a'\noptions = '--best'", "no list of strings"),
    ("[[machine]]\nname = 'a'\noptions = ['--results', '/']", "no option '--results'"),
    ("targets-file = 'none.toml'\n[[machine]]\nname = 'a'", "there is no file none.toml"),
)


@pytest.mark.parametrize(("text", "says"), BAD)
def test_what_is_wrong_in_a_fleets_file_is_said_before_anything_runs(
    assay: Assay, text: str, says: str
) -> None:
    """With the value and a cure."""
    Path("fleet.toml").write_text(text)
    done = assay("fleet", "run", "fleet.toml", "salsa20/ref", "--results", "out")
    assert done.code == 2
    assert says in done.err
    assert "Traceback" not in done.err
    assert not Path("out").exists()


@pytest.mark.parametrize("path", ["none.toml", "."])
def test_a_fleets_file_that_is_none_is_said(assay: Assay, path: str) -> None:
    """Missing, or a folder."""
    done = assay("fleet", "run", path)
    assert done.code == 2
    assert "docs/guide/fleet.md" in done.err
