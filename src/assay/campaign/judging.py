# SPDX-License-Identifier: MIT
"""Verdicts alone, kept in a results folder as those of a campaign that measures are."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.campaign.run import begin, note_compilers, now, write_texts
from assay.model import BrokenPackage, Compiler, Package
from assay.model.progress import Progress
from assay.package.discover import Found
from assay.store import Store
from assay.store.alone import working_alone
from assay.writing import make_folder


@contextmanager
def judging_in(
    folder: Path,
    found: Iterable[Found],
    compilers: Iterable[Compiler],
    arguments: tuple[str, ...],
    progress: Progress,
) -> Iterator[None]:
    """Hold a results folder while an engine judges packages in it, and write down when it did.

    One that is interrupted is a campaign that did not end, and the next goes on from there.
    """
    listed = tuple(found)
    packages = [one for one in listed if isinstance(one, Package)]
    broken = [one for one in listed if isinstance(one, BrokenPackage)]
    make_folder(folder)
    with working_alone(folder):
        with Store.create(folder) as store:
            number = begin(store, arguments, packages, broken, progress)
            note_compilers(store, (one.release for one in compilers))
        yield
        with Store.create(folder) as store:
            places = {one.place for one in packages if one.kind.rules.error_texts}
            cells = {one.build.cell for one in store.cells() if one.package.place in places}
            write_texts(store, cells, progress)
            store.finish_campaign(number, now())
