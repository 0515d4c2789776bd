# SPDX-License-Identifier: MIT
"""The states of a submission and of its jobs, and what may follow what."""

from enum import StrEnum


class State(StrEnum):
    """How far a submission is."""

    RECEIVED = "received"  # or on its way here from its address; nothing of it was executed
    JUDGED = "judged"  # nothing failed
    WAITING = "waiting"  # for machines that measure
    MEASURING = "measuring"
    PUBLISHED = "published"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"


FOLLOWING: dict[State, frozenset[State]] = {
    State.RECEIVED: frozenset({State.JUDGED, State.REFUSED, State.WITHDRAWN}),
    State.JUDGED: frozenset({State.WAITING, State.REFUSED, State.WITHDRAWN}),
    State.WAITING: frozenset({State.MEASURING, State.PUBLISHED, State.REFUSED, State.WITHDRAWN}),
    State.MEASURING: frozenset({State.WAITING, State.PUBLISHED, State.REFUSED, State.WITHDRAWN}),
    State.PUBLISHED: frozenset({State.WITHDRAWN}),
    State.REFUSED: frozenset({State.WITHDRAWN}),
    State.WITHDRAWN: frozenset(),
}
ENDED = frozenset({State.PUBLISHED, State.REFUSED, State.WITHDRAWN})

MEANING = {
    State.RECEIVED: "It is here, or being fetched. Nothing of it is executed before it is "
    "unpacked safely; then it is compiled and checked, confined.",
    State.JUDGED: "It was compiled and checked, and nothing failed.",
    State.WAITING: "It waits for machines that measure it, one package at a time each.",
    State.MEASURING: "A machine measures it now.",
    State.PUBLISHED: "Its results are on the site.",
    State.REFUSED: "It was refused, for the reason given. A corrected archive is a new "
    "submission.",
    State.WITHDRAWN: "It was withdrawn. Its archive and results were removed; its SHA-256 stays.",
}


class JobState(StrEnum):
    """How far one job of a submission is."""

    ASKED = "asked"  # the machine's owner wants a person to agree
    DECLINED = "declined"
    UNSENT = "unsent"  # the queue could not be reached; put as soon as it can
    PUT = "put"
    BEGUN = "begun"
    DONE = "done"
    REFUSED = "refused"


OPEN_JOBS = frozenset({JobState.ASKED, JobState.UNSENT, JobState.PUT, JobState.BEGUN})
