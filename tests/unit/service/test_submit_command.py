# SPDX-License-Identifier: MIT
"""`assay submit`: what it packs, checks here, sends, and says."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay, Done, calling
from tests.unit.service.conftest import ROOT, Person

from assay.service.places import ServiceFolder

Submit = Callable[..., Done]


@pytest.fixture
def assay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Give a function that calls the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return calling(monkeypatch, capsys)


@pytest.fixture
def submit(assay: Assay, address: str, ann: Person, monkeypatch: pytest.MonkeyPatch) -> Submit:
    """Give a function that submits the folder `mine` with ann's token, and waits for nothing."""
    shutil.copytree(ROOT / "benchmarks" / "rc4" / "ref", "mine")
    monkeypatch.setenv("ASSAY_TOKEN", ann.token)
    return lambda *words: assay("submit", "mine", "--to", address, "--no-wait", *words)


def archives(folder: ServiceFolder) -> int:
    """Return how many archives the service has."""
    return len(list(folder.archives.iterdir()))


def test_a_package_is_checked_here_and_then_sent(submit: Submit, folder: ServiceFolder) -> None:
    """The verdict is printed before the address of its page."""
    done = submit()
    assert (done.code, archives(folder)) == (0, 1)
    verdict, _, page = done.out.partition("received: http")
    assert "passed, 0 failed" in verdict
    assert "/submissions/" in page


def test_a_package_that_fails_here_is_not_sent(submit: Submit, folder: ServiceFolder) -> None:
    """The check that fails is named; with --unchecked the service gets it all the same."""
    source = Path("mine", "rc4.c")
    source.write_text(source.read_text() + "\nint unfinished(\n")
    done = submit()
    assert (done.code, archives(folder)) == (1, 0)
    assert "FAIL" in done.out
    assert "expected" in done.out  # what the compiler says of it
    assert "nothing was sent" in done.err
    assert submit("--unchecked").code == 0
    assert archives(folder) == 1


def test_without_a_compiler_the_service_alone_checks(
    submit: Submit, folder: ServiceFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said, and the package is sent."""
    monkeypatch.setenv("PATH", str(Path.cwd()))
    done = submit()
    assert (done.code, archives(folder)) == (0, 1)
    assert "not checked here: there is no C compiler on the path" in done.err


def test_what_holds_no_package_is_not_sent(submit: Submit, folder: ServiceFolder) -> None:
    """Before anything is compiled."""
    Path("mine", "ecrypt-sync.h").unlink()
    done = submit()
    assert (done.code, archives(folder)) == (2, 0)
    assert "the package has no ecrypt-sync.h" in done.err
