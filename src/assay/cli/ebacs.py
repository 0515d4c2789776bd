# SPDX-License-Identifier: MIT
"""The records of eBACS operations in a results folder: one's own and imported ones."""

from pathlib import Path

import click
from rich.console import Console

from assay.compile.supercop.names import ABIS
from assay.model import Configuration
from assay.report.ebacs.exports import export_operation
from assay.report.ebacs.own import AbiOf, own_bench, own_records
from assay.report.ebacs.records import Records
from assay.report.ebacs.selection import Choice
from assay.report.ebacs.site import write_site
from assay.report.ebacs.terminal import show_operation
from assay.store import Store
from assay.store.published import Published

PIPE_COLUMNS = 160
SITE = "ebacs"


def abi_of_store(store: Store) -> AbiOf:
    """Give SUPERCOP's word for an ABI on the machine of the results, which may be another one."""
    machine = store.machine()
    architecture = machine.architecture if machine else "unknown"

    def abi_of(configuration: Configuration) -> str:
        if architecture == "x86_64" and "-m32" in configuration.arch.split():
            return "x86"
        return ABIS.get(architecture, architecture)

    return abi_of


def all_records(store: Store, operation: str | None = None) -> Records:
    """Give own and imported records, of one operation or of all."""
    own = own_records(store, abi_of_store(store))
    published = Published(store)
    others = published.about(operation) if operation else published.records()
    return own + Records.of(others)


def show(folder: Path, operation: str, choice: Choice, form: str | None) -> None:
    """Print the tables of an operation, or write them in another form."""
    with Store.open(folder, read_only=True) as store:
        records = all_records(store, operation)
    if form:
        click.echo(export_operation(records, operation, form, choice), nl=False)
        return
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=PIPE_COLUMNS)
    console.print(
        show_operation(
            records,
            operation,
            choice.size,
            measure=choice.measure,
            part=choice.part,
            together=choice.together,
        )
    )


def collect_operations(folder: Path) -> Path | None:
    """Write the site of all operations; None if the folder has no results of any."""
    with Store.open(folder, read_only=True) as store:
        records = all_records(store)
        bench = own_bench(store)
    if not records.operations:
        return None
    return write_site(folder / SITE, records, [bench] if bench else [])
