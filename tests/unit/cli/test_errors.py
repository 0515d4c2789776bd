# SPDX-License-Identifier: MIT
"""Wrong usage and missing tools: exit code 2, a message with the value, and the cure."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.caches import forget_jails
from tests.unit.cli.calling import Assay

from assay.configure.folder import write_configurations
from assay.execute.staging import staged_folder
from assay.model import Configuration
from assay.package.places import shipped

ROOT = Path(__file__).parents[3]


@pytest.fixture
def clone(tree: Path) -> Path:
    """Work on the small clone."""
    return tree


@pytest.fixture
def no_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make PATH a folder with everything that is in /usr/bin, but bwrap."""
    with staged_folder("assay-test-") as folder:
        for program in Path("/usr/bin").iterdir():
            if program.name != "bwrap":
                (folder / program.name).symlink_to(program)
        monkeypatch.setenv("PATH", str(folder))
        forget_jails()
        yield
        forget_jails()


@pytest.mark.usefixtures("no_bubblewrap")
@pytest.mark.parametrize("command", ["check", "run"])
def test_without_bubblewrap_nothing_runs_and_the_cure_is_told(assay: Assay, command: str) -> None:
    """The weaker jail is never taken silently."""
    done = assay(command, "rc4")
    assert (done.code, done.out) == (2, "")
    assert "error: the jail cannot run: bwrap is not installed" in done.err
    assert "--jail limits" in done.err


@pytest.mark.usefixtures("no_bubblewrap")
def test_without_bubblewrap_the_weaker_jail_serves_who_asks_for_it(assay: Assay) -> None:
    """`--jail limits` checks as well."""
    assert assay("check", "rc4", "--jail", "limits").code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("rc5",), "Did you mean rc4"),
        (("salsa",), "unknown package 'salsa'"),
        (("empty",), "there is no package in"),
        (("--conf", "gcc_default_O7"), "There are 1, such as gcc_default_O1."),
        (("--best", "0"), "--best"),
        (("--launches", "0"), "--launches"),
        (("--launches", "many"), "--launches"),
        (("--samples", "5000"), "--samples"),
        (("--sizes", "large"), "'large' names no sizes"),
        (("--sizes", "128"), "Write bits, as in 128/64, or `all`."),
        (("--sizes", "1/2/3/4"), "names no sizes"),
        (("--results",), "--results"),
        (("--jail", "open"), "'open' is not one of"),
        (("--frobnicate",), "No such option"),
    ],
)
def test_wrong_usage_of_run_is_exit_code_2(
    assay: Assay, arguments: tuple[str, ...], says: str
) -> None:
    """The value and what would be right; no results folder is made."""
    Path("empty").mkdir()
    done = assay("run", *arguments)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert [path.name for path in Path.cwd().iterdir()] == ["empty"]


def test_a_configuration_whose_compiler_has_gone_is_told(assay: Assay, tree: Path) -> None:
    """Compilers are removed after `configure`; the message names it."""
    gone = Configuration("gcc", "gcc-4.1", "", "-O1", "gcc_default_O1", "gcc-4.1_default_O1")
    write_configurations(tree / "reports-tester", [gone])
    done = assay("run", "rc4")
    assert done.code == 2
    assert "the compiler gcc-4.1 cannot be used: it is not on the path" in done.err
    assert "run `assay configure`" in done.err


def test_outside_of_a_tree_names_mean_the_shipped_packages(
    assay: Assay, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No submissions folder at or above the current one, and no ASSAY_ROOT."""
    monkeypatch.delenv("ASSAY_ROOT")
    done = assay("list", "--json", "chacha20/ref")
    assert [Path(one["root"]) for one in json.loads(done.out)] == [
        shipped() / "submissions/chacha20/ref"
    ]
    assert assay("check", str(tree / "submissions/rc4/ref")).code == 0  # vectors by its name


@pytest.mark.parametrize("command", ["check", "run", "list", "size"])
def test_the_current_folder_without_a_package_is_not_the_whole_tree(
    assay: Assay, command: str
) -> None:
    """`assay check .` in a folder of one's own must not pass for other people's packages."""
    done = assay(command, ".")
    assert (done.code, done.out) == (2, "")
    assert "there is no package in" in done.err
    assert "docs/guide/submit.md" in done.err


def test_a_root_that_is_no_folder_is_named(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clone that was moved, say."""
    monkeypatch.setenv("ASSAY_ROOT", "/nowhere/at/all")
    done = assay("list")
    assert done.code == 2
    assert "ASSAY_ROOT names /nowhere/at/all" in done.err


def test_within_a_tree_its_root_is_found(
    assay: Assay, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without ASSAY_ROOT any folder below the root serves."""
    monkeypatch.delenv("ASSAY_ROOT")
    monkeypatch.chdir(tree / "submissions/rc4")
    assert assay("check", "ref").code == 0
