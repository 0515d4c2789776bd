# SPDX-License-Identifier: MIT
"""Forged counts: code that leaves out, knows or puts off what an emulator counts gains nothing."""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.caches import new_cache

from assay.execute.jail import strongest_jail
from assay.measure.footprint import footprint
from assay.model import Package, Target
from assay.model.footprint import Footprint
from assay.package.discover import discover
from assay.targets.catalogue import catalogue, choose, look_for

HERE = Path(__file__).parent
SHIPPED = HERE.parents[2] / "submissions"
TARGET = "qemu-amd64"
LEAST = 0.97  # of an honest figure: code that does more may be compiled a little better


@dataclass(frozen=True)
class ForgedCount:
    """One forgery; the fields are described on top of counted.toml."""

    name: str
    tries: str
    base: str
    file: str
    edits: list[tuple[str, str]]
    header: str = ""
    header_edits: tuple[tuple[str, str], ...] = ()
    own: bool = False
    reason: str = ""
    refused: str = ""
    honest: tuple[str, ...] = ()

    def package(self, root: Path, *, forged: bool) -> Package:
        """Write the forged package, or the honest one, with its vectors, and load it."""
        source = SHIPPED / self.base
        primitive = f"forged-{source.parent.name}" if self.own else source.parent.name
        folder = root / "submissions" / primitive / ("forged" if forged else "honest")
        folder.mkdir(parents=True)
        for path in source.iterdir():
            (folder / path.name).write_bytes(path.read_bytes())
        for path in source.parent.glob("verified.*"):
            (folder.parent / path.name).write_bytes(path.read_bytes())
        if forged:
            _edit(folder / self.file, self.edits)
            _edit(folder / self.header, self.header_edits)
        (found,) = [one for one in discover(root) if isinstance(one, Package)]
        return found


def _edit(path: Path, edits: Iterable[tuple[str, str]]) -> None:
    if not edits:
        return
    text = path.read_text()
    for old, new in edits:
        assert text.count(old) == 1, f"{path.name} has not one {old!r}"
        text = text.replace(old, new)
    path.write_text(text)


ENTRIES = tomllib.loads((HERE / "counted.toml").read_text())["forgery"]
FORGERIES = [
    pytest.param(ForgedCount(**one), id=one["name"], marks=pytest.mark.slow if at % 3 else [])
    for at, one in enumerate(ENTRIES)
]


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """Return the emulated target, where there is one, with a cache for the module."""
    (found,) = choose([TARGET], catalogue())
    if not look_for(found).ok:
        pytest.skip(look_for(found).reason)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(new_cache(tmp_path_factory)))
        yield found


def figures(row: Footprint) -> dict[str, float]:
    """Return counts by measure, and bytes."""
    assert row.size is not None
    assert row.stack_bytes is not None
    counted = {one.measure: one.per_byte for one in row.steps}
    return {**counted, "bytes": row.size.total_bytes, "stack": row.stack_bytes}


@pytest.fixture(scope="module")
def honest(
    target: Target, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[ForgedCount], Footprint]:
    """Give a function that measures the honest package of a forgery: once, for all of it."""
    known: dict[tuple[str, bool], Footprint] = {}

    def measured(forgery: ForgedCount) -> Footprint:
        key = forgery.base, forgery.own
        if key not in known:
            package = forgery.package(tmp_path_factory.mktemp("honest"), forged=False)
            known[key] = footprint(package, target, strongest_jail())
        assert (known[key].passed, known[key].problems) == (True, ())
        return known[key]

    return measured


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_count_is_refused_or_no_less_than_the_honest_one(
    forgery: ForgedCount,
    target: Target,
    tmp_path: Path,
    honest: Callable[[ForgedCount], Footprint],
) -> None:
    """Wrong code has no count and the reason stands there; right code is counted with all it does.

    The honest package has all figures and no problem.
    """
    known = figures(honest(forgery))
    forged = footprint(forgery.package(tmp_path, forged=True), target, strongest_jail())
    if forgery.reason:
        assert forged.passed is False
        assert forged.steps == ()
        assert re.search(forgery.reason, "; ".join(forged.problems)), forged.problems
        return
    assert forged.passed is not bool(forgery.refused)
    assert not forgery.refused or any(forgery.refused in one for one in forged.problems)
    gained = {
        name: value / known[name]
        for name, value in figures(forged).items()
        if name in forgery.honest and value < LEAST * known[name]
    }
    assert gained == {}
    assert set(forgery.honest) <= set(known)
