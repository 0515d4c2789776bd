# SPDX-License-Identifier: MIT
"""`import assay`: what programs in Python call."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import asdict

import assay
from assay.campaign.planning import RunOptions
from assay.cli.run import command
from assay.errors import UsageError
from assay.model import Verdict

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/reference/library.md"


@pytest.fixture
def folder(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with a package, and work in it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    shutil.copytree(ROOT / "benchmarks/rc4/ref", tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_example_of_the_page_works(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It prints the verdict on a folder, and what is open, and the library prints nothing."""
    assert folder.is_dir()
    example = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert example is not None
    exec(example[1], {})  # noqa: S102 - the page is ours
    printed = capsys.readouterr()
    first, second = printed.out.splitlines()
    assert first == "mine open"
    assert second.startswith("vectors/verified correctness not compared")
    assert printed.err == ""


def test_records_are_frozen_and_errors_have_cures(folder: Path) -> None:
    """What does not load is a verdict, and what is not there an error."""
    (folder / "mine/ecrypt-sync.h").write_text("")
    (cell,) = assay.check_packages(folder / "mine")
    assert (cell.verdict, cell.passed) == (Verdict.FAIL, False)
    with pytest.raises(AttributeError):
        cell.package = "other"  # type: ignore[misc]
    with pytest.raises(UsageError) as raised:
        assay.check_packages("no-such-cipher")
    assert raised.value.cure


def test_only_the_checks_that_are_named_are_asked(folder: Path) -> None:
    """What is wrong otherwise does not show, as with --only."""
    source = folder / "mine/rc4.c"
    source.write_text(source.read_text().replace("ctx->i + 1", "ctx->i + 2"))
    (cell,) = assay.check_packages(folder / "mine", only=("buffers",))
    assert cell.verdict is Verdict.PASS
    names = {one.check.partition("/")[0] for one in cell.checks}
    assert names <= {"agent", "build", "buffers"}
    with pytest.raises(UsageError, match="no check"):
        assay.check_packages(folder / "mine", only=("bufers/guard",))


def test_a_shell_that_completes_names_sees_the_functions() -> None:
    """They are imported when they are used, and named before."""
    assert set(assay.__all__) <= set(dir(assay))


def test_importing_assay_imports_nothing_else() -> None:
    """Every command imports the package first."""
    script = "import sys, assay; print([one for one in sys.modules if one.startswith('assay.')])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_a_campaign_of_the_library_is_that_of_the_command() -> None:
    """Whatever is not said is as the options have it."""
    given = command.make_context("run", []).params
    own = asdict(RunOptions())
    assert own.pop("in_turn") is None  # no option of `run`: comparisons are examined so
    assert own == {key: given[key] for key in own}
