# SPDX-License-Identifier: MIT
"""Queries: what a campaign needs to go on, and what reports need to show."""

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, TypeVar

from msgspec.structs import replace

from assay.errors import AssayError
from assay.model import (
    BrokenPackage,
    Build,
    Campaign,
    Cell,
    CheckResult,
    Configuration,
    HashSubject,
    Launch,
    Machine,
    OperationSubject,
    Package,
    Sample,
    SizeChoice,
    StreamSubject,
    Subject,
)
from assay.model.work import under_todays_names
from assay.store import records
from assay.store.database import Database
from assay.store.own import LAUNCHED, own_checks, own_launch
from assay.store.records import unpack
from assay.store.rows import ObjectKey, StoredCell, StoredChecks, contents

T = TypeVar("T")
SUBJECTS: dict[str, type[Subject]] = {
    kind.__name__: kind for kind in (StreamSubject, HashSubject, OperationSubject)
}

ASKED = "COALESCE(json_extract(checked.results, '$.asked_by'), '') = ?"
KEY = ("object_hash", "place", "variant", "target", "harness")
OBJECT = " AND ".join(f"{name} = ?" for name in KEY)
# Of the keys that a JSON list has: one question for many codes.
LAUNCHES = f"""
SELECT wanted.key, launch.id, selector, configuration, disturbed, launch.record
FROM json_each(?) AS wanted
CROSS JOIN launch ON {
    " AND ".join(f"{name} = json_extract(value, '$[{at}]')" for at, name in enumerate(KEY))
}
ORDER BY launch.id
"""  # noqa: S608 - constants
SAMPLES = """
SELECT launch, record, ticks FROM sample WHERE launch IN (SELECT value FROM json_each(?))
ORDER BY launch, position
"""
AMONG = "AND build.place IN (SELECT value FROM json_each(?))"
AT_ONCE = 32  # builds that one question asks for, unless a package has more
CELL = "selector = ? AND variant = ? AND configuration = ? AND target = ?"

# The newest build of every cell, of packages as they were last seen, or as they were before.
CURRENT = """
SELECT build.*, package.record AS package_record, configuration.record AS configuration_record,
    subject.kind AS subject_kind, subject.record AS subject_record, checked.results AS results
FROM build
JOIN package USING (place, content_hash)
JOIN configuration USING (contents)
LEFT JOIN subject ON subject.build = build.id
LEFT JOIN checked ON checked.build = build.id
WHERE build.place NOT IN (SELECT place FROM broken)
AND package.seen {seen} (SELECT MAX(seen) FROM package AS other WHERE other.place = build.place)
AND build.written = (SELECT MAX(written) FROM build AS other
    WHERE other.place = build.place AND other.content_hash = build.content_hash
    AND other.selector = build.selector AND other.variant = build.variant
    AND other.configuration = build.configuration AND other.target = build.target)
{where}
ORDER BY build.place, build.variant, build.configuration, build.target
"""


class Reader(Database):
    """The reading half of the store."""

    def machine(self) -> Machine | None:
        """Return the machine as last recorded."""
        row = self.row("SELECT record FROM machine ORDER BY id DESC")
        return records.load(Machine, row["record"]) if row else None

    def packages(self) -> tuple[Package, ...]:
        """Return every package as last seen, by place."""
        rows = self.rows(
            "SELECT record, MAX(seen) AS seen FROM package GROUP BY place ORDER BY place"
        )
        return tuple(records.load(Package, row["record"]) for row in rows)

    def broken_packages(self) -> tuple[BrokenPackage, ...]:
        """Return the packages that could not be loaded when last seen, by place."""
        rows = self.rows("SELECT record FROM broken ORDER BY place")
        return tuple(records.load(BrokenPackage, row["record"]) for row in rows)

    def configurations(self) -> tuple[Configuration, ...]:
        """Return every configuration ever used, by name."""
        rows = self.rows("SELECT record FROM configuration ORDER BY name")
        return tuple(records.load(Configuration, row["record"]) for row in rows)

    def campaigns(self) -> tuple[Campaign, ...]:
        """Return the campaigns, oldest first."""
        return tuple(
            records.read(
                Campaign,
                {"started_at": row["started_at"], "finished_at": row["finished_at"]},
                arguments=records.words(row["arguments"]),
            )
            for row in self.rows("SELECT * FROM campaign ORDER BY id")
        )

    def build_for(
        self,
        package: Package,
        configuration: Configuration,
        harness: str,
        variant: int,
        target: str,
    ) -> Build | None:
        """Return the build that is still valid for exactly these contents, or None."""
        row = self.row(
            "SELECT record FROM build WHERE place = ? AND content_hash = ? AND contents = ?"
            " AND harness = ? AND variant = ? AND configuration = ? AND target = ?",
            package.place,
            package.identity,
            contents(configuration),
            harness,
            variant,
            configuration.name,
            target,
        )
        return records.load(Build, row["record"]) if row else None

    def subject(self, cell: Cell) -> Subject | None:
        """Return what the cell's newest build said it is."""
        row = self.row("SELECT * FROM subject WHERE build = ?", self._newest(cell)["id"])
        return _subject(row["kind"], row["record"]) if row else None

    def checks(self, cell: Cell) -> tuple[CheckResult, ...] | None:
        """Return the verdicts on the cell's newest build; None if it was never checked here."""
        found = self.verdicts(cell)
        return found.checks if found else None

    def verdicts(self, cell: Cell) -> StoredChecks | None:
        """Return the verdicts on the cell's newest build, and what asked for them.

        None if this user's Assay stored none: a stranger's are not believed.
        """
        newest = self._newest(cell)
        row = self.row("SELECT results FROM checked WHERE build = ?", newest["id"])
        return _own(newest, row["results"]) if row else None

    def key(self, cell: Cell) -> ObjectKey | None:
        """Return what identifies the machine code of the cell's newest build; None if none."""
        return _key(self._newest(cell))

    @property
    def changes(self) -> int:
        """Count what was written since the store was opened."""
        return self._connection.total_changes

    def efforts(
        self, cell: Cell
    ) -> tuple[tuple[str, str, frozenset[tuple[str, SizeChoice]]], ...]:
        """Return, for each launch of a code: why it does not count, its purpose, what it measured.

        Only this user's count. It is `launches` without what takes time to read.
        """
        key = self.key(cell)
        if key is None:
            return ()
        rows = self.rows(
            "SELECT launch.*, json_extract(launch.record, '$.purpose') AS purpose,"  # noqa: S608 - a constant
            " group_concat(json_extract(sample.record, '$.measure', '$.sizes'), char(10))"
            " AS measured FROM launch LEFT JOIN sample ON sample.launch = launch.id"
            f" WHERE {OBJECT} GROUP BY launch.id ORDER BY launch.id",
            *key.columns,
        )
        return tuple(
            (row["disturbed"], row["purpose"] or "", _measured(row["measured"] or ""))
            for row in rows
            if own_launch([row[name] for name in LAUNCHED], row["record"])
        )

    def twin(self, cell: Cell, asked_by: str = "") -> Cell | None:
        """Return a cell with the same machine code that was checked; None if there is none.

        Only what `asked_by` asked for counts.
        """
        key = self.key(cell)
        if key is None:
            return None
        values = (*key.columns, self._newest(cell)["content_hash"], asked_by)
        found = self._checked(f"{OBJECT} AND content_hash = ?", *values)
        return next((records.read(Cell, dict(row)) for row in found), None)

    def has_verdicts(self) -> bool:
        """Return whether anything was examined before."""
        return self.row("SELECT 1 FROM checked LIMIT 1") is not None

    def checked_codes(
        self, package: Package, variant: int, target: str, asked_by: str = ""
    ) -> tuple[tuple[str, str, str], ...]:
        """Return what has verdicts of a package's variant, with these contents, on a target.

        Each is the name of a configuration, the object code, and the harness. Only what
        `asked_by` asked for counts.
        """
        where = "place = ? AND content_hash = ? AND variant = ? AND target = ?"
        values = (package.place, package.identity, variant, target, asked_by)
        found = self._checked(f"{where} AND object_hash IS NOT NULL", *values)
        return tuple((row["configuration"], row["object_hash"], row["harness"]) for row in found)

    def _checked(self, where: str, *values: Any) -> Iterator[Any]:
        """Yield the builds with verdicts of this user's; the last value is what asked for them."""
        query = "SELECT build.*, results FROM build JOIN checked ON checked.build = build.id"
        rows = self.rows(f"{query} WHERE {where} AND {ASKED}", *values)
        return (row for row in rows if _own(row, row["results"]))

    def launches(self, cell: Cell) -> tuple[Launch, ...]:
        """Return all launches of the cell's machine code, whichever cell was launched."""
        key = self.key(cell)
        return () if key is None else self.launches_of([key])[key]

    def launches_of(self, keys: Iterable[ObjectKey]) -> dict[ObjectKey, tuple[Launch, ...]]:
        """Return the launches of each machine code, oldest first, with their samples.

        Those of another user or machine are returned only if there are no others.
        """
        asked = list(keys)
        wanted = json.dumps([one.columns for one in asked])
        made: list[list[Any]] = [[] for _ in asked]
        for number, *row in self.rows(LAUNCHES, wanted, named=False):
            made[number].append(row)
        counting = [[one for one in rows if _is_own(key, *one[1:])] or rows
                    for key, rows in zip(asked, made, strict=True)]  # fmt: skip
        samples: dict[int, list[Sample]] = {one[0]: [] for rows in counting for one in rows}
        for launch, record, ticks in self.rows(SAMPLES, json.dumps(list(samples)), named=False):
            samples[launch].append(_sample(record, ticks))
        return {key: tuple([_launch(one[-1], one[-2], samples[one[0]]) for one in rows])
                for key, rows in zip(asked, counting, strict=True)}  # fmt: skip

    def launch_heads(self) -> tuple[Launch, ...]:
        """Return all launches ever made, oldest first, without their samples."""
        rows = self.rows("SELECT record, disturbed FROM launch ORDER BY id")
        return tuple(_launch(*row) for row in rows)

    def batches(self) -> Iterator[tuple[str, ...]]:
        """Yield the places of packages, sorted, those of few builds together."""
        batch: list[str] = []
        builds = 0
        for place, count in self.rows("SELECT place, COUNT(*) FROM build GROUP BY 1 ORDER BY 1"):
            if batch and builds + count > AT_ONCE:
                yield tuple(batch)
                batch, builds = [], 0
            batch.append(place)
            builds += count
        if batch:
            yield tuple(batch)

    def cells(
        self, places: Sequence[str] | None = None, *, older: bool = False
    ) -> tuple[StoredCell, ...]:
        """Return every cell's newest build and what is known about it, of some places or of all.

        Those that are `older` are of contents that packages had before, and no others.
        """
        query = CURRENT.format(where="" if places is None else AMONG, seen="<" if older else "=")
        values = () if places is None else (json.dumps(places),)
        return tuple(map(_stored_cell, self.rows(query, *values)))

    def _newest(self, cell: Cell) -> Any:
        """Find the row of the cell's newest build of its package as last seen."""
        row = self.row(
            "SELECT build.* FROM build JOIN package USING (place, content_hash, selector)"  # noqa: S608 - a constant
            f" WHERE {CELL} ORDER BY seen DESC, written DESC",
            *(cell.selector, cell.variant, cell.configuration, cell.target),
        )
        if row is None:
            raise AssayError(f"{cell} has no build in {self.path}", "Store its build first.")
        return row


def _launch(record: str, disturbed: str, samples: Iterable[Sample] = ()) -> Launch:
    """Put a launch together from what is stored of it, and its samples."""
    launch: Launch = records.load(Launch, record, samples=tuple(samples), disturbed=disturbed)
    ratio = launch.counter.cycles_per_tick
    if ratio is not None and ratio <= 0:
        raise records.damaged("launch", ValueError(f"its clock has {ratio} cycles per tick"))
    return launch


def _is_own(key: ObjectKey, selector: str, configuration: str, disturbed: str, text: str) -> bool:
    """Return whether this user's Assay stored a launch of a machine code."""
    code, place, variant, target, harness = key.columns
    columns = (place, selector, variant, configuration, target, code, harness, disturbed)
    return own_launch(columns, text)


def _sample(record: str, ticks: bytes) -> Sample:
    """Put a sample together; AssayError if it would be one of nothing."""
    one, found = _empty_sample(record), unpack(ticks)
    if not found:
        raise _no_calls()
    return Sample(
        one.measure, one.sizes, one.keys, one.tests, one.block_bytes, found, one.beats,
        one.deferred_ticks, one.quiet,
    )  # fmt: skip


@lru_cache(maxsize=8192)
def _empty_sample(record: str) -> Sample:
    """Read a sample without its ticks, as many launches and folders have it again and again."""
    one = records.load(Sample, record, ticks=())
    if one.keys < 1 or one.tests < 1 or one.block_bytes < 0:
        raise _no_calls()
    return one


def _no_calls() -> AssayError:
    return records.damaged("sample", ValueError("it has no calls"))


@cache
def _measured(texts: str) -> frozenset[tuple[str, SizeChoice]]:
    """Read pairs of a measure and sizes, a line each."""
    pairs = [json.loads(line) for line in texts.split("\n") if line]
    return frozenset((name, _shared(SizeChoice, json.dumps(sizes))) for name, sizes in pairs)


@lru_cache(maxsize=8192)
def _shared(kind: type[T], record: str, **apart: Any) -> T:
    """Read a record that many cells, launches or folders have again and again."""
    return records.load(kind, record, **apart)


def _verdicts(results: str) -> StoredChecks:
    """Read verdicts; checks have the names of today."""
    found = records.load(StoredChecks, results)
    return replace(found, checks=under_todays_names(found.checks))


def _own(row: Any, results: str) -> StoredChecks | None:
    """Return the verdicts on the build in a row if this user's Assay stored them."""
    verdicts, build = _verdicts(results), records.load(Build, row["record"])
    return verdicts if own_checks(row, build, results) else None


def _key(row: Any) -> ObjectKey | None:
    """Read from a build's row what identifies its machine code."""
    if row["object_hash"] is None:
        return None
    return records.read(ObjectKey, {name: row[name] for name in KEY})


def _subject(kind: str, record: str) -> Subject:
    """Read what an agent said that it is."""
    try:
        known = SUBJECTS[kind]
    except LookupError as why:
        raise records.damaged("subject", why) from why
    found: Subject = _shared(known, record)
    return found


def _stored_cell(row: Any) -> StoredCell:
    """Put a cell together from a row of the big join."""
    kind, results = row["subject_kind"], row["results"]
    build = records.load(Build, row["record"])
    verdicts = _verdicts(results) if results else None
    return StoredCell(
        build=build,
        package=_shared(Package, row["package_record"]),
        configuration=_shared(Configuration, row["configuration_record"]),
        subject=_subject(kind, row["subject_record"]) if kind else None,
        checks=verdicts.checks if verdicts else (),
        key=_key(row),
        marked=lambda: not results or own_checks(row, build, results),
    )
