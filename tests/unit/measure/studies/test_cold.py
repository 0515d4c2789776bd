# SPDX-License-Identifier: MIT
"""The first call of an operation after other work has filled the caches."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli import studies
from assay.errors import UsageError
from assay.measure.studies.cold import LEAST_BYTES, ColdRow, Evictor, last_cache_bytes


def test_cold_calls_are_compared_with_the_warm_ones_behind_them() -> None:
    """Three times as long, whatever their unit."""
    row = ColdRow("p", "crypto_hash", (300.0, 300.0, 600.0), (100.0, 100.0, 90.0))
    assert row.times[1] == 3.0
    table = studies.cold_report([row], 3).tables[0]
    values = table.rows[0].values
    assert (values["warm"], values["cold"], values["times"]) == (100.0, 300.0, 3.0)


def test_more_is_read_than_the_largest_cache_holds(tmp_path: Path) -> None:
    """Linux names each cache with its size; where it names none there is a least size."""
    for number, size in enumerate(("32K", "1024K", "65536K")):
        (tmp_path / f"index{number}").mkdir()
        (tmp_path / f"index{number}" / "size").write_text(f"{size}\n")
    assert last_cache_bytes(tmp_path) == 64 << 20
    assert last_cache_bytes(tmp_path / "none") == 0


def test_whoever_evicts_gives_its_processors_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bench goes on where it was before."""
    moves: list[set[int]] = []
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr("os.sched_setaffinity", lambda _, to: moves.append(to))
    evictor = Evictor(1)
    evictor.evict()
    assert moves == [{1}, {0, 1}]
    assert len(evictor._memory) >= LEAST_BYTES


def test_packages_without_operations_are_refused() -> None:
    """A cipher's setups and texts have measures of their own."""
    with pytest.raises(UsageError, match="is no operation"):
        CliRunner().invoke(studies.cold_command, ["rc4/ref"], catch_exceptions=False)


@pytest.mark.slow
def test_a_cold_hash_takes_longer_than_a_warm_one() -> None:
    """Its code and its constants come from memory."""
    words = ["crypto_hash/sha256/ref", "--launches", "3"]
    done = CliRunner().invoke(studies.cold_command, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "crypto_hash" in done.output
