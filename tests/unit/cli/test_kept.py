# SPDX-License-Identifier: MIT
"""Where `assay check` keeps its results, and for how long."""

from pathlib import Path

import pytest

from assay.cli.check_options import Keeping, results_folder
from assay.errors import UsageError


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a cache of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.mark.parametrize(
    ("keeping", "stays"),
    [(Keeping.HARDLY, False), (Keeping.UNTIL_DONE, False), (Keeping.FOR_GOOD, True)],
)
def test_a_folder_stays_as_long_as_it_is_needed(keeping: Keeping, stays: bool) -> None:
    """Only a summary of many packages names its folder."""
    with results_folder(keeping, ["rc4"]) as folder:
        (folder / "verdicts").touch()
    assert (folder / "verdicts").exists() is stays


def interrupted() -> None:
    """Keep something, and be interrupted."""
    with results_folder(Keeping.UNTIL_DONE, ["rc4"]) as folder:
        (folder / "verdicts").touch()
        raise KeyboardInterrupt


def test_an_interrupted_check_finds_its_folder_again() -> None:
    """The same question has the same folder, and another one another."""
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with results_folder(Keeping.UNTIL_DONE, ["rc4"]) as again:
        assert (again / "verdicts").exists()
    with results_folder(Keeping.UNTIL_DONE, ["salsa20"]) as other:
        assert other != again


def test_the_same_check_at_the_same_time_is_refused_with_the_cure() -> None:
    """It was told to name another results folder, which `check` has no option for."""
    with (
        results_folder(Keeping.UNTIL_DONE, ["rc4"]),
        pytest.raises(UsageError, match="at work already") as refused,
        results_folder(Keeping.UNTIL_DONE, ["rc4"]),
    ):
        pass
    assert refused.value.cure == "Wait until it has ended, or interrupt it."
