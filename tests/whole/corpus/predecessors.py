# SPDX-License-Identifier: MIT
"""What predecessors did with the broken packages: predecessors.toml, and its part of the page."""

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from families import ORDER, Row  # type: ignore[import-not-found]

FILE = Path(__file__).resolve().parent / "predecessors.toml"
# By the section of the file: the API whose packages they test.
APIS = {"estream": "eSTREAM", "supercop": "SUPERCOP"}
ATTACKS = "attack"
NAMES = {"eSTREAM": "The original eSTREAM tests", "SUPERCOP": "SUPERCOP"}
VERBS = {"refused": "stops", "crashed": "crashes", "hangs": "hangs", "accepted": "passes"}
PAST = {"hangs": "hung"}
ENDS = {
    "succeeds": "succeeded",
    "endless": "were ended only by our limit",
    "hangs": "hung",
    "refused": "were stopped",
    "nothing": "passed but gained nothing",
}
NOT_RUN = "not run"
NOBODY = "-"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a predecessor did with a row; the fields are described on top of the file."""

    defect: str
    outcome: str
    says: str = ""
    only: str = ""
    emulated: str = ""
    timecop: str = ""

    @property
    def stops(self) -> bool:
        """Say whether no figure comes of it, and an end."""
        return self.outcome in {"refused", "crashed"}

    def cell(self) -> str:
        """Write it for a table."""
        if self.outcome == NOT_RUN:
            return NOBODY
        text = VERBS[self.outcome]
        text += f" with `{self.only}` alone" if self.only else ""
        text += f" on {self.emulated}" if self.emulated else ""
        text += f": {self.says}" if self.says else ""
        return text + (", TIMECOP reports it" if self.timecop else "")


Outcomes = Mapping[tuple[str, str], Outcome]


def outcomes() -> Outcomes:
    """Read what became of defects; the keys are API and defect."""
    sections = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {
        (api, entry["defect"]): Outcome(**entry)
        for section, api in APIS.items()
        for entry in sections[section]
    }


def attacked() -> Mapping[str, tuple[str, str]]:
    """Read what became of attacks: outcome and words of each."""
    entries = tomllib.loads(FILE.read_text(encoding="utf-8"))[ATTACKS]
    return {entry["name"]: (entry["outcome"], entry.get("says", "")) for entry in entries}


def attack_cell(outcome: str, says: str) -> str:
    """Write what became of an attack for a table."""
    if outcome == NOT_RUN:
        return NOBODY
    return ENDS[outcome].removeprefix("were ") + (f": {says}" if says else "")


def attack_line(known: Mapping[str, tuple[str, str]]) -> str:
    """Count what became of attacks."""
    count = Counter(outcome for outcome, _ in known.values() if outcome != NOT_RUN)
    *said, last = (f"{count[outcome]} {words}" for outcome, words in ENDS.items())
    run = f"Of the {count.total()} attacks run against the original eSTREAM tests"
    return f"{run}, {', '.join(said)}, and {last}."


def cells(row: Row, known: Outcomes) -> list[str]:
    """Write what each predecessor did with a row."""
    return [known[row.api, row.defect].cell() if row.api == api else NOBODY for api in NAMES]


def summary(rows: Sequence[Row], known: Outcomes) -> list[str]:
    """Count what each stops: a line for each, and a table by family."""
    run = [one for one in rows if one.api in NAMES]
    run = [one for one in run if known[one.api, one.defect].outcome != NOT_RUN]
    lines = [_line(api, [one for one in run if one.api == api], known) for api in NAMES]
    heads = (f"{api} packages | stopped by {api} | failed by Assay" for api in NAMES)
    lines += ["", f"| family | {' | '.join(heads)} |", "|---" * (1 + 3 * len(NAMES)) + "|"]
    for family in ("", *ORDER):
        of_it = [one for one in run if family in {"", one.family}]
        lines.append(f"| {family or 'all'} | {' | '.join(_shares(of_it, known))} |")
    return lines


def _line(api: str, run: Sequence[Row], known: Outcomes) -> str:
    found = [known[api, one.defect] for one in run]
    count = Counter(one.outcome for one in found)
    said = [f"{count[word]} {PAST.get(word, word)}" for word in VERBS if count[word]]
    reported = sum(one.outcome == "accepted" and bool(one.timecop) for one in found)
    said[-1] += f" (TIMECOP reports {reported} of them)" if reported else ""
    fails = sum(one.fails for one in run)
    rest = f", {len(run) - fails} with a remark" if fails < len(run) else ""
    return (
        f"- {NAMES[api]}, with {len(run)} packages: {', '.join(said)}.\n"
        f"  Assay: {fails} failed{rest}."
    )


def _shares(run: Sequence[Row], known: Outcomes) -> list[str]:
    numbers: list[int] = []
    for api in NAMES:
        found = [one for one in run if one.api == api]
        stopped = sum(known[api, one.defect].stops for one in found)
        numbers += [len(found), stopped, sum(one.fails for one in found)]
    return [str(one) for one in numbers]
