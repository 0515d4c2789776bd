# SPDX-License-Identifier: MIT
"""Compiling the agent beforehand, so that the first figure on a machine need not wait for it.

`scripts/setup` runs this module; where it fails the first command compiles, and says why it
cannot.
"""

from contextlib import suppress

from assay.compile.harness import harness_objects
from assay.compile.parts import KINDS
from assay.configure.compilers import first_configuration
from assay.errors import AssayError
from assay.targets.catalogue import native


def compile_agents() -> None:
    """Compile the agents of all kinds with the compiler of the first configuration."""
    first = first_configuration()
    if first is not None:
        configuration, compiler = first
        for kind in KINDS:
            harness_objects(compiler, tuple(configuration.arch.split()), native(), kind)


if __name__ == "__main__":
    with suppress(AssayError, OSError):
        compile_agents()
