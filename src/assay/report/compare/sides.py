# SPDX-License-Identifier: MIT
"""What A and B mean: `[FOLDER:][IMPLEMENTATION][@CONFIGURATION]`, a folder, or a machine."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from msgspec import Struct, field

from assay.errors import UsageError
from assay.model import Verdict
from assay.model.operation import SCORE
from assay.model.series import Series
from assay.store import FILE_NAME, Store
from assay.store.rows import StoredCell
from assay.summary.imported import imported_series
from assay.summary.series import timed_series

GRAMMAR = (
    "A side is a results folder, an implementation (salsa20/ref), @CONFIGURATION, both "
    "(salsa20/ref@gcc_default_O3), or an imported machine; FOLDER: before it says where."
)
UNMEASURED = (
    "Add --measure to measure both, or --results FOLDER to say where `assay run` ran. "
    "Two revisions are compared by `assay compare REV1..REV2 PACKAGE`."
)


class Side(Struct, frozen=True):
    """Everything that one side means. `fixed` names what all of its series have in common.

    Of `implementation`, `variant`, `configuration`: what is fixed on one side need not be
    the same on the other. `settings` are those of the machine that the folder is of.
    """

    text: str
    folder: Path
    series: tuple[Series, ...]
    fixed: frozenset[str] = frozenset()
    settings: Mapping[str, str] = field(default_factory=dict)


class WantedSide(Struct, frozen=True):
    """A side as it was typed."""

    text: str
    folder: Path
    implementation: str = ""
    configuration: str = ""

    def may_mean(self, cell: StoredCell) -> bool:
        """Return whether a cell can belong to the side, before its launches are read."""
        package, configuration = cell.package, cell.configuration
        called = {configuration.name, configuration.tag}
        names = {package.selector, package.place, f"{package.selector}/{cell.build.cell.variant}"}
        return self.implementation in {"", *called, *names} and (
            self.configuration in {"", *called}
        )


def parse_side(text: str, results: Path) -> WantedSide:
    """Take the words of a side apart; `results` is where names without a folder are."""
    if (Path(text) / FILE_NAME).is_file():
        return WantedSide(text, Path(text))
    folder, colon, rest = text.rpartition(":")
    if not colon or not (Path(folder) / FILE_NAME).is_file():
        folder, rest = str(results), text
        if not (results / FILE_NAME).exists():
            raise UsageError(f"no results of {text} in {results}", UNMEASURED)
    implementation, _, configuration = rest.partition("@")
    if not implementation and not configuration:
        raise UsageError(f"{text!r} means nothing", GRAMMAR)
    return WantedSide(text, Path(folder), implementation, configuration)


def load_side(wanted: WantedSide) -> Side:
    """Read what a side means; UsageError where nothing has that name."""
    with Store.open(wanted.folder, read_only=True) as store:
        # Reading the launches of a whole sweep for two of its packages would take minutes.
        own = _comparable(timed_series(store, wanted.may_mean))
        if not own and wanted.implementation:
            _refuse_unmeasured(wanted, store)
        own = own or _comparable(timed_series(store))
        others = _comparable(imported_series(store))
        machine = store.machine()
    settings = machine.settings if machine else {}
    if not wanted.implementation and not wanted.configuration:
        return Side(wanted.text, wanted.folder, own or others, settings=settings)
    found, fixed = _named(wanted, own) or _named(wanted, others) or _machine(wanted, own, others)
    if wanted.configuration:
        kept = tuple(one for one in found if wanted.configuration in one.names)
        if not kept:
            raise UsageError(
                f"{wanted.text!r}: nothing was measured with {wanted.configuration!r}",
                _nearest((one.configuration.name for one in found), "configurations"),
            )
        found, fixed = kept, fixed | {"configuration"}
    return Side(wanted.text, wanted.folder, found, fixed, settings)


def _comparable(series: Iterable[Series]) -> tuple[Series, ...]:
    """Keep what was timed, or counted by an emulator; of a machine's days the newest counts."""
    steps = (one for one in series if one.measure != SCORE and (one.timed or one.steps))
    return tuple(sorted(steps, key=lambda one: one.source.date if one.imported else ""))


def _refuse_unmeasured(wanted: WantedSide, store: Store) -> None:
    """Raise UsageError if a side is there, but without any launch: it names what failed."""
    cells = [cell for cell in store.cells() if wanted.may_mean(cell)]
    if not cells:
        return
    said = f"{wanted.text!r} is in {wanted.folder}, and was not measured"
    for cell in cells:
        if failed := _failure(cell):
            check, reason, cure = failed
            where = cell.configuration.name
            raise UsageError(f"{said}: {check} failed with {where}: {reason}", cure)
    raise UsageError(said, "Measure it: `assay run`, or `assay compare --measure`.")


def _failure(cell: StoredCell) -> tuple[str, str, str] | None:
    """Return the check that kept a cell from being measured, its reason and its cure."""
    if not cell.build.ok:
        return f"build ({cell.build.stage.value})", cell.build.reason, cell.build.cure
    failed = (one for one in cell.checks if one.verdict is Verdict.FAIL)
    return next(((one.check, one.reason, one.cure) for one in failed), None)


def _named(
    wanted: WantedSide, series: tuple[Series, ...]
) -> tuple[tuple[Series, ...], frozenset[str]] | None:
    """Take a name for an implementation, one with its variant, or a configuration."""
    name = wanted.implementation
    if not name:
        return (series, frozenset()) if series else None
    ways: list[tuple[Callable[[Series], bool], frozenset[str]]] = [
        (
            lambda one: name in {one.implementation, one.subject.place},
            frozenset({"implementation"}),
        ),
        (
            lambda one: f"{one.implementation}/{one.subject.variant}" == name,
            frozenset({"implementation", "variant"}),
        ),
        (lambda one: name in one.names, frozenset({"configuration"})),
    ]
    for meant, fixed in ways:
        found = tuple(filter(meant, series))
        if found:
            return found, fixed
    return None


def _machine(
    wanted: WantedSide, own: tuple[Series, ...], others: tuple[Series, ...]
) -> tuple[tuple[Series, ...], frozenset[str]]:
    """Take a name for a machine, imported or one's own."""
    name = wanted.implementation
    found = tuple(one for one in (*others, *own) if one.machine == name)
    if not found:
        known = (one.implementation for one in (*own, *others))
        raise UsageError(
            f"{name!r} is not in {wanted.folder}", f"{_nearest(known, 'results')} {GRAMMAR}"
        )
    return found, frozenset()


def _nearest(names: Iterable[str], what: str) -> str:
    """Name a few of what there is."""
    known = sorted(set(names))
    if not known:
        return f"There are no {what}."
    return f"There are {what} of {', '.join(known[:4])}{' ...' if len(known) > 4 else ''}."
