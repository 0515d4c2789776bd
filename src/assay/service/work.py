# SPDX-License-Identifier: MIT
"""The jobs of submissions: which there are to be, what workers tell of them, who approves."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Row, insert, select, update

from assay.fleet.jobs import Action, Job, judge_lane, measure_lane
from assay.service.records import ServiceRecords, jobs, noted, now
from assay.service.states import OPEN_JOBS, JobState
from assay.service.submissions import Submission


class JobRecord(Struct, frozen=True):
    """A job, and what became of it."""

    name: str
    submission: str
    lane: str
    action: Action
    state: JobState
    machine: str
    bundle: str
    folder: str
    links: str
    signer: str
    reason: str
    changed: str

    @property
    def where(self) -> str:
        """Return the machine or target that the job is for."""
        return self.lane.partition(".")[2]


def planned(
    submission: str, action: Action, where: str, *, ask: bool = False, attempt: int = 1
) -> dict[str, Any]:
    """Return the row of a new job: a queue takes its name once, so each attempt has its own."""
    lane = judge_lane(where) if action is Action.JUDGE else measure_lane(where)
    state = JobState.ASKED if ask else JobState.PUT
    again = f"-again-{attempt}" if attempt > 1 else ""
    return {"name": f"{action}-{submission}-{where}{again}", "submission": submission,
            "lane": lane, "action": action, "state": state, "changed": now()}  # fmt: skip


def add(records: ServiceRecords, rows: Iterable[dict[str, Any]]) -> list[JobRecord]:
    """Record jobs that are not known yet, and return these."""
    new = []
    with records.change() as to:
        for row in rows:
            if _named(to, row["name"]) is None:
                to.execute(insert(jobs).values(row))
                new.append(_named(to, row["name"]))
    return [one for one in new if one is not None]


def named(records: ServiceRecords, name: str) -> JobRecord | None:
    """Return a job; None where it is unknown."""
    with records.look() as at:
        return _named(at, name)


def jobs_of(records: ServiceRecords, submission: str) -> list[JobRecord]:
    """Return the jobs of a submission, in the order of their names."""
    return _where(records, jobs.c.submission == submission)


def in_states(records: ServiceRecords, *states: JobState) -> list[JobRecord]:
    """Return all jobs in these states."""
    return _where(records, jobs.c.state.in_(states))


def change(records: ServiceRecords, name: str, state: JobState, **changes: object) -> bool:
    """Change a job that has not ended; return whether it had not."""
    with records.change() as to:
        done = to.execute(
            update(jobs).where(jobs.c.name == name, jobs.c.state.in_(OPEN_JOBS))
            .values(state=state, changed=now(), **changes)
        )  # fmt: skip
    return bool(done.rowcount)


def place(records: ServiceRecords, name: str, folder: str) -> None:
    """Record where the results of a job lie."""
    with records.change() as to:
        to.execute(update(jobs).where(jobs.c.name == name).values(folder=folder))


def decide(records: ServiceRecords, name: str, who: str, *, agreed: bool) -> bool:
    """Approve or decline a job that asks for it; return whether there was such a job."""
    state = JobState.PUT if agreed else JobState.DECLINED
    with records.change() as to:
        done = to.execute(
            update(jobs).where(jobs.c.name == name, jobs.c.state == JobState.ASKED)
            .values(state=state, changed=now(), reason="" if agreed else f"declined by {who}")
        )  # fmt: skip
        if done.rowcount:
            noted(to, who, "approve" if agreed else "decline", name)
    return bool(done.rowcount)


def end_all(to: Connection, submission: str) -> Sequence[JobRecord]:
    """Decline the open jobs of a submission, within a transaction; return all of its jobs."""
    mine = jobs.c.submission == submission
    found = [_record(row) for row in to.execute(select(jobs).where(mine))]
    row = {"state": JobState.DECLINED, "reason": "withdrawn", "folder": "", "changed": now()}
    to.execute(update(jobs).where(mine, jobs.c.state.in_(OPEN_JOBS)).values(row))
    to.execute(update(jobs).where(mine).values(folder="", reason="", links="[]"))
    return found


def for_queue(one: JobRecord, submission: Submission, account: str) -> Job:
    """Return a job as a queue takes it."""
    return Job(one.name, one.lane, one.action, submission.digest, account)


def _named(at: Connection, name: str) -> JobRecord | None:
    row = at.execute(select(jobs).where(jobs.c.name == name)).first()
    return None if row is None else _record(row)


def _where(records: ServiceRecords, which: Any) -> list[JobRecord]:
    with records.look() as at:
        rows = at.execute(select(jobs).where(which).order_by(jobs.c.name))
        return [_record(row) for row in rows]


def _record(row: Row[Any]) -> JobRecord:
    found = dict(row._mapping)  # noqa: SLF001 - the name of the documented way to a mapping
    return JobRecord(
        **{**found, "state": JobState(found["state"]), "action": Action(found["action"])}
    )
