# SPDX-License-Identifier: MIT
"""Whole campaigns, called as a user calls them: what is kept, and what is never done twice."""

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.campaign.conftest import Finished, Tree

from assay.model import Cell, Verdict
from assay.summary.cells import cell_results

CODES, CELLS = 2, 3  # of the tree's one package under its three configurations
LOCKS = {"assay-machine.lock", "assay-gate.lock"}

NOTHING = {"build": 0, "examine": 0, "launch": 0}
Until = Callable[[Callable[[], bool]], bool]


def texts(results: Path) -> set[str]:
    """Name the text files of a results folder."""
    return {path.name for path in results.glob("submissions/*/*/*_*")}


def launches(tree: Tree) -> int:
    """Count the launches that are stored."""
    with tree.store() as store:
        return len(store.launch_heads())


def test_a_run_stores_results_and_writes_the_texts(finished: Finished) -> None:
    """Every cell has a build, verdicts and figures; nothing is left in temporary folders."""
    tree, done = finished.tree, finished.first
    said = f"3 cells in {tree.results}, 0 failed.\n`assay show {tree.results}` prints the table.\n"
    assert (done.returncode, done.stdout) == (0, said)
    with tree.store() as store:
        results = cell_results(store)
        campaign = store.campaigns()[0]
        machine = store.machine()
    assert [one.cell.selector for one in results] == ["rc4/ref"] * CELLS
    assert all(one.build.ok and one.figures and one.counter for one in results)
    assert all(c.verdict is not Verdict.FAIL for one in results for c in one.checks)
    assert {one.build.jail for one in results} == {"bubblewrap"}
    assert campaign.finished_at is not None
    assert campaign.arguments[0] == "run"
    assert machine is not None
    assert {path.name for path in tree.temporary.iterdir()} == LOCKS


def test_identical_code_is_measured_once_and_shown_for_both(finished: Finished) -> None:
    """Two configurations with one object code: one is checked and launched, both have figures."""
    tree = finished.tree
    assert finished.did == {"build": CELLS, "examine": CODES, "launch": CODES}
    with tree.store() as store:
        results = {one.cell.configuration: one for one in cell_results(store)}
    twins = [results["gcc_default_O2"], results["gcc_default_O2fnounrollloops"]]
    (shared,) = [one for one in twins if one.shared_with]
    (measured,) = [one for one in twins if not one.shared_with]
    assert shared.shared_with == measured.cell
    assert [one.points for one in shared.figures] == [one.points for one in measured.figures]
    assert {one.shared for one in shared.figures} == {measured.cell.configuration}
    assert results["gcc_default_O1"].shared_with is None
    kinds = sorted(name.partition("_")[0] for name in texts(tree.results))
    assert kinds == ["info", "speed", "speed"]


def test_the_same_command_does_nothing_twice(finished: Finished) -> None:
    """A second run finds everything in the store, and says the same."""
    tree, first = finished.tree, finished.first
    before = texts(tree.results)
    again = tree.run()
    assert (again.returncode, again.stdout) == (first.returncode, first.stdout)
    assert tree.done() == NOTHING
    assert texts(tree.results) == before


def test_more_launches_are_added_to_those_that_are_there(tree: Tree) -> None:
    """Asking for three after one measures two more of each code."""
    tree.run()
    tree.done()
    tree.run("--launches", "3")
    assert tree.done() == {"build": 0, "examine": 0, "launch": CODES * 2}


def test_sizes_that_an_earlier_call_left_out_are_measured_later(tree: Tree) -> None:
    """A launch counts only for a call all of whose sizes it measured."""
    few = ("run", "--best", "1", "--launches", "1", "--samples", "1")
    tree.assay(*few, "--sizes", "128/0")
    tree.done()
    assert tree.assay(*few).returncode == 0
    assert tree.done()["launch"] > 0
    with tree.store() as store:
        (result,) = (one for one in cell_results(store) if one.figures)
        assert {figure.sizes.key_bits for figure in result.figures} == {128, 256}
    tree.assay(*few, "--sizes", "256/0")
    assert tree.done()["launch"] == 0


def test_a_changed_package_is_built_again_and_no_other(tree: Tree) -> None:
    """A changed constant rebuilds that package's cells; the other package is left alone."""
    tree.add("benchmarks/rc4/fast", "rc4/fast")
    tree.run("--best", "1")
    assert tree.done() == {"build": 2, "examine": 2, "launch": 2}
    source = tree.root / "submissions/rc4/ref/rc4.c"
    source.write_text(source.read_text() + "const u8 added[4] = {1, 2, 3, 4};\n")
    assert tree.run("--best", "1").returncode == 0
    assert tree.done() == {"build": 1, "examine": 1, "launch": 1}


def test_a_changed_comment_is_not_measured_again(tree: Tree) -> None:
    """The package is another and is built and checked; its code is the one that was measured."""
    tree.run("--best", "1")
    tree.done()
    source = tree.root / "submissions/rc4/ref/rc4.c"
    source.write_text("/* one more comment */\n" + source.read_text())
    tree.run("--best", "1")
    assert tree.done() == {"build": 1, "examine": 1, "launch": 0}
    assert texts(tree.results) == {"speed_1_gcc_default_O2"}


def test_changed_vectors_are_compared_again_and_nothing_is_measured_again(tree: Tree) -> None:
    """A verdict lasts as long as what it was judged by; a figure is of the code alone."""
    tree.run("--best", "1")
    tree.done()
    vectors = tree.root / "submissions/rc4/verified.test-vectors"
    wrong = vectors.read_text().replace("stream[0..63] = ", "stream[0..63] = FFFF", 1)
    vectors.write_text(re.sub("(= FFFF.*)....$", r"\1", wrong, count=1, flags=re.MULTILINE))
    assert tree.run("--best", "1").returncode == 1
    assert tree.done() == {"build": 1, "examine": 1, "launch": 0}
    with tree.store() as store:
        (result,) = cell_results(store)
    assert "vectors/verified" in {c.check for c in result.checks if c.verdict is Verdict.FAIL}


def test_the_vectors_of_code_that_fails_them_lie_beside_its_errors(tree: Tree) -> None:
    """They are what `assay vectors` writes, and go when the code is right."""
    verified = tree.root / "submissions/rc4/verified.test-vectors"
    right = verified.read_text()
    wrong = right.replace("stream[0..63] = ", "stream[0..63] = FFFF", 1)
    verified.write_text(re.sub("(= FFFF.*)....$", r"\1", wrong, count=1, flags=re.MULTILINE))
    assert tree.run("--best", "1").returncode == 1
    name = "gcc_default_O2"
    assert texts(tree.results) == {f"errors_1_{name}", f"vectors_1_{name}"}
    (own,) = tree.results.glob("submissions/*/*/vectors_*")
    assert right.split() == own.read_text().split()
    verified.write_text(right)
    assert tree.run("--best", "1").returncode == 0
    assert texts(tree.results) == {f"speed_1_{name}"}


def test_a_killed_campaign_loses_at_most_the_launch_in_flight(tree: Tree, until: Until) -> None:
    """After kill -9 the same command completes, without building or checking again."""
    wanted = ("run", "--launches", "8", "--samples", "1", "--sizes", "128/0")
    with tree.start(*wanted) as process:
        assert until(lambda: tree.log.exists() and tree.log.read_text().count("launch") >= 2)
        process.send_signal(signal.SIGKILL)
    logged = tree.done()
    kept = launches(tree)
    assert logged["launch"] - 1 <= kept <= logged["launch"] + 1
    assert kept < 8 * CODES
    done = tree.assay(*wanted)
    assert done.returncode == 0
    assert tree.done() == {"build": 0, "examine": 0, "launch": 8 * CODES - kept}
    assert launches(tree) == 8 * CODES
    with tree.store() as store:
        killed, finished = store.campaigns()
    assert killed.finished_at is None
    assert finished.finished_at is not None


def test_a_campaign_killed_while_building_goes_on(tree: Tree, until: Until) -> None:
    """Builds that were finished are not repeated; a cut one is no agent."""
    with tree.start("run", "--launches", "1", "--samples", "1", "--sizes", "128/0") as process:
        assert until(lambda: tree.log.exists() and "build" in tree.log.read_text())
        process.send_signal(signal.SIGKILL)
    tree.done()
    assert tree.run().returncode == 0
    assert tree.done()["launch"] <= CODES
    assert launches(tree) == CODES


def test_ctrl_c_keeps_what_was_done_and_says_how_to_go_on(tree: Tree, until: Until) -> None:
    """SIGINT exits with 130; results are stored and written, temporary folders gone."""
    wanted = ("run", "--launches", "8", "--samples", "1", "--sizes", "128/0")
    with tree.start(*wanted) as process:
        assert until(lambda: tree.log.exists() and tree.log.read_text().count("launch") >= 3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "error: interrupted" in err
    assert "the same command continues" in err
    assert "Traceback" not in err
    kept = launches(tree)
    assert kept >= tree.done()["launch"] - 1 >= 2
    assert texts(tree.results)
    assert {path.name for path in tree.temporary.iterdir()} == LOCKS
    assert tree.assay(*wanted).returncode == 0
    assert launches(tree) == 8 * CODES


def spoil(package: Path, old: str, new: str, file: str = "rc4.c") -> None:
    """Change a package's text."""
    text = (package / file).read_text()
    assert old in text
    (package / file).write_text(text.replace(old, new))


def test_failing_packages_are_records_and_the_others_are_measured(tree: Tree) -> None:
    """What does not compile, link, load, answer or agree is told; the rest is measured."""
    spoil(tree.add("benchmarks/rc4/ref", "bad/compile"), "u32 i, j = 0;", "u32 i, j = nothing;")
    spoil(tree.add("benchmarks/rc4/ref", "bad/link"), "void ECRYPT_init", "void init")
    spoil(tree.add("benchmarks/rc4/ref", "bad/wrong"), "ctx->i + 1", "ctx->i + 2")
    spoil(tree.add("benchmarks/rc4/ref", "bad/dies"), "#include", "#include <stdlib.h>\n#include")
    dies = tree.root / "submissions/bad/dies/rc4.c"
    dies.write_text(
        dies.read_text() + "__attribute__((constructor)) static void go(void) { exit(5); }\n"
    )
    spoil(
        tree.add("benchmarks/rc4/ref", "bad/block"),
        "ECRYPT_BLOCKLENGTH 1",
        "ECRYPT_BLOCKLENGTH 0",
        "ecrypt-sync.h",
    )  # fmt: skip
    (tree.add("benchmarks/rc4/ref", "bad/headless") / "ecrypt-sync.h").unlink()
    done = tree.run("--best", "1")
    assert done.returncode == 1
    assert "6 cells" in done.stdout
    assert "5 failed" in done.stdout
    assert "bad/headless cannot be loaded" in done.stderr
    with tree.store() as store:
        results = {one.cell.selector: one for one in cell_results(store)}
        assert [one.selector for one in store.broken_packages()] == ["bad/headless"]
    assert results["rc4/ref"].figures
    failed = {
        name: [check.check for check in one.checks if check.verdict is Verdict.FAIL]
        for name, one in results.items()
    }
    assert failed.pop("bad/wrong")
    assert failed == {
        "rc4/ref": [],
        "bad/compile": ["build/compiles"],
        "bad/link": ["build/links"],
        "bad/dies": ["agent/answers"],
        "bad/block": ["agent/answers"],
    }
    assert not any(one.figures for name, one in results.items() if name != "rc4/ref")
    written = {path.parent.name for path in tree.results.glob("submissions/bad/*/errors_*")}
    assert written == {"compile", "link", "wrong", "dies", "block"}
    errors = tree.results / "submissions/bad/link/errors_1_gcc_default_O2"
    assert "the code does not define ECRYPT_init" in errors.read_text()


def test_a_package_that_was_mended_is_no_longer_failed(tree: Tree) -> None:
    """The record of the failure goes with the package as it was."""
    package = tree.root / "submissions/rc4/ref"
    spoil(package, "void ECRYPT_init", "void init")
    assert tree.run("--best", "1").returncode == 1
    spoil(package, "void init", "void ECRYPT_init")
    assert tree.run("--best", "1").returncode == 0
    assert texts(tree.results) == {"speed_1_gcc_default_O2"}


def test_the_weaker_jail_stands_in_every_result(tree: Tree) -> None:
    """Builds, launches and texts say so; nothing built in one jail is taken for the other."""
    tree.run("--best", "1")
    tree.done()
    tree.run("--best", "1", "--jail", "limits", "--launches", "2")
    assert tree.done()["build"] == 1
    with tree.store() as store:
        (result,) = cell_results(store)
        jails = [launch.jail for launch in store.launches(Cell("rc4/ref", 1, "gcc_default_O2"))]
    assert result.build.jail == "limits only"
    assert set(jails) == {"bubblewrap", "limits only"}
    (text,) = tree.results.glob("submissions/rc4/ref/*_*")
    assert "jail: limits only" in text.read_text()


def test_variants_are_cells_of_their_own(tree: Tree) -> None:
    """Two variants with one object code are built, checked and shown apart."""
    spoil(tree.root / "submissions/rc4/ref", "MAXVARIANT 1", "MAXVARIANT 2", "ecrypt-sync.h")
    assert tree.run("--best", "1").returncode == 0
    assert texts(tree.results) == {"speed_1_gcc_default_O2", "speed_2_gcc_default_O2"}


def test_the_shortlists_best_come_first(tree: Tree) -> None:
    """--shortlist-only leaves out what has no score; other tests use --best."""
    tree.run("--shortlist-only")
    assert texts(tree.results) == {"speed_1_gcc_default_O2", "speed_1_gcc_default_O1"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change users")
def test_a_lock_of_another_user_is_no_obstacle(tree: Tree) -> None:
    """The lock's file may belong to whoever measured here first."""
    lock = tree.temporary / "assay-machine.lock"
    lock.touch(mode=0o644)
    os.chown(lock, 12345, 12345)
    assert tree.run("--best", "1").returncode == 0
