# SPDX-License-Identifier: MIT
"""`check --watch`: which saves are answered, how it ends, and what it does not go with."""

import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.unit.cli.calling import calling
from tests.unit.mock.standing import stand_in

from assay.cli.watch import ANSWER_SECONDS, SoFar, watched
from assay.errors import UsageError
from assay.model import BrokenPackage, CheckResult, Package, Verdict
from assay.package.discover import Found


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Give the one file of a package."""
    file = tmp_path / "package" / "code.c"
    file.parent.mkdir()
    file.write_text("first")
    return file


def seen(source: Path) -> Found:
    """Return a package as it is at the moment."""
    return stand_in(Package, root=source.parent, identity=source.read_text())


def identity(found: Sequence[Found]) -> str:
    """Return what a package was when it was found."""
    (one,) = found
    assert not isinstance(one, BrokenPackage)
    return one.identity


def answered(source: Path, saves: list[str]) -> tuple[int, list[str]]:
    """Watch, save a text after each verdict, and press Ctrl-C where there is none left.

    The exit code of a verdict is the length of what was judged.
    """
    judged: list[str] = []

    def look() -> tuple[Found, ...]:
        if not source.exists():
            raise UsageError("the file is gone", "Save it.")
        return (seen(source),)

    def judge(found: Sequence[Found]) -> int:
        judged.append(identity(found))
        if len(judged) > len(saves):
            raise KeyboardInterrupt
        source.write_text(saves[len(judged) - 1])
        return len(judged[-1])

    return watched(look, judge), judged


def test_each_save_is_judged_and_ctrl_c_ends_with_the_last_code(source: Path) -> None:
    """One that comes before the system watches is not lost, nor one during a verdict."""
    code, judged = answered(source, ["a second", "the third one"])
    assert judged == ["first", "a second", "the third one"]
    assert code == len("a second")


def test_a_folder_that_is_replaced_is_watched_on(source: Path, tmp_path: Path) -> None:
    """As git does when another branch is checked out."""
    judged: list[str] = []

    def look() -> tuple[Found, ...]:
        return (seen(source),)

    def judge(found: Sequence[Found]) -> int:
        judged.append(identity(found))
        if len(judged) == 1:
            source.parent.rename(tmp_path / "away")
            source.parent.mkdir()
            source.write_text("another")
        elif len(judged) == 2:
            source.write_text("once more")
        else:
            raise KeyboardInterrupt
        return 3

    assert watched(look, judge) == 3
    assert judged == ["first", "another", "once more"]


def test_ctrl_c_before_a_verdict_is_an_interrupt(source: Path) -> None:
    """There is no code to end with."""
    with pytest.raises(KeyboardInterrupt):
        answered(source, [])


@pytest.mark.parametrize("option", ["--all-configs", "--results=r"])
def test_what_is_kept_does_not_go_with_it(
    option: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is refused before anything is built."""
    done = calling(monkeypatch, capsys)("check", "chacha20/ref", "--watch", option)
    assert (done.code, "do not go together" in done.err) == (2, True), done.err


def test_a_long_verdict_says_once_on_the_way_what_has_passed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A save is answered at once: that the outputs are right is known long before the rest is."""
    hear = SoFar(began=time.monotonic() - ANSWER_SECONDS)
    for name in ("vectors/verified", "buffers/guard"):
        hear(CheckResult(name, Verdict.PASS))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(" s: outputs compared, 1 passed, 0 failed, 0 skipped so far")


def test_a_quick_verdict_says_nothing_on_the_way(capsys: pytest.CaptureFixture[str]) -> None:
    """The whole answer is about to come."""
    SoFar(began=time.monotonic() + 1)(CheckResult("vectors/verified", Verdict.PASS))
    assert not capsys.readouterr().err


def test_outputs_that_are_not_the_verified_ones_are_told_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In a folder of any name they are open: it may be another version of the primitive."""
    hear = SoFar(began=time.monotonic() + 1)
    hear(CheckResult("checksum/small", Verdict.OPEN, "Assay has no checksums of it"))
    hear(CheckResult("vectors/verified", Verdict.OPEN, "no vector is right", evidence="vector# 0"))
    assert capsys.readouterr().err == " * OPEN vectors/verified: no vector is right\n"
