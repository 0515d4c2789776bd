# SPDX-License-Identifier: MIT
"""The configurations with which packages of the SUPERCOP API are tried unless others are named.

Optimisation levels of SUPERCOP's list, for every compiler that is here, the levels that
win most often first. Code may use all that this processor has.
"""

from platform import machine

from assay.errors import MachineError
from assay.model import Compiler, Configuration
from assay.toolchain.remembered import examine

COMMANDS = ("gcc", "clang")
LEVELS = ("-O3", "-O2", "-Os", "-O")
EVERYWHERE = "-fwrapv -fPIC -fPIE"
ARCHITECTURE = "-march=native"
TUNING = {"gcc": " -mtune=native"}
NATIVE_AS_CPU = ("aarch64", "armv7l", "ppc64", "ppc64le")  # clang knows -mcpu=native there


def supercop_configurations() -> tuple[tuple[Configuration, ...], dict[str, Compiler]]:
    """Return the configurations, best first, and the compilers by command."""
    compilers: dict[str, Compiler] = {}
    for command in COMMANDS:
        found = examine(command)
        if isinstance(found, Compiler):
            compilers[command] = found
    if not compilers:
        raise MachineError("there is no C compiler on the path", "apt-get install gcc")
    chosen = (_configuration(level, one) for level in LEVELS for one in compilers.values())
    return tuple(chosen), compilers


def _configuration(level: str, compiler: Compiler) -> Configuration:
    family, command = compiler.family, compiler.command
    arch = ARCHITECTURE + TUNING.get(family, "")
    if family == "clang" and machine() in NATIVE_AS_CPU:
        arch = "-mcpu=native"
    name = f"{command}_native_{level.removeprefix('-')}"
    return Configuration(family, command, arch, f"{level} {EVERYWHERE}", name, name)
