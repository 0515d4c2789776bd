# SPDX-License-Identifier: MIT
"""From a results folder to the cells of a site: its own results, place by place."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.elf.sizes import object_sizes
from assay.machine.cache import cache_folder
from assay.model import (
    NATIVE_NAME,
    BuildStage,
    CheckResult,
    Dropped,
    Launch,
    Machine,
    OperationSubject,
    Package,
    StreamSubject,
    Subject,
    Verdict,
)
from assay.model.compared import ended_early, uncompared
from assay.site.cells import Folder, SiteCell, SiteCheck, SiteFigure, SiteMachine, digest
from assay.site.figures import figures_of
from assay.stats.summary import counted
from assay.store import FILE_NAME, Store
from assay.store.notes import Notes
from assay.store.rows import ObjectKey, StoredCell

LONGEST_MESSAGES = 20_000  # characters of what a compiler printed that a page shows
GIB = 1 << 30
UNKNOWN = Machine("unknown", "unknown", "unknown", 0, 0, "", "", None, None, None, None, None)


def own_folders(folder: Path, store: Store) -> Iterator[Folder]:
    """Yield what Assay itself measured, one for the machine and one for each target."""
    machine = store.machine() or UNKNOWN
    figures = _figures(store)
    dropped = set(Notes(store).all(Dropped))
    places: dict[str, list[SiteCell]] = {}
    sizes, day = _Sizes(folder), _day(store, figures.values())
    for one in store.cells():
        if one.build.stage is BuildStage.SKIPPED:
            continue
        launches, known = figures.get(one.key, ((), ())) if one.key else ((), ())
        cell = _cell(one, launches, known, sizes.of(one), dropped=one.key in dropped)
        dated = cell if cell.ended else replace(cell, ended=day)
        places.setdefault(cell.target, []).append(dated)
    warnings = tuple(_clock(figures.values()))
    for target, cells in sorted(places.items()):
        yield Folder(machine_at(machine, target), tuple(cells), warnings)


def _day(store: Store, known: Iterable[tuple[Sequence[Launch], object]]) -> str:
    """Return when cells were tried that were not launched: with the newest of all others."""
    moments = [one.started_at for launches, _ in known for one in launches]
    moments += [one.started_at for one in store.campaigns()]
    return max(moments, default="")


def machine_at(machine: Machine, target: str) -> SiteMachine:
    """Describe a place: a machine, or a target that it measured on."""
    memory = f"{round(machine.memory_bytes / GIB)} GiB"
    same = (machine.host, machine.cpu, machine.architecture, str(machine.cores), memory)
    native = target == NATIVE_NAME
    facts = {
        "cores": str(machine.cores),
        "memory": memory,
        "governor": machine.governor or "",
        "turbo": _word(on=machine.turbo),
        "SMT": _word(on=machine.smt),
        "virtualised": machine.virtualised or "",
        "measured by": "" if native else f"{machine.host} ({machine.cpu})",
    }
    findings = ((one.topic, one.trust.value, one.state, one.cure) for one in machine.findings)
    return SiteMachine(
        identity=digest(*same, "" if native else target),
        host=machine.host if native else target,
        cpu=machine.cpu if native else f"target {target}",
        architecture=machine.architecture if native else "",
        mhz=machine.mhz if native else None,
        kernel=machine.kernel,
        system=machine.system,
        compilers=machine.compilers,
        trust=(machine.trust_class or "") if native else "",
        assay=machine.assay,
        facts=tuple((what, value) for what, value in facts.items() if value),
        findings=tuple(findings) if native else (),
    )


def _word(*, on: bool | None) -> str:
    return "" if on is None else "on" if on else "off"


def _figures(
    store: Store,
) -> dict[ObjectKey, tuple[tuple[Launch, ...], tuple[SiteFigure, ...]]]:
    """Summarise the launches of every machine code once; only their heads are kept."""
    found = {}
    for key, launches in store.all_launches():
        valid = counted(launches)
        found[key] = (tuple(_head(one) for one in valid), figures_of(valid))
    return found


def _head(launch: Launch) -> Launch:
    """Return a launch without what takes room."""
    return replace(launch, samples=())


def _clock(known: Iterable[tuple[Sequence[Launch], object]]) -> Iterator[str]:
    """State where moments of launches do not grow in the order in which they were stored."""
    for launches, _ in known:
        moments = [one.started_at for one in launches]
        if moments != sorted(moments):
            yield "its clock was set back while it measured, so times may be wrong"
            return


class _Sizes:
    """Sizes of object files, which lie in the folder or the user's cache; no others are read."""

    def __init__(self, folder: Path) -> None:
        self._inside = (folder.resolve(), cache_folder().resolve())

    def of(self, cell: StoredCell) -> tuple[int, ...]:
        """Add up text, data and bss of a package's objects; nothing where one is missing."""
        found = [self._one(path) for path in cell.build.objects]
        if not found or None in found:
            return ()
        return tuple(map(sum, zip(*(one for one in found if one), strict=True)))

    def _one(self, path: Path) -> tuple[int, int, int] | None:
        try:
            real = path.resolve()
            inside = any(real.is_relative_to(one) for one in self._inside)
            return object_sizes(real) if inside and real.is_file() else None
        except (OSError, ValueError):
            return None


def _cell(
    one: StoredCell,
    launches: Sequence[Launch],
    figures: tuple[SiteFigure, ...],
    size: tuple[int, ...],
    *,
    dropped: bool,
) -> SiteCell:
    """Put a cell together."""
    package, build, configuration = one.package, one.build, one.configuration
    moments = sorted(launch.started_at for launch in launches)
    words = (configuration.command, configuration.arch, configuration.opt)
    return SiteCell(
        family=family_of(package), primitive=package.primitive, selector=package.selector,
        implementation=package.label, version=package.content_hash,
        variant=build.cell.variant, configuration=build.cell.configuration,
        command=" ".join(word for word in words if word), target=build.cell.target,
        league=build.league or _league(package), role=package.role.value,
        verdict=_verdict(one), **_checks(one.checks or ()),
        build=build.command, reason=build.reason, cure=build.cure,
        diagnostics=build.diagnostics[:LONGEST_MESSAGES], bytes=size,
        facts=facts_of(one.subject), code=build.object_hash or "",
        began=moments[0] if moments else "", ended=moments[-1] if moments else "",
        counter=launches[-1].counter.name if launches else "",
        disturbed=any(launch.disturbed for launch in launches), dropped=dropped,
        imported=False, figures=figures, notes=build.notes,
    )  # fmt: skip


def _checks(checks: Sequence[CheckResult]) -> dict[str, Any]:
    """Return names of checks that passed in one text, and the others with their reasons."""
    passed = [one.check for one in checks if one.verdict is Verdict.PASS]
    others = (one for one in checks if one.verdict is not Verdict.PASS)
    found = (SiteCheck(one.check, one.verdict.value, one.reason, one.cure) for one in others)
    return {"passed": " ".join(passed), "checks": tuple(found)}


def family_of(package: Package) -> str:
    """Name the operation, or the kind of a package that implements none."""
    return package.details.operation if package.details else str(package.kind.value)


def _league(package: Package) -> str:
    """Return the league that a cipher's or hash's declared goals put it in."""
    return "constbranchindex" if len(package.goals) > 1 else ""


def _verdict(one: StoredCell) -> str:
    """Return the verdict on a cell in one word."""
    checks = one.checks or ()
    wrong = any(check.verdict is Verdict.FAIL for check in checks)
    if not one.build.ok or wrong or ended_early(checks):
        return "fail"
    unclear = one.checks is None or uncompared(checks)
    if unclear or any(check.verdict is Verdict.OPEN for check in checks):
        return "open"
    return "pass"


def facts_of(subject: Subject | None) -> Mapping[str, int]:
    """Return sizes in bytes by name: of keys, digests, contexts."""
    if isinstance(subject, OperationSubject):
        static = {"static memory": subject.state_bytes} if subject.state_bytes else {}
        return {**dict(subject.constants), **static}
    if isinstance(subject, StreamSubject):
        return {"KEYBYTES": subject.max_key_bits // 8, "context": subject.context_bytes}
    return {} if subject is None else {"context": subject.context_bytes}


def readable(folder: Path) -> Store:
    """Open the results of a folder, whoever made them; AssayError says why that fails."""
    if folder.is_file() and folder.name == FILE_NAME:
        folder = folder.parent
    return Store.open(folder, read_only=True)
