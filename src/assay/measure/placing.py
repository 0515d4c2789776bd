# SPDX-License-Identifier: MIT
"""What is launched to measure: a machine code in several layouts, linked before measuring."""

from assay.check.engine.cells import BuiltCell
from assay.check.engine.workshop import Workshop
from assay.measure.launch import LinkedCode

FURTHER_LAYOUTS = 3


def launched(workshop: Workshop, made: BuiltCell, further: int = FURTHER_LAYOUTS) -> LinkedCode:
    """Return a built code with `further` layouts of it, linked now if they are not there.

    Whoever calls holds the machine's lock, so that nothing is linked beside measuring.
    """
    build = made.build
    if build.object_hash is None:
        raise ValueError("only built cells can be launched")
    placed = workshop.layouts(made.recipe, build, further)
    return LinkedCode(build.cell, build.object_hash, workshop.admit(build), placed)
