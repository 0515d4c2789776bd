# SPDX-License-Identifier: MIT
"""Whether the cells of one package compute the same, whatever compiled them and wherever they run.

Every cell brings digests of its outputs for inputs that are the same in all of them. Cells that
differ in a digest that both have are in different groups. Nobody knows which group is right,
unless one alone has known answers on its side, or passes all other checks; otherwise all cells
fail, so that none is ranked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.check import CheckFinding
from assay.check.evidence import named
from assay.model import Cell, CheckResult, Verdict
from assay.model.compared import CONFIGURATIONS, INDEPENDENT, TARGETS, glanced

NAMED = 3
CHECKSUM = "checksum"  # how the names of digests begin that users can compare elsewhere
ALONE = "nothing to compare with yet: one machine code"
CURE = (
    "Compare each with known answers (`--answers`) to learn which is right. Look for undefined "
    "behaviour (`assay check --deep` runs the sanitizers), for code that depends on the size or "
    "the byte order of a word or on the sign of char, and for #if branches that only some take."
)

Explain = Callable[[Cell, Cell, tuple[str, ...]], str]
"""Returns the smallest input found that two cells answer differently, as evidence; nothing if it
finds none. CheckFinding if they cannot be compared."""


class ComputedCell(Struct, frozen=True):
    """A cell of a package's variant, with its verdicts, and its code."""

    cell: Cell
    code: str | None
    checks: tuple[CheckResult, ...]

    @property
    def digests(self) -> dict[str, str]:
        """Return the digests of its outputs, by what was computed."""
        return dict(pair for one in self.checks for pair in one.outputs)

    @property
    def known(self) -> bool:
        """Return whether its outputs are right by what is known of them, and by none wrong."""
        verdicts = {one.verdict for one in self.checks if one.check.startswith(INDEPENDENT)}
        return Verdict.PASS in verdicts and Verdict.FAIL not in verdicts

    @property
    def otherwise(self) -> Verdict | None:
        """Return what the other checks say: a failure, or none; None if they were not run."""
        own = [one for one in self.checks if one.check not in (CONFIGURATIONS, TARGETS)]
        if any(one.verdict is Verdict.FAIL for one in own):
            return Verdict.FAIL
        return None if glanced(own) else Verdict.PASS


class AgreeingCells(Struct):
    """Cells that agree in all that they have in common, and their digests."""

    cells: list[ComputedCell] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)

    def takes(self, digests: Mapping[str, str]) -> bool:
        """Return whether a cell with these digests agrees."""
        return all(self.digests.get(name, one) == one for name, one in digests.items())

    def add(self, one: ComputedCell) -> None:
        """Add a cell."""
        self.cells.append(one)
        self.digests |= {n: d for n, d in one.digests.items() if n not in self.digests}

    def named(self, of: str, *, whole: bool = False) -> str:
        """Name the configurations or targets, of many the first ones."""
        names = list(dict.fromkeys(getattr(one.cell, of) for one in self.cells))
        if whole or len(names) <= NAMED + 1:
            return named(names)
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"

    @property
    def known(self) -> bool:
        """Return whether a cell of it has known answers on its side."""
        return any(one.known for one in self.cells)

    @property
    def otherwise(self) -> Verdict | None:
        """Return what other checks say of it: a failure if they fail all that they looked at."""
        verdicts = {one.otherwise for one in self.cells} - {None}
        return Verdict.PASS if Verdict.PASS in verdicts else next(iter(verdicts), None)


def agreement(cells: Sequence[ComputedCell], explain: Explain) -> dict[Cell, list[CheckResult]]:
    """Judge all cells of one variant of a package; return what is said of each that computed."""
    found: dict[Cell, list[CheckResult]] = {}
    targets = dict.fromkeys(one.cell.target for one in cells)
    for target in targets:
        here = [one for one in cells if one.cell.target == target]
        for cell, check in _judged(CONFIGURATIONS, "configuration", here, explain):
            found.setdefault(cell, []).append(check)
    if len(targets) > 1 and not _somewhere_the_same(cells):
        for cell, check in _judged(TARGETS, "target", cells, explain):
            found.setdefault(cell, []).append(check)
    return found


def groups_of(cells: Iterable[ComputedCell]) -> list[AgreeingCells]:
    """Group cells by what they computed; those that answered nothing are in none."""
    groups: list[AgreeingCells] = []
    for one in sorted(cells, key=lambda each: -len(each.digests)):
        if not one.digests:
            continue
        group = next((each for each in groups if each.takes(one.digests)), None)
        if group is None:
            groups.append(group := AgreeingCells())
        group.add(one)
    return groups


def _somewhere_the_same(cells: Sequence[ComputedCell]) -> bool:
    """Return whether one group has a cell of every target that computed something."""
    groups = groups_of(cells)
    every = {one.cell.target for group in groups for one in group.cells}
    return len(groups) > 1 and any({one.cell.target for one in g.cells} == every for g in groups)


def _judged(
    name: str, of: str, cells: Sequence[ComputedCell], explain: Explain
) -> Iterator[tuple[Cell, CheckResult]]:
    """Yield the verdict on each cell that computed something."""
    groups = groups_of(cells)
    if len(groups) > 1:
        yield from _disagree(name, of, groups, explain)
        return
    for one in groups[0].cells if groups else ():
        yield one.cell, _agree(name, of, groups[0])


def _agree(name: str, of: str, group: AgreeingCells) -> CheckResult:
    places = {getattr(one.cell, of) for one in group.cells}
    codes = {one.code for one in group.cells}
    if len(places) == 1 or (of == "configuration" and len(codes) == 1):
        return CheckResult(name, Verdict.SKIPPED, ALONE)
    what = f"{len(codes)} object codes" if of == "configuration" else f"{len(places)} targets"
    reason = f"{what} give the same outputs for {len(group.digests)} questions"
    return CheckResult(name, Verdict.PASS, reason)


def _disagree(
    name: str, of: str, groups: Sequence[AgreeingCells], explain: Explain
) -> Iterator[tuple[Cell, CheckResult]]:
    """Yield failures, but for the cells of a group that is known to be right."""
    spared, why = right_one(groups)
    others = [group for group in groups if group is not spared]
    reason = f"different outputs for the same inputs: {_listed(of, groups)} disagree"
    if spared is not None:
        reason = (
            f"the outputs of {_listed(of, others)} differ from those of {spared.named(of)}, {why}"
        )
    failed = _failure(name, of, reason, groups, explain)
    for group in groups:
        for one in group.cells:
            if group is not spared:
                yield one.cell, failed
            elif group.known:
                text = f"right by known answers; the outputs of {_listed(of, others)} differ"
                yield one.cell, CheckResult(name, Verdict.PASS, text)
            else:
                yield one.cell, replace(failed, verdict=Verdict.FINDING)


def right_one(groups: Sequence[AgreeingCells]) -> tuple[AgreeingCells | None, str]:
    """Return the group that is taken to be right, and why; None if nobody knows.

    It alone has known answers on its side, or other checks fail all the others.
    """
    known = [group for group in groups if group.known]
    if len(known) == 1:
        return known[0], "which known answers show to be right"
    passing = [group for group in groups if group.otherwise is not Verdict.FAIL]
    if len(passing) == 1 and passing[0].otherwise is Verdict.PASS:
        return passing[0], "and fail other checks"
    return None, ""


def _listed(of: str, groups: Sequence[AgreeingCells]) -> str:
    """Name groups, set apart."""
    return " / ".join(group.named(of) for group in groups)


def _failure(
    name: str, of: str, reason: str, groups: Sequence[AgreeingCells], explain: Explain
) -> CheckResult:
    """Make the failure, with the groups and the smallest input as evidence."""
    known = _stored(name, reason, groups)
    if known is not None:
        return known
    first, second = groups[:2]
    differing = tuple(n for n, d in first.digests.items() if second.digests.get(n, d) != d)
    lines = [
        f"group {number}: {group.named(of, whole=True)}"
        for number, group in enumerate(groups, start=1)
    ]
    common = len(first.digests.keys() & second.digests.keys())
    lines.append(f"groups 1 and 2 differ in {len(differing)} of {common} digests of outputs")
    lines += [
        f"{one}: {' / '.join(group.digests.get(one, '-') for group in groups)}"
        for one in differing
        if one.startswith(CHECKSUM)
    ]
    evidence = "\n".join(lines) + "\n"
    try:
        shown = explain(first.cells[0].cell, second.cells[0].cell, differing)
    except CheckFinding as finding:
        return CheckResult(name, Verdict.FINDING, f"{reason}; {finding}", CURE, evidence)
    return CheckResult(name, Verdict.FAIL, reason, CURE, evidence + shown)


def _stored(name: str, reason: str, groups: Sequence[AgreeingCells]) -> CheckResult | None:
    """Return the same failure if it was found before, so that no evidence is sought again."""
    checks = (check for group in groups for one in group.cells for check in one.checks)
    return next((one for one in checks if (one.check, one.reason) == (name, reason)), None)
