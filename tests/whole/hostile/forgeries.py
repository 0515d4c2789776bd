# SPDX-License-Identifier: MIT
"""Forged figures: what stands in forgeries.toml, and campaigns with it."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.objects import Entry
from tests.whole.hostile.attacks import CORPUS, HERE
from tests.whole.hostile.tree import Tree

from assay.model import Verdict
from assay.store import Store
from assay.summary.series import series_over

SHIPPED = HERE.parents[2] / "submissions"
OPERATIONS = "supercop"
EFFORT = ("--glance", "--samples", "39", "--launches", "3")
ALL = "--all"  # operations: not only those that win


@dataclass(frozen=True)
class Forgery:
    """One forgery; the fields are described on top of forgeries.toml."""

    name: str
    tries: str
    base: str
    file: str
    edits: tuple[tuple[str, str], ...]
    code: str = ""
    all_edits: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    wins: tuple[str, ...] = ()
    least: float = 0.97  # of the honest figure

    @classmethod
    def from_entry(cls, entry: Entry) -> "Forgery":
        """Read an entry."""
        pairs = {name: tuple(map(tuple, entry.get(name, ()))) for name in ("edits", "all_edits")}
        return cls(**{**entry, **pairs, "wins": tuple(entry.get("wins", ()))})

    @property
    def source(self) -> Path:
        """Return the honest package that it is made of."""
        shipped = SHIPPED / self.base
        return shipped if shipped.is_dir() else CORPUS / self.base

    def place(self, tree: Tree, *, forged: bool) -> str:
        """Write the forged package, or the honest one, and return its name."""
        name = self.name if forged else f"{self.name}-honest"
        parts = self.base.split("/")
        operation = parts[1] if parts[0] == OPERATIONS else ""
        kind = (OPERATIONS, operation) if operation else ()
        root = tree.root.joinpath("submissions", *kind, name, "ref")
        root.mkdir(parents=True, exist_ok=True)
        for path in (*self.source.parent.glob("*.h"), *self.source.iterdir()):
            (root / path.name).write_bytes(path.read_bytes())
        text = (root / self.file).read_text()
        edits = self.all_edits + (self.edits if forged else ())
        for old, new in edits:
            assert text.count(old) == 1, f"{self.file} has not one {old!r}"
            text = text.replace(old, new)
        (root / self.file).write_text(f"{self.code}\n{text}" if forged else text)
        return f"{operation}/{name}" if operation else f"{name}/ref"


def all_forgeries() -> tuple[Forgery, ...]:
    """Read the corpus."""
    return forgeries_of("forgeries.toml")


def forgeries_of(name: str) -> tuple[Forgery, ...]:
    """Read a file of the corpus."""
    return tuple(map(Forgery.from_entry, tomllib.loads((HERE / name).read_text())["forgery"]))


def tried(forgery: Forgery, tree: Tree, results: Path) -> tuple[str, dict[str, float]]:
    """Run a campaign with the forged and the honest package.

    Return what failed of the forged one, or how many times the honest figures its own are.
    """
    tree.trusting = True
    names = [forgery.place(tree, forged=one) for one in (True, False)]
    more = (ALL,) if forgery.base.startswith(OPERATIONS) else ()
    done = tree.measure(results, *EFFORT, *more, *names)
    assert "Traceback" not in done.stderr, done.stderr
    with Store.open(results, read_only=True) as store:
        liar, honest = (_found(store, one) for one in names)
    assert not honest[0], honest[0]
    return liar[0], dict(_ratios(liar[1], honest[1])) if not liar[0] else {}


def _found(store: Store, name: str) -> tuple[str, dict[str, float]]:
    """Return why measuring a package failed, and its figures in core cycles, as far as known."""
    cells = [one for one in store.cells() if f"{one.build.cell.selector}/".startswith(f"{name}/")]
    checks = [check for one in cells for check in one.checks]
    failed = [one.reason for one in checks if one.verdict is Verdict.FAIL]
    figures = [one for cell in cells for one in series_over(store.launches(cell.build.cell))]
    return " ".join(failed), {f"{one.measure} {one.sizes}": one.median for one in figures}


def _ratios(liar: dict[str, float], honest: dict[str, float]) -> Iterator[tuple[str, float]]:
    for measure in sorted(liar.keys() & honest.keys()):
        yield measure.split()[0], liar[measure] / honest[measure]


def shown(ratios: dict[str, float]) -> str:
    """Say how many times the honest figures the forged ones are."""
    return ", ".join(f"{name} {value:.2f}" for name, value in ratios.items())
