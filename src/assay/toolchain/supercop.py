# SPDX-License-Identifier: MIT
"""The configurations with which packages of the SUPERCOP API are tried unless others are named.

Optimisation levels of SUPERCOP's list, for every compiler that is here, the levels that
win most often first. Code may use all that this processor has: `archs` says by which option.
"""

from assay.errors import MachineError
from assay.model import Compiler, Configuration
from assay.model.native import is_native_option
from assay.toolchain.naming import compact_arch
from assay.toolchain.remembered import examine, richest

COMMANDS = ("gcc", "clang")
LEVELS = ("-O3", "-O2", "-Os", "-O")
EVERYWHERE = "-fwrapv -fPIC -fPIE"


def supercop_configurations() -> tuple[tuple[Configuration, ...], dict[str, Compiler]]:
    """Return the configurations, best first, and the compilers by command."""
    compilers: dict[str, Compiler] = {}
    for command in COMMANDS:
        found = examine(command)
        if isinstance(found, Compiler):
            compilers[command] = found
    if not compilers:
        raise MachineError("there is no C compiler on the path", "apt-get install gcc")
    archs = {command: richest(one).usable or "" for command, one in compilers.items()}
    chosen = (
        _configuration(level, one, archs[command])
        for level in LEVELS
        for command, one in compilers.items()
    )
    return tuple(chosen), compilers


def _configuration(level: str, compiler: Compiler, arch: str) -> Configuration:
    family, command = compiler.family, compiler.command
    what = "native" if is_native_option(arch) else compact_arch(arch)
    name = f"{command}_{what}_{level.removeprefix('-')}"
    return Configuration(family, command, arch, f"{level} {EVERYWHERE}", name, name)
