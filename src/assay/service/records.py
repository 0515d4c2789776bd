# SPDX-License-Identifier: MIT
"""The service's own tables, in one file of SQLite: accounts, submissions, jobs and the audit log.

Results are not among them: they lie in stores, as everywhere. SQLAlchemy's Core writes the SQL.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    Boolean,
    Column,
    Connection,
    Engine,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    insert,
    select,
)

from assay.errors import UsageError
from assay.writing import make_folder

FILE = "service.db"
VERSION = 1
BUSY_SECONDS = 10
_ID = "submissions.id"

schema = MetaData()

meta = Table("meta", schema, Column("version", Integer, nullable=False))

accounts = Table(
    "accounts",
    schema,
    Column("id", Integer, primary_key=True),
    Column("name", String, unique=True, nullable=False),
    Column("mail", String, nullable=False),
    Column("administrator", Boolean, nullable=False),
    Column("waiting", Integer, nullable=False),  # submissions that may be under way at once
    Column("daily", Integer, nullable=False),  # submissions within a day
    Column("closed", Boolean, nullable=False, default=False),
    Column("created", String, nullable=False),
)

invitations = Table(
    "invitations",
    schema,
    Column("hash", String, primary_key=True),
    Column("account", ForeignKey("accounts.id"), nullable=False),
    Column("expires", String, nullable=False),
)

tokens = Table(
    "tokens",
    schema,
    Column("id", Integer, primary_key=True),
    Column("hash", String, unique=True, nullable=False),
    Column("account", ForeignKey("accounts.id"), nullable=False),
    Column("label", String, nullable=False),
    Column("created", String, nullable=False),
)

sessions = Table(
    "sessions",
    schema,
    Column("hash", String, primary_key=True),
    Column("token", ForeignKey("tokens.id", ondelete="CASCADE"), nullable=False),
    Column("expires", String, nullable=False),
)

submissions = Table(
    "submissions",
    schema,
    Column("id", String, primary_key=True),
    Column("account", ForeignKey("accounts.id"), nullable=False, index=True),
    Column("digest", String, nullable=False, index=True),  # SHA-256 of the archive
    Column("name", String, nullable=False),
    Column("message", String, nullable=False),
    Column("source", String, nullable=False),  # the address that it was fetched from, or ""
    Column("size", Integer, nullable=False),
    Column("what", String, nullable=False, default=""),  # what was recognised in it
    Column("state", String, nullable=False, index=True),
    Column("reason", String, nullable=False, default=""),
    Column("created", String, nullable=False),
    Column("changed", String, nullable=False),
)

events = Table(
    "events",
    schema,
    Column("id", Integer, primary_key=True),
    Column("submission", ForeignKey(_ID), nullable=False, index=True),
    Column("at", String, nullable=False),
    Column("state", String, nullable=False),
    Column("reason", String, nullable=False),
)

jobs = Table(
    "jobs",
    schema,
    Column("name", String, primary_key=True),
    Column("submission", ForeignKey(_ID), nullable=False, index=True),
    Column("lane", String, nullable=False),
    Column("action", String, nullable=False),
    Column("state", String, nullable=False),
    Column("machine", String, nullable=False, default=""),
    Column("bundle", String, nullable=False, default=""),
    Column("folder", String, nullable=False, default=""),  # below the results, once imported
    Column("links", String, nullable=False, default="[]"),  # names, verdicts, pages
    Column("signer", String, nullable=False, default=""),
    Column("reason", String, nullable=False, default=""),
    Column("changed", String, nullable=False),
)

audit = Table(
    "audit",
    schema,
    Column("id", Integer, primary_key=True),
    Column("at", String, nullable=False),
    Column("who", String, nullable=False),
    Column("action", String, nullable=False),
    Column("subject", String, nullable=False),
    Column("detail", String, nullable=False),
)


class ServiceRecords:
    """The open tables; whoever changes several things does so in one transaction."""

    def __init__(self, engine: Engine) -> None:
        """Use an engine that is open."""
        self._engine = engine

    @contextmanager
    def change(self) -> Iterator[Connection]:
        """Lend a transaction that holds the only right to write, and commits at its end."""
        with self._engine.begin() as connection:
            yield connection

    @contextmanager
    def look(self) -> Iterator[Connection]:
        """Lend a connection that reads one state of things."""
        with self._engine.connect().execution_options(reads=True) as connection:
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def open_records(folder: Path) -> ServiceRecords:
    """Open the tables in a service's folder; they are made where they are absent."""
    make_folder(folder)
    address = URL.create("sqlite", database=str(folder / FILE))
    engine = create_engine(address, connect_args={"timeout": BUSY_SECONDS})
    event.listen(engine, "connect", _prepared)
    event.listen(engine, "begin", _begun)
    meta.create(engine, checkfirst=True)
    with engine.begin() as to:
        found = to.execute(select(meta.c.version)).scalar()
    if found not in (None, VERSION):  # before anything of them is changed
        engine.dispose()
        raise UsageError(
            f"{folder / FILE} has tables of version {found}, and this Assay knows {VERSION}",
            "Run the Assay that made it, or a newer one.",
        )
    schema.create_all(engine)
    if found is None:
        with engine.begin() as to:
            to.execute(insert(meta).values(version=VERSION))
    return ServiceRecords(engine)


def noted(to: Connection, who: str, action: str, subject: str, detail: str = "") -> None:
    """Add a line to the audit log, within a transaction."""
    line = {"at": now(), "who": who, "action": action, "subject": subject, "detail": detail}
    to.execute(insert(audit).values(line))


def audit_lines(records: ServiceRecords, most: int) -> list[Any]:
    """Return the newest lines of the audit log, the newest first."""
    with records.look() as at:
        return list(at.execute(select(audit).order_by(audit.c.id.desc()).limit(most)))


def now(later: timedelta = timedelta()) -> str:
    """Return the present moment, or one later, as all tables have it: UTC, ISO 8601."""
    return (datetime.now(UTC) + later).isoformat(timespec="seconds")


def new_id() -> str:
    """Return what nobody can guess: twelve hexadecimal digits, for an address."""
    return secrets.token_hex(6)


def _prepared(connection: Any, _: object) -> None:
    """Set what SQLite keeps per connection; transactions are begun by hand, see `_begun`."""
    connection.isolation_level = None
    for line in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {line}")


def _begun(connection: Connection) -> None:
    """Begin with the right to write, so that what was read still holds when it is changed."""
    reads = connection.get_execution_options().get("reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
