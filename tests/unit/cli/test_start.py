# SPDX-License-Identifier: MIT
"""`assay start`: a first table early, and a report whenever it ends."""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click
import pexpect
import pytest
from tests.unit.cli.test_howto import SECONDS, Clone

from assay.campaign.roots import packages_root
from assay.cli import start
from assay.model import Package
from assay.package.resolve import resolve
from assay.store import FILE_NAME, Store

FIRST_LOOK = "This is a first look"


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """Give a clone in which nothing was done yet."""
    return Clone(tmp_path)


def started(clone: Clone) -> "pexpect.spawn[str]":
    """Type the command."""
    return pexpect.spawn(
        str(clone.root / ".venv/bin/assay"),
        ["start", "--best", "2", "--launches", "2", "xyz"],
        cwd=str(clone.root),
        env=clone.environment(os.environ["PATH"]),
        encoding="utf-8",
        codec_errors="replace",
        timeout=SECONDS,
        dimensions=(40, 120),
    )


@pytest.mark.slow
def test_an_interrupt_leaves_a_table_and_a_report_and_the_same_command_ends_it(
    clone: Clone,
) -> None:
    """The first table comes before the second configuration is built."""
    child = started(clone)
    try:
        child.expect("xyz")
        child.expect_exact(FIRST_LOOK)
        child.sendintr()
        child.expect_exact("Interrupted: this is what was measured")
        child.expect("index.html")
        child.expect(pexpect.EOF)
        child.wait()
    finally:
        child.close(force=True)
    assert child.exitstatus == 130
    assert "xyz" in (clone.reports / "index.html").read_text()
    again = started(clone)
    try:
        again.expect_exact(FIRST_LOOK)
        again.expect("index.html")
        again.expect(pexpect.EOF)
        again.wait()
    finally:
        again.close(force=True)
    assert again.exitstatus == 0
    with Store.open(clone.reports, read_only=True) as store:
        launched = Counter(one.cell.configuration for one in store.launch_heads())
    assert len(launched) == 2
    assert min(launched.values()) >= 2


def test_a_results_folder_with_pages_is_not_taken_for_the_clone(clone: Clone) -> None:
    """`assay collect` makes a folder `submissions` in it, for the text reports of packages."""
    clone.reports.mkdir()
    (clone.reports / FILE_NAME).touch()
    (clone.reports / "submissions").mkdir()
    done = clone.call(str(clone.root / ".venv/bin/assay"), "list", "xyz", cwd=clone.reports)
    assert (done.returncode, done.stderr) == (0, "")
    assert "xyz/new" in done.stdout


def test_without_names_ciphers_hashes_and_sizes_come_first_and_then_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The three main jobs: eSTREAM's ciphers, the slides' hashes, the sizes of compact ones."""
    called: list[tuple[str, ...]] = []

    def call(command: click.Command, arguments: Sequence[str]) -> int:
        called.append((command.name or "", *arguments))
        return 0

    monkeypatch.setattr(start, "_call", call)
    monkeypatch.setattr(start, "reports_folder", lambda _: tmp_path)
    monkeypatch.chdir(tmp_path)
    assert start.command.main([], standalone_mode=False) == 0
    assert [one[0] for one in called] == [
        *("configure", "run", "run", "show", "size"),
        *("run", "run", "show", "collect"),
    ]
    looks, rest = called[1:3], called[5:7]
    assert all("--glance" in one for one in looks)
    assert not any("--glance" in one for one in rest)
    assert all(one[-2 - len(start.SLIDES) : -2] == start.SLIDES for one in (looks[1], rest[1]))
    sizes = called[4]
    assert "shabal/portable" in sizes
    assert "html:sizes.html" in sizes
    assert not {"shabal/avr8", "shabal/arm-le"} & set(sizes)


def test_the_hashes_of_the_slides_come_with_assay() -> None:
    """Each of the 13, with at least one implementation."""
    assert len(start.SLIDES) == 13
    for name in start.SLIDES:
        found = resolve((name,), packages_root())
        assert found
        assert all(isinstance(one, Package) for one in found)
