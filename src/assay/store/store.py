# SPDX-License-Identifier: MIT
"""Writing: every `put_*` is one transaction, so what returned is kept whatever happens next."""

import json
import sqlite3
from typing import Any

from msgspec.structs import replace

from assay.model import (
    BrokenPackage,
    Build,
    Campaign,
    Cell,
    CheckResult,
    Configuration,
    Launch,
    Machine,
    Package,
    Subject,
)
from assay.store import records
from assay.store.database import FILE_NAME
from assay.store.own import LAUNCHED, marked, marked_launch, samples_digest
from assay.store.reading import CELL, Reader
from assay.store.records import pack
from assay.store.rows import StoredChecks, contents

__all__ = ["FILE_NAME", "Store"]


class Store(Reader):
    """The results of one folder. See `Reader` for the queries."""

    def put_machine(self, machine: Machine) -> None:
        """Record where results are obtained from now on."""
        text = records.dump(machine)
        with self.transaction() as connection:
            connection.execute("DELETE FROM machine WHERE record = ?", (text,))
            connection.execute("INSERT INTO machine (record) VALUES (?)", (text,))

    def put_package(self, package: Package) -> None:
        """Record the package as last seen: builds of its older contents are no longer shown."""
        with self.transaction() as connection:
            _see_package(connection, package)

    def put_broken_package(self, broken: BrokenPackage) -> None:
        """Record a package that cannot be loaded; what it was before is no longer shown."""
        with self.transaction() as connection:
            values = (broken.place, records.dump(broken))
            connection.execute("REPLACE INTO broken VALUES (?, ?)", values)

    def put_build(
        self, build: Build, package: Package, configuration: Configuration, harness: str
    ) -> None:
        """Record a build or its failure.

        It is valid as long as `package.identity`, what `configuration` says and
        `harness` stay the same. Verdicts on an earlier build of the same key stay if
        the object code did not change, and are dropped otherwise. Put a build that
        `build_for` found again when it is used again: reports show a cell's newest.
        """
        if self._is_newest(build, package, contents(configuration), harness):
            return
        with self.transaction() as connection:
            if self._unseen(package):
                _see_package(connection, package)
            says = (contents(configuration), configuration.name, records.dump(configuration))
            connection.execute("REPLACE INTO configuration VALUES (?, ?, ?)", says)
            _add_build(connection, build, package, contents(configuration), harness)

    def put_subject(self, cell: Cell, subject: Subject) -> None:
        """Record what the agent of the cell's newest build said it is."""
        with self.transaction() as connection:
            values = (self._newest(cell)["id"], type(subject).__name__, records.dump(subject))
            connection.execute("REPLACE INTO subject VALUES (?, ?, ?)", values)

    def put_checks(
        self,
        cell: Cell,
        checks: tuple[CheckResult, ...],
        asked_by: str = "",
        seconds: float | None = None,
    ) -> None:
        """Record all verdicts on the cell's newest build, in place of earlier ones."""
        self._put_checks(cell, StoredChecks(tuple(checks), asked_by, seconds))

    def add_check(self, cell: Cell, one: CheckResult) -> None:
        """Record one more verdict on the cell's newest build."""
        known = self.verdicts(cell) or StoredChecks(())
        self._put_checks(cell, replace(known, checks=(*known.checks, one)))

    def _put_checks(self, cell: Cell, verdicts: StoredChecks) -> None:
        with self.transaction() as connection:
            newest = self._newest(cell)
            values = (newest["id"], records.dump(marked(newest, verdicts)))
            connection.execute("REPLACE INTO checked VALUES (?, ?)", values)

    def put_launch(self, launch: Launch) -> None:
        """Record a launch of the cell's newest build, with all raw ticks."""
        with self.transaction() as connection:
            build = self._newest(launch.cell)
            samples = [
                (records.dump(one, omit=("ticks",)), pack(one.ticks)) for one in launch.samples
            ]
            identity = _add_launch(connection, launch, build, samples_digest(samples))
            for position, values in enumerate(samples):
                connection.execute(
                    "INSERT INTO sample VALUES (?, ?, ?, ?)", (identity, position, *values)
                )

    def start_campaign(self, campaign: Campaign) -> int:
        """Record that a campaign started; give its number for `finish_campaign`."""
        with self.transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO campaign (arguments, started_at, finished_at) VALUES (?, ?, ?)",
                (json.dumps(campaign.arguments), campaign.started_at, campaign.finished_at),
            )
            return int(cursor.lastrowid or 0)

    def finish_campaign(self, number: int, finished_at: str) -> None:
        """Record when a campaign came to its end."""
        with self.transaction() as connection:
            connection.execute(
                "UPDATE campaign SET finished_at = ? WHERE id = ?", (finished_at, number)
            )

    def _is_newest(self, build: Build, package: Package, says: str, harness: str) -> bool:
        """Return whether exactly this is there already, and the cell's newest."""
        cell = build.cell
        row = self.row(
            f"SELECT * FROM build WHERE {CELL} ORDER BY written DESC",  # noqa: S608 - a constant
            *(cell.selector, cell.variant, cell.configuration, cell.target),
        )
        if row is None or row["record"] != records.dump(build) or self._unseen(package):
            return False
        key = (row["place"], row["content_hash"], row["contents"], row["harness"])
        return key == (package.place, package.identity, says, harness)

    def _unseen(self, package: Package) -> bool:
        """Return whether the package's contents were never recorded."""
        query = "SELECT 1 FROM package WHERE place = ? AND content_hash = ?"
        return self.row(query, package.place, package.identity) is None


def _see_package(connection: sqlite3.Connection, package: Package) -> None:
    """Make the package the newest at its place."""
    connection.execute("DELETE FROM broken WHERE place = ?", (package.place,))
    connection.execute(
        "INSERT INTO package (place, selector, content_hash, record, seen)"
        " VALUES (?, ?, ?, ?, (SELECT COALESCE(MAX(seen), 0) + 1 FROM package))"
        " ON CONFLICT DO UPDATE SET record = excluded.record, selector = excluded.selector,"
        " seen = excluded.seen",
        (package.place, package.selector, package.identity, records.dump(package)),
    )


def _add_build(
    connection: sqlite3.Connection, build: Build, package: Package, says: str, harness: str
) -> None:
    """Insert the build, or replace the one with the same key and keep its number."""
    cell = build.cell
    key = (package.place, package.identity, says, harness)
    cell_key = (cell.selector, cell.variant, cell.configuration, cell.target)
    connection.execute(
        f"DELETE FROM build WHERE {CELL} AND place = ? AND content_hash = ?"  # noqa: S608 - a constant
        " AND contents = ? AND harness = ? AND object_hash IS NOT ?",
        (*cell_key, *key, build.object_hash),
    )
    connection.execute(
        "INSERT INTO build (place, content_hash, contents, harness, selector, variant,"
        " configuration, target, object_hash, record, written)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
        " (SELECT COALESCE(MAX(written), 0) + 1 FROM build))"
        " ON CONFLICT DO UPDATE SET record = excluded.record, written = excluded.written",
        (*key, *cell_key, build.object_hash, records.dump(build)),
    )


def _add_launch(connection: sqlite3.Connection, launch: Launch, build: Any, samples: bytes) -> int:
    """Insert a launch without its samples and give its number."""
    cell = launch.cell
    columns = (
        *(build["place"], cell.selector, cell.variant, cell.configuration, cell.target),
        *(launch.object_hash, build["harness"], launch.disturbed),
    )
    record = records.dump(launch, omit=("samples", "disturbed"))
    cursor = connection.execute(
        f"INSERT INTO launch ({', '.join(LAUNCHED)}, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - constants
        (*columns, marked_launch(columns, record, samples)),
    )
    return int(cursor.lastrowid or 0)
