# SPDX-License-Identifier: MIT
"""From the store to results: joins what is stored with the figures computed from it."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from assay.model import BrokenPackage, Launch, Machine, PackageKind
from assay.store import Store
from assay.store.rows import StoredCell
from assay.summary.series import CellResult, Meant, in_usual_cycles, measured_cells


class Results(Struct, frozen=True):
    """Everything that reports show of one kind of package in a results folder.

    `launches` come without their samples.
    """

    machine: Machine | None
    cells: tuple[CellResult, ...]
    broken: tuple[BrokenPackage, ...]
    launches: tuple[Launch, ...]

    @property
    def weak_jails(self) -> tuple[str, ...]:
        """Name every jail used that is weaker than bubblewrap."""
        used = (cell.build.jail for cell in self.cells)
        return weak_jails((*used, *(launch.jail for launch in self.launches)))


def weak_jails(used: Iterable[str]) -> tuple[str, ...]:
    """Return the jails that are weaker than bubblewrap, sorted; no name stands for no jail."""
    return tuple(sorted(one for one in set(used) if one and not one.startswith("bubblewrap")))


def load_all(
    store: Store,
    kinds: Sequence[PackageKind] = (PackageKind.STREAM, PackageKind.HASH),
    primitive: str = "",
) -> tuple[Results, ...]:
    """Return the results of each kind of which there are any, or of the first one.

    Of a `primitive` alone, if one is named.
    """
    cells: dict[str, list[CellResult]] = {kind: [] for kind in kinds}

    def meant(cell: StoredCell) -> bool:
        return cell.package.kind in cells and primitive in {"", cell.package.primitive}

    for one in cell_results(store, meant):
        cells[one.package.kind].append(one)
    found = [each for each in cells.values() if each] or [[]]
    machine = store.machine()
    broken = tuple(one for one in store.broken_packages()
                   if primitive in {"", one.selector.partition("/")[0]})  # fmt: skip
    launches = store.launch_heads()
    return tuple(Results(machine, tuple(each), broken, launches) for each in found)


def cell_results(store: Store, meant: Meant = lambda _: True) -> tuple[CellResult, ...]:
    """Read cells with their series, in core cycles wherever the machine knows them."""
    return tuple(in_usual_cycles(store, tuple(measured_cells(store, meant))))
