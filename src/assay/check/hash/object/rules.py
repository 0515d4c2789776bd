# SPDX-License-Identifier: MIT
"""Which architecture of Annex A.3 code is for, and how C is compiled for it.

C is given the instruction set that the paper names where the target's processor
has more, and where the paper reserves a register that compilers use, it is told
so: these options are part of the rules, not of the author's choice.
"""

from collections.abc import Iterable

from assay.check.bench import Bench
from assay.check.hash.object.elf import ObjectFile
from assay.targets.architectures import architectures_of

ARM = ("arm-le", "arm-be")
MIXED = ("mixed-le", "mixed-be")
THUMB = ("thumb-le", "thumb-be")
MIPS = ("mips-le", "mips-be")
X86 = {"EM_386": "i386", "EM_X86_64": "amd64"}
SET = {"avr8": ("-mmcu=atmega1281", "-mmcu=avr25"), "i386": ("-march=i486", "-march=i386")}
KEPT = {**dict.fromkeys((*ARM, *MIXED, *THUMB), "-ffixed-r9"), "aarch64": "-ffixed-x18"}
NO_LANDING_PADS = "-fcf-protection=none"


def architecture_of(bench: Bench, code: ObjectFile) -> str:
    """Name the architecture whose rules hold: what the package says, or what it became."""
    said = bench.recipe.package.architecture
    if said is not None:
        names = architectures_of(said)
        fitting = (name for name in bench.target.architectures if name in names)
        return next(fitting, bench.target.architecture)
    return X86.get(code.machine, bench.target.architecture)


def replaced(architecture: str, options: Iterable[str]) -> tuple[str, ...]:
    """Ask for the instruction set of the paper, in place of the target's."""
    old, new = SET.get(architecture, ("", ""))
    return tuple(new if word == old else word for word in options)


def extra_options(bench: Bench) -> tuple[str, ...]:
    """Return what a C compiler is told besides."""
    architecture = bench.target.architecture
    if architecture in X86.values():
        return (NO_LANDING_PADS,)
    return (KEPT[architecture],) if architecture in KEPT else ()
