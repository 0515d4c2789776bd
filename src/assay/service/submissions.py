# SPDX-License-Identifier: MIT
"""Submissions: quotas, states and their history, and what remains of those that are withdrawn."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, update

from assay.errors import AssayError, UsageError
from assay.report.printable import printable
from assay.service.accounts import ServiceAccount
from assay.service.records import ServiceRecords, accounts, events, new_id, noted, now, submissions
from assay.service.states import ENDED, FOLLOWING, State

MOST_NAME, MOST_MESSAGE, MOST_REASON, MOST_ADDRESS = 100, 2000, 4000, 2000
PAGE = 50
TOMBSTONE = "(withdrawn)"
SERVICE = "service"  # who did what no person did


class QuotaReached(AssayError):
    """An account has as much under way as it may have."""


class Submission(Struct, frozen=True):
    """A package that somebody sent."""

    id: str
    account: int
    owner: str
    digest: str
    name: str
    message: str
    source: str
    size: int
    what: str
    state: State
    reason: str
    created: str
    changed: str


class Offer(Struct, frozen=True):
    """What is being submitted: an archive that lies here, or an address to fetch it from."""

    digest: str
    name: str
    message: str = ""
    source: str = ""
    size: int = 0


def offered(digest: str, name: str, message: str, source: str = "", size: int = 0) -> Offer:
    """Return an offer of what somebody typed, with everything but text taken out of it."""
    lines = message.replace("\r\n", "\n").split("\n")
    shown = "\n".join(printable(one) for one in lines)
    named = printable(name).strip()
    for text, most, what in ((named, MOST_NAME, "name"), (shown, MOST_MESSAGE, "message"),
                             (source, MOST_ADDRESS, "address")):  # fmt: skip
        if len(text) > most:
            raise UsageError(f"the {what} has {len(text)} characters", f"Use {most} at most.")
    if not named:
        raise UsageError("the submission has no name", "Name it.")
    return Offer(digest.lower(), named, shown, source, size)


def require_quota(records: ServiceRecords, account: ServiceAccount) -> None:
    """Raise QuotaReached if an account may not submit now; asked before anything is uploaded."""
    with records.look() as at:
        _require_quota(at, account)


def submit(
    records: ServiceRecords, account: ServiceAccount, offer: Offer
) -> tuple[Submission, bool]:
    """Take a submission; return it, and whether it is new.

    The same archive of the same account is the same submission until that is refused or
    withdrawn, so a form that is sent twice submits once.
    """
    gone = (State.REFUSED, State.WITHDRAWN)
    mine = submissions.c.account == account.id
    with records.change() as to:
        same = to.execute(
            select(submissions.c.id).where(mine, submissions.c.digest == offer.digest)
            .where(submissions.c.state.not_in(gone))
        ).scalar()  # fmt: skip
        if same is None:
            _require_quota(to, account)
            number, moment = new_id(), now()
            to.execute(insert(submissions).values(
                id=number, account=account.id, digest=offer.digest, name=offer.name,
                message=offer.message, source=offer.source, size=offer.size,
                state=State.RECEIVED, created=moment, changed=moment,
            ))  # fmt: skip
            _record(to, number, State.RECEIVED, "")
            noted(to, account.name, "submit", number, offer.digest)
        found = _one(to, same or number)
    return found, same is None


def _require_quota(at: Connection, account: ServiceAccount) -> None:
    mine = submissions.c.account == account.id
    count = select(func.count()).select_from(submissions).where(mine)
    under_way = at.execute(count.where(submissions.c.state.not_in(ENDED))).scalar_one()
    if under_way >= account.waiting:
        raise QuotaReached(
            f"{under_way} submissions of {account.name} are under way",
            f"{account.waiting} may be; wait until one is published, or withdraw one.",
        )
    day = now(-timedelta(days=1))
    today = at.execute(count.where(submissions.c.created > day)).scalar_one()
    if today >= account.daily:
        raise QuotaReached(
            f"{account.name} has made {today} submissions within a day",
            f"{account.daily} may be made; try again tomorrow.",
        )


def advance(
    records: ServiceRecords,
    number: str,
    state: State,
    reason: str = "",
    *,
    who: str = SERVICE,
    **changes: object,
) -> bool:
    """Bring a submission into a state that may follow its own; return whether that was so."""
    with records.change() as to:
        return advanced(to, number, state, reason, who=who, **changes)


def advanced(
    to: Connection,
    number: str,
    state: State,
    reason: str = "",
    *,
    who: str = SERVICE,
    **changes: object,
) -> bool:
    """Do the same within a transaction."""
    before = to.execute(select(submissions.c.state).where(submissions.c.id == number)).scalar()
    if before is None or state not in FOLLOWING[State(before)]:
        return False
    said = reason[:MOST_REASON]
    row = {**changes, "state": state, "reason": said, "changed": now()}
    to.execute(update(submissions).where(submissions.c.id == number).values(row))
    _record(to, number, state, said)
    noted(to, who, state, number, said[:200])
    return True


def bury(to: Connection, number: str, who: str, reason: str) -> bool:
    """Make a tombstone of a submission: its hash, its days and its states stay, words go."""
    gone = advanced(
        to, number, State.WITHDRAWN, reason,
        who=who, name=TOMBSTONE, message="", source="", what="",
    )  # fmt: skip
    if gone:
        before = (events.c.submission == number) & (events.c.state != State.WITHDRAWN)
        to.execute(update(events).where(before).values(reason=""))
    return gone


def _record(to: Connection, number: str, state: State, reason: str) -> None:
    row = {"submission": number, "at": now(), "state": state, "reason": reason}
    to.execute(insert(events).values(row))


def describe(records: ServiceRecords, number: str, **changes: object) -> None:
    """Change what is known of a submission besides its state."""
    with records.change() as to:
        to.execute(update(submissions).where(submissions.c.id == number).values(changes))


def find(records: ServiceRecords, number: str) -> Submission | None:
    """Return a submission; None where there is none of this number."""
    with records.look() as at:
        return next(iter(_some(at, submissions.c.id == number)), None)


def history(records: ServiceRecords, number: str) -> list[Any]:
    """Return moment, state and reason of all states of a submission."""
    with records.look() as at:
        wanted = select(events.c.at, events.c.state, events.c.reason)
        return list(at.execute(wanted.where(events.c.submission == number).order_by(events.c.id)))


def in_state(records: ServiceRecords, *states: State) -> Sequence[Submission]:
    """Return the submissions in these states, the oldest first."""
    with records.look() as at:
        return _some(at, submissions.c.state.in_(states))


def in_digest(records: ServiceRecords, digest: str) -> Sequence[Submission]:
    """Return the submissions of one archive."""
    with records.look() as at:
        return _some(at, submissions.c.digest == digest)


def listed(
    records: ServiceRecords,
    account: ServiceAccount | None,
    *,
    newest: int = PAGE,
    before: str = "",
) -> Sequence[Submission]:
    """Return what an account may see, the newest first: its own, and what is public.

    Public are published and withdrawn ones; an administrator sees all. `before` is the moment
    of the last one on the page before.
    """
    public = submissions.c.state.in_((State.PUBLISHED, State.WITHDRAWN))
    which: ColumnElement[bool] = public
    if account is not None:
        which = public | (submissions.c.account == account.id) | account.administrator
    if before:
        which &= submissions.c.created < before
    with records.look() as at:
        return _some(at, which, newest=newest)


def may_see(account: ServiceAccount | None, one: Submission) -> bool:
    """Return whether an account, or anybody, may see a submission."""
    public = one.state in (State.PUBLISHED, State.WITHDRAWN)
    return public or (account is not None and owns(account, one))


def owns(account: ServiceAccount, one: Submission) -> bool:
    """Return whether an account may withdraw a submission and read its archive."""
    return account.administrator or account.id == one.account


def _some(at: Connection, which: Any, newest: int = 0) -> list[Submission]:
    wanted = select(submissions, accounts.c.name.label("owner")).join(accounts).where(which)
    order = submissions.c.created.desc() if newest else submissions.c.created
    wanted = wanted.order_by(order, submissions.c.id).limit(newest or None)
    return [_submission(row) for row in at.execute(wanted)]


def _one(at: Connection, number: str) -> Submission:
    return _some(at, submissions.c.id == number)[0]


def _submission(row: Row[Any]) -> Submission:
    found = dict(row._mapping)  # noqa: SLF001 - the name of the documented way to a mapping
    return Submission(**{**found, "state": State(found["state"])})
