# SPDX-License-Identifier: MIT
"""What API, pages, letters and feed show of submissions, jobs and machines, and to whom."""

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email import policy
from email.message import EmailMessage
from xml.sax.saxutils import escape, quoteattr

from msgspec import Struct
from msgspec.structs import asdict

from assay.fleet.jobs import CLOCK, Registration
from assay.report.printable import printable
from assay.service.accounts import ServiceAccount, account_of
from assay.service.house import House
from assay.service.states import MEANING, State
from assay.service.submissions import Submission, history, listed, owns
from assay.service.work import JobRecord, jobs_of

CLOCK_SECONDS = 120.0  # that a machine's clock and the queue's may differ, unsaid
_SUBJECTS = {
    State.REFUSED: "could not be accepted",
    State.WITHDRAWN: "was withdrawn",
    State.PUBLISHED: "is published",
}


class Link(Struct, frozen=True):
    """A version of a package, the worst verdict on it, and its page."""

    name: str
    verdict: str
    address: str


class JobView(Struct, frozen=True):
    """A job: what is done where, and what came of it."""

    name: str
    action: str
    where: str
    state: str
    machine: str
    reason: str
    signer: str
    bundle: str
    changed: str
    results: list[Link]


class EventView(Struct, frozen=True):
    """A state that a submission came into."""

    at: str
    state: str
    reason: str


class SubmissionSummary(Struct, frozen=True):
    """A submission in a list."""

    id: str
    name: str
    owner: str
    sha256: str
    state: str
    reason: str
    created: str
    changed: str
    page: str


class SubmissionView(SubmissionSummary, frozen=True):
    """A submission with its history and its jobs; `meaning` explains the state."""

    message: str
    source: str
    size: int
    what: str
    meaning: str
    history: list[EventView]
    jobs: list[JobView]


class MachineView(Struct, frozen=True):
    """A machine as its worker describes it; facts are claims until a signed bundle has them."""

    name: str
    state: str
    assay: str
    lanes: list[str]
    facts: dict[str, str]
    key: str
    heard: str


def summary_of(house: House, one: Submission) -> SubmissionSummary:
    """Return a submission as lists have it."""
    return SubmissionSummary(
        one.id, one.name, one.owner, one.digest, one.state, one.reason,
        one.created, one.changed, house.page_of(one.id),
    )  # fmt: skip


def view_of(house: House, one: Submission, account: ServiceAccount | None) -> SubmissionView:
    """Return all of a submission that an account may see; where it came from is its owner's."""
    mine = account is not None and owns(account, one)
    jobs = [_job(each) for each in jobs_of(house.records, one.id)]
    events = [EventView(*each) for each in history(house.records, one.id)]
    return SubmissionView(
        **asdict(summary_of(house, one)),
        message=one.message, source=one.source if mine else "", size=one.size, what=one.what,
        meaning=MEANING[one.state], history=events, jobs=jobs,
    )  # fmt: skip


def _job(one: JobRecord) -> JobView:
    links = [Link(name, verdict, address) for name, verdict, address in json.loads(one.links)]
    return JobView(
        one.name, one.action, one.where, one.state, printable(one.machine), one.reason,
        one.signer, one.bundle, one.changed, links,
    )  # fmt: skip


async def machines_of(house: House) -> list[MachineView]:
    """Return the machines of the queue, by name."""
    found = await house.desk.queue.machines()
    return [_machine(one, heard) for _, (one, heard) in sorted(found.items())]


def _machine(one: Registration, heard: float) -> MachineView:
    facts = {printable(key): printable(value) for key, value in one.facts.items() if key != CLOCK}
    with suppress(ValueError):  # of a clock that is none, or of another version's worker
        ahead = float(one.facts.get(CLOCK, "")) - heard
        if abs(ahead) > CLOCK_SECONDS:
            way = "ahead" if ahead > 0 else "behind"
            facts[CLOCK] = f"wrong, {timedelta(seconds=round(abs(ahead)))} {way}; so are its dates"
    return MachineView(
        printable(one.machine), printable(one.state), printable(one.assay),
        [printable(lane) for lane in one.lanes], facts, printable(one.key),
        datetime.fromtimestamp(heard, UTC).isoformat(timespec="seconds"),
    )  # fmt: skip


def letter_of(house: House, one: Submission) -> EmailMessage:
    """Write to a submitter what became of a submission: a message that can be sent as it is.

    Whatever somebody typed stays in its line of the header, and in the text.
    """
    message = EmailMessage(policy=policy.SMTP)
    says = f"Your submission {printable(one.name)} {_SUBJECTS.get(one.state, f'is {one.state}')}"
    message["Subject"] = says
    if mail := account_of(house.records, one.account).mail:
        message["To"] = mail
    reason = [f"  {printable(line)}" for line in one.reason.splitlines()]
    lines = [f"{says}.", "", *(["Reason:", "", *reason, ""] if reason else []),
             MEANING[one.state], "", f"SHA-256: {one.digest}",
             f"Page: {house.page_of(one.id)}", ""]  # fmt: skip
    message.set_content("\n".join(lines))
    return message


def feed_of(house: House) -> str:
    """Return an Atom feed of submissions that are public."""
    found = listed(house.records, None)
    updated = max((one.changed for one in found), default="1970-01-01T00:00:00+00:00")
    here = f"{house.origin}/submissions/feed.xml"
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        "<title>Submissions</title>",
        f"<id>{escape(here)}</id>",
        f"<updated>{updated}</updated>",
        "<author><name>Assay</name></author>",
        f'<link rel="self" href={quoteattr(here)}/>',
    ]
    for one in found:
        page = house.page_of(one.id)
        lines.append(
            f"<entry><title>{escape(one.name)}: {one.state}</title>"
            f"<id>urn:assay:submission:{one.id}</id><updated>{one.changed}</updated>"
            f"<author><name>{escape(one.owner)}</name></author>"
            f"<link href={quoteattr(page)}/><summary>{escape(MEANING[one.state])} "
            f"SHA-256 {one.digest}</summary></entry>"
        )
    return "\n".join([*lines, "</feed>", ""])
