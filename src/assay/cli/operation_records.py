# SPDX-License-Identifier: MIT
"""The records of operations in a results folder: one's own and imported ones."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.model import Configuration
from assay.model.supercop import Record, Source
from assay.report.ebacs.own import AbiOf, own_bench, own_records
from assay.report.ebacs.records import Records
from assay.report.ebacs.site import write_site
from assay.report.html import OPERATIONS
from assay.store import Store
from assay.store.published import ImportedRecords
from assay.summary.footnotes import footnotes
from assay.targets.architectures import abi_word


def abi_of_store(store: Store) -> AbiOf:
    """Return SUPERCOP's name for the ABI of the machine that made the results."""
    machine = store.machine()
    architecture = machine.architecture if machine else "unknown"

    def abi_of(configuration: Configuration) -> str:
        if architecture == "x86_64" and "-m32" in configuration.arch.split():
            return "x86"
        return abi_word(architecture)

    return abi_of


def all_records(store: Store, operation: str | None = None) -> Records:
    """Return own and imported records, of one operation or of all."""
    own = own_records(store, abi_of_store(store))
    published = ImportedRecords(store)
    others = published.about(operation) if operation else published.records()
    return own + Records.of(others)


def joined_records(
    stores: Sequence[Store], labels: Sequence[str], operation: str | None = None
) -> Records:
    """Return the records of several folders, whose machines are called as `labels` say.

    What was imported into several of them is taken once.
    """
    found, seen = list[Record](), set[Source]()
    for store, label in zip(stores, labels, strict=True):
        machine = store.machine()
        for each in own_records(store, abi_of_store(store)).everything:
            whole = not operation or each.subject.operation == operation
            here = machine is not None and each.source.machine == machine.host
            name = label if here else each.source.machine
            found += [replace(each, source=replace(each.source, machine=name))] if whole else []
        published = ImportedRecords(store)
        others = published.about(operation) if operation else published.records()
        found += (each for each in others if each.source not in seen)
        seen |= set(published.sources())
    return Records.of(found)


def collect_operations(folder: Path) -> Path | None:
    """Write the site of all operations; None if the folder has no results of any."""
    with Store.open(folder, read_only=True) as store:
        records = all_records(store)
        bench = own_bench(store)
        notes = {one: footnotes(store, one) for one in records.operations}
    if not records.operations:
        return None
    return write_site(folder / OPERATIONS, records, [bench] if bench else [], notes)
