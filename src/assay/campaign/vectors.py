# SPDX-License-Identifier: MIT
"""The vectors of code that fails them, in a file beside `errors_*`.

It has what `assay vectors` would write, so its author can compare it with the verified file.
"""

from collections.abc import Iterable
from pathlib import Path

from assay.check.engine.cells import CheckedCell
from assay.check.engine.workshop import Workshop
from assay.check.kinds import kind_of
from assay.errors import AssayError
from assay.report.files import differs, vectors_place
from assay.writing import write_below


def write_vectors(workshop: Workshop, results: Path, examined: Iterable[CheckedCell]) -> None:
    """Write the vectors of the cells that fail theirs, computed once for the same code.

    Where code crashes or does not end meanwhile, there is no file; `errors_*` has what failed.
    """
    known: dict[tuple[str, int, str | None], str] = {}
    for one in examined:
        if one.build.ok and workshop.keeps(one.build) and differs(one.checks):
            if one.code not in known:
                known[one.code] = _text(workshop, one)
            place = vectors_place(results, one.recipe.package.place, one.recipe.cell.extension)
            if known[one.code]:
                write_below(results, place, known[one.code])


def _text(workshop: Workshop, one: CheckedCell) -> str:
    package = one.recipe.package
    connect = workshop.patient(one.recipe).connector(one.build)
    try:
        kind = kind_of(package)
        with connect() as agent:
            subject = kind.describe(agent)
        return "".join(kind.vectors.text(package, subject, connect, False))
    except AssayError:
        return ""
