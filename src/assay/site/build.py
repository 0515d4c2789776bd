# SPDX-License-Identifier: MIT
"""Making a site: read folders, then primitives one by one, then the pages above them.

Folders and primitives are shared among processes. Whatever has the inputs that it had the last
time is neither read nor made again.
"""

import gc
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from assay.grouped import grouped
from assay.machine.cache import trim
from assay.report.leads import in_future
from assay.site.cells import SiteMachine, digest
from assay.site.fronts import (
    SiteOverview,
    family_of,
    feed,
    front_page,
    machine_page,
    machines_of,
    summary_of,
)
from assay.site.history import history_pages
from assay.site.index import (
    IndexBlock,
    Shard,
    cells_at,
    keep_draws,
    known_shard,
    place_of,
    recall_draws,
    shard_of,
)
from assay.site.names import Key, labels, machine_at
from assay.site.page import Known, assets, environment, page
from assay.site.primitive import operation_page, primitive_pages
from assay.site.raw import compare_pages, raw_pages
from assay.site.version import version_pages
from assay.site.views import PrimitiveEntries, SiteEntry
from assay.site.writer import (
    UNMADE,
    Page,
    PageGroup,
    maker_digest,
    read_manifest,
    require_ours,
    write_manifest,
    written,
)
from assay.stats.comparison import SIMULATED

PARTS = (primitive_pages, version_pages, history_pages, compare_pages, raw_pages)
OLDEST_DAYS, MOST_BYTES = 90, 4 << 30  # of indices that are kept
FEW = 4  # tasks that are done at once rather than by further processes
GARBAGE = 100_000  # objects, after which Python looks for what refers to itself
T = TypeVar("T")
R = TypeVar("R")


class MadeSite(Struct, frozen=True):
    """What came of it: the first page, how many pages there are and how many were made anew."""

    page: Path
    pages: int
    renewed: int
    primitives: int
    errors: tuple[str, ...]
    warnings: tuple[str, ...]


class Task(Struct, frozen=True):
    """A primitive with the blocks of all folders, and what its pages know of others."""

    key: Key
    blocks: tuple[tuple[int, IndexBlock], ...]
    known: Known
    inputs: str


def build_site(
    folders: Sequence[Path],
    to: Path,
    *,
    processes: int | None = None,
    anywhere: bool = False,
    lines: bool = True,
    signed: Mapping[Path, str] = MappingProxyType({}),
    links: Mapping[str, str] = MappingProxyType({}),
) -> MadeSite:
    """Make the site of results folders below `to`; UsageError if that holds anything else.

    With `anywhere` it may hold other things: it is the results folder itself. What cannot be
    read is in `errors`, and the rest is shown. Without `lines` it lacks SUPERCOP's of all
    timings, which take a sixth of the time. `signed` says who signed the results of folders;
    `links` are further addresses in the head of each page, by their names.
    """
    if not anywhere:
        require_ours(to)
    number = processes or len(os.sched_getaffinity(0))
    ready = partial(_ready, dict(links))
    ready()
    maker = digest(maker_digest(), repr(dict(links)), length=32)
    shards = _shards(folders, number, lines=lines)
    before = read_manifest(to)
    tasks = {_group("primitive", *one.key): one for one in _tasks(shards, maker)}
    made = {name: before[name] for name, one in tasks.items()
            if before.get(name, UNMADE).is_as(one.inputs, to)}  # fmt: skip
    waiting = [(one, tasks[one], before.get(one, UNMADE)) for one in tasks if one not in made]
    made |= dict(_shared(partial(_made, to), waiting, number, ready))
    primitives = len(made)
    warnings = tuple(_warnings(shards, made.values()))
    over = _overview(shards, [made[one].summary for one in sorted(made)], warnings, signed)
    for name, inputs, make in list(_above(over, made, maker)):
        old = before.get(name, UNMADE)
        made[name] = (old if old.is_as(inputs, to)
                      else PageGroup(inputs, written(to, make(), old.files)))  # fmt: skip
    renewed = sum(before.get(name, UNMADE).files.get(path) != text
                  for name, one in made.items() for path, text in one.files.items())  # fmt: skip
    write_manifest(to, made, before)
    used = {place_of(one).name for one in (*folders, to)}
    trim(place_of(to).parent, used, days=OLDEST_DAYS, most_bytes=MOST_BYTES)
    pages = sum(len(group.files) for group in made.values())
    errors = tuple(f"{one.folder}: {one.error}" for one in shards if one.error)
    return MadeSite(to / "index.html", pages, renewed, primitives, errors, warnings)


def _shards(folders: Sequence[Path], processes: int, *, lines: bool) -> tuple[Shard, ...]:
    """Return the index of each folder; those that changed are read."""
    maker = digest(maker_digest(), "lines") if lines else maker_digest()
    found = {folder: known_shard(folder, maker) for folder in folders}
    missing = [folder for folder, one in found.items() if one is None]
    reader = partial(shard_of, maker=maker, lines=lines)
    read = dict(zip(missing, _shared(reader, missing, processes), strict=True))
    return tuple(found[folder] or read[folder] for folder in folders)


def _group(kind: str, *parts: str) -> str:
    """Name a group of pages, whatever somebody called a primitive."""
    return json.dumps((kind, *parts))


def _ready(links: Mapping[str, str]) -> None:
    """Prepare a process for making pages."""
    # Little of what is made here refers to itself: a tenth of the time went into looking for it.
    gc.set_threshold(GARBAGE)
    environment().globals["links"] = links
    recall_draws()


def _shared(
    work: Callable[[T], R],
    items: Sequence[T],
    processes: int,
    ready: Callable[[], None] | None = None,
) -> Iterator[R]:
    """Do work on items in their order, in several processes if there is enough of it."""
    if processes < 2 or len(items) < FEW:
        yield from map(work, items)
        return
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - few results need no more

    # One by one, since each takes a good part of a second: with more, a process waits at the end.
    with ProcessPoolExecutor(processes, initializer=ready) as pool:
        yield from pool.map(work, items)


def _made(to: Path, named: tuple[str, Task, PageGroup]) -> tuple[str, PageGroup]:
    """Make the pages of a primitive, a group with a name, anew where they differ from the old."""
    name, task, old = named
    entries = PrimitiveEntries(
        SiteEntry(cell, block.machine, source)
        for source, block in task.blocks
        for cell in cells_at(block)
    )
    pages = (one for part in PARTS for one in part(task.key, entries, task.known))
    known = len(SIMULATED)
    files = written(to, pages, old.files)
    if len(SIMULATED) > known:
        keep_draws()
    return name, PageGroup(task.inputs, files, summary_of(task.key, entries))


def _tasks(shards: Sequence[Shard], maker: str) -> Iterator[Task]:
    """Yield the primitives of all folders, with a digest of all that their pages depend on."""
    facts = {(number, one.identity): one
             for number, shard in enumerate(shards) for one in shard.machines}  # fmt: skip
    said_of = {key: digest(repr(one)) for key, one in facts.items()}
    names = labels(facts.values())
    addresses = {one.identity: machine_at(one) for one in facts.values()}
    blocks = grouped(
        (key, (number, block))
        for number, shard in enumerate(shards)
        for key, block in shard.blocks
    )
    owners: dict[str, Key] = {}
    for key, found in sorted(blocks.items()):
        versions = {version for _, block in found for version in block.versions}
        for version in versions:
            owners.setdefault(version, key)
        machines = {block.machine for _, block in found}
        known = Known(
            {one: names[one] for one in machines},
            {one: addresses[one] for one in machines},
            {(number, block.machine): facts[number, block.machine] for number, block in found},
            frozenset(one for one in versions if owners[one] != key),
        )
        said = (
            repr(sorted(known.labels.items())),
            repr(sorted(known.elsewhere)),
            *(f"{block.digest} {said_of[number, block.machine]}" for number, block in found),
        )
        yield Task(key, tuple(found), known, digest(maker, *said, length=32))


def _overview(
    shards: Sequence[Shard],
    summaries: Sequence[Any],
    warnings: tuple[str, ...],
    signed: Mapping[Path, str],
) -> SiteOverview:
    """Gather what the pages above primitives are made of."""
    newest: dict[str, SiteMachine] = {}
    signers: dict[str, dict[str, None]] = {}
    for shard in shards:
        newest.update((one.identity, one) for one in shard.machines)
        for one in shard.machines:
            if Path(shard.folder) in signed:
                signers.setdefault(one.identity, {})[signed[Path(shard.folder)]] = None
    known = Known(labels(newest.values()),
                  {one.identity: machine_at(one) for one in newest.values()}, {})  # fmt: skip
    return SiteOverview(summaries, newest, known, warnings, signers)


def _above(
    over: SiteOverview, made: Mapping[str, PageGroup], maker: str
) -> Iterator[tuple[str, str, Callable[[], Iterable[Page]]]]:
    """Yield the pages above primitives in groups: name, digest of all inputs, and what makes them.

    So a new result of a primitive on a machine makes the pages of its operation, those of the
    machine if its leaders change there, and the first ones.
    """
    shared = (maker, repr(over.known))
    below = sorted(made.values(), key=lambda one: str(one.summary["at"]))
    for family in over.families:
        of = [one.inputs for one in below if one.summary["family"] == family]
        pages = partial(operation_page, over, family)
        yield _group("operation", family), digest(*shared, *of, length=32), pages
    said = {one: repr((over.machines[one], tuple(over.signers.get(one, ()))))
            for one in over.machines}  # fmt: skip
    for machine, facts in said.items():
        shown = [(family_of(over, one), over.rows(one, machine)) for one in over.families]
        rows = msgspec.json.encode(shown).decode()
        pages = partial(machine_page, over, machine)
        yield _group("machine", machine), digest(*shared, facts, rows, length=32), pages
    every = (*over.warnings, *said.values(), *(one.inputs for one in below))
    yield _group("front"), digest(*shared, *every, length=32), partial(_front, over)


def _front(over: SiteOverview) -> Iterator[Page]:
    """Yield the first pages, and what all pages share."""
    yield from assets()
    yield front_page(over)
    yield page("machines/index.html", "machines.html.j2", machines=machines_of(over))
    yield page("about.html", "about.html.j2")
    yield feed(over)


def _warnings(shards: Sequence[Shard], made: Iterable[PageGroup]) -> Iterator[str]:
    """State what a reader must know of the folders."""
    for shard in shards:
        hosts = ", ".join(dict.fromkeys(one.host for one in shard.machines))
        yield from (f"{hosts}: {text}." for text in shard.warnings)
        if shard.error:
            yield f"A results folder could not be read: {Path(shard.folder).name}."
    names = labels(one for shard in shards for one in shard.machines)
    yield from ahead(made, names, datetime.now(UTC).date())


def ahead(groups: Iterable[PageGroup], names: Mapping[str, str], today: date) -> Iterator[str]:
    """Name machines with results from the future: their clock is wrong, or was."""
    newest: dict[str, str] = {}
    for group in groups:
        summary: Any = group.summary
        for machine, (_, _, day) in summary["cells"].items():
            newest[machine] = max(newest.get(machine, ""), day)
    for machine, day in sorted(newest.items()):
        if in_future(day, today):
            yield f"{names[machine]}: results are dated {day}, in the future: a clock is wrong."
