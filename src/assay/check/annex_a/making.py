# SPDX-License-Identifier: MIT
"""Making the object of Annex A, and everything that is made of it, in the jail.

Assembly is what it is. C is compiled with -fpic (A.2.5) and with -Os, or where
that calls helpers of the compiler, with -O1 or -O2: the level is the author's
choice. It is given the instruction set that A.3 names where the target's processor
has more, and where A.3 reserves a register that compilers use, it is told so.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from assay.check.bench import Bench
from assay.check.check import CheckFailed, CheckSkipped
from assay.compile.builder import stage_package
from assay.compile.parts import abi_options
from assay.compile.recipe import Recipe
from assay.compile.sizes import FREE, OF_PIC
from assay.elf.files import ObjectFile
from assay.execute.command import Ended, run_jailed
from assay.execute.jail import COMPILE_LIMITS, Jail
from assay.execute.staging import hand_over, staged_folder
from assay.targets.architectures import architectures_of

ASSEMBLY = (".s", ".S")
LEVELS = ("-Os", "-O1", "-O2")
LEANEST = ("-fno-asynchronous-unwind-tables", "-fomit-frame-pointer")
LARGEST_BYTES = 1 << 20
ARM = ("arm-le", "arm-be")
MIXED = ("mixed-le", "mixed-be")
THUMB = ("thumb-le", "thumb-be")
MIPS = ("mips-le", "mips-be")
X86 = {"EM_386": "i386", "EM_X86_64": "amd64"}
SET = {"avr8": ("-mmcu=atmega1281", "-mmcu=avr25"), "i386": ("-march=i486", "-march=i386")}
KEPT = {**dict.fromkeys((*ARM, *MIXED, *THUMB), "-ffixed-r9"), "aarch64": "-ffixed-x18"}
NO_LANDING_PADS = "-fcf-protection=none"


@dataclass(frozen=True, slots=True)
class Paper:
    """The object, the rules it is under, and how it was made."""

    content: bytes
    architecture: str
    recipe: Recipe
    bench: Bench = field(compare=False)
    assembly: bool

    @property
    def file(self) -> ObjectFile:
        """Look into it."""
        return ObjectFile(self.content)

    @property
    def keeps_to_free(self) -> bool:
        """Return whether it calls memcpy and memset at most."""
        return self.file.undefined <= FREE | OF_PIC

    @property
    def told(self) -> str:
        """Describe how it was compiled."""
        return "assembly" if self.assembly else f"with {self.recipe.configuration.opt}"

    @property
    def identifier(self) -> str:
        """Return what the paper calls xxx."""
        return Path(self.recipe.package.header).stem


def paper_of(bench: Bench | None) -> Paper:
    """Return the object; CheckSkipped without a bench, CheckFailed if it cannot be made."""
    if bench is None:
        raise CheckSkipped("there is no compiler at hand")
    assembly = bench.recipe.package.sources[0].endswith(ASSEMBLY)
    first = _made(bench, LEVELS[0], assembly=assembly)
    if assembly or first.keeps_to_free:
        return first
    others = (_made(bench, level, assembly=False) for level in LEVELS[1:])
    return next((one for one in others if one.keeps_to_free), first)


def _made(bench: Bench, level: str, *, assembly: bool) -> Paper:
    recipe = _recipe(bench, level, assembly=assembly)
    content = _compiled(recipe, bench.jail)
    return Paper(content, architecture_of(bench, opened(content)), recipe, bench, assembly)


def opened(content: bytes) -> ObjectFile:
    """Read all of an object that submitted code has a part in; CheckFailed if it is nonsense."""
    try:
        file = ObjectFile(content)
        _ = (file.symbols, file.fixes, file.loaded, file.unloaded, file.dynamic_tags)
    except Exception as error:  # noqa: BLE001 - the library raises whatever it stumbles upon
        raise CheckFailed(f"the object code cannot be read: {error}") from None
    return file


def _recipe(bench: Bench, level: str, *, assembly: bool) -> Recipe:
    words = [level, *(["-fpic"] if bench.target.pic else [])]
    gcc_like = bench.recipe.compiler.family in {"gcc", "clang"}
    if not assembly and gcc_like:
        words += [*LEANEST, *extra_options(bench)]
    configuration = bench.recipe.configuration
    arch = tuple(configuration.arch.split())
    if not assembly:
        own = abi_options(arch) if bench.target.is_native else arch  # not -march=native
        arch = replaced(bench.target.architecture, own)
    configuration = replace(
        configuration, opt=" ".join(words), arch=" ".join(arch), name="annex-a", tag="annex-a"
    )
    return replace(bench.recipe, configuration=configuration)


@lru_cache(maxsize=32)
def _compiled(recipe: Recipe, jail: Jail) -> bytes:
    """Compile the package's source; a result is kept, since many checks look at it."""
    with staged_folder("assay-object-") as home:
        stage_package(recipe, home)
        name = Path(recipe.package.sources[0]).stem + ".o"
        ended, content = run_for(recipe.compile_command(), home, jail, name)
    if content is None:
        raise CheckFailed(
            f"it does not compile with {recipe.configuration.opt}", ended.output,
            "The paper compiles C as position-independent code, and small.",
        )  # fmt: skip
    return content


def run_for(command: list[str], home: Path, jail: Jail, made: str) -> tuple[Ended, bytes | None]:
    """Run a command in the jail; give how it ended, and the file that it was to make."""
    ended = run_jailed(command, home, jail, COMPILE_LIMITS)
    path = home / made
    regular = path.is_file() and not path.is_symlink()
    if not ended.ok or not regular:
        return ended, None
    size = path.stat().st_size
    if size > LARGEST_BYTES:
        what = f"the object code has {size} bytes, and at most {LARGEST_BYTES} are read"
        raise CheckFailed(what, cure="Make it smaller: compact hashes have some thousand bytes.")
    return ended, path.read_bytes()


def linked(paper: Paper, options: tuple[str, ...], stub: str = "") -> bytes:
    """Link the object with the target's own linker, and with a C file if one is given.

    CheckFailed shows what the linker said.
    """
    command = [*driver(paper), "-nostdlib", *options, "object.o"]
    with staged_folder("assay-link-") as home:
        (home / "object.o").write_bytes(paper.content)
        if stub:
            (home / "stub.c").write_text(stub)
            command += ["-O1", "-w", "-ffreestanding", "stub.c"]
        hand_over(home)
        ended, content = run_for([*command, "-o", "linked"], home, paper.bench.jail, "linked")
    if content is None:
        raise CheckFailed("it does not link", ended.output)
    return content


def driver(paper: Paper) -> tuple[str, ...]:
    """Return the compiler that links for the target, with the options that fix the ABI."""
    target, recipe = paper.bench.target, paper.bench.recipe
    if target.is_native:
        return (str(recipe.compiler.path), *recipe.configuration.arch.split())
    options = target.options if paper.assembly else replaced(target.architecture, target.options)
    return (target.compiler, *options, *(one for one in target.link if not one.startswith("-l")))


@lru_cache(maxsize=8)
def disassembly(paper: Paper, options: tuple[str, ...] = ()) -> str:
    """Return what the target's objdump says; CheckSkipped if there is none."""
    bench = paper.bench
    compiler = bench.target.compiler
    tool = "objdump" if bench.target.is_native else re.sub(r"gcc(-\d+)?$", "objdump", compiler)
    with staged_folder("assay-object-") as home:
        (home / "object.o").write_bytes(paper.content)
        hand_over(home)
        ended = run_jailed(
            [tool, "-d", "-w", *options, "object.o"], home, bench.jail, COMPILE_LIMITS
        )
    if not ended.ok:
        raise CheckSkipped(f"{tool} cannot disassemble it: {ended.output.strip()[:200]}")
    return ended.output


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
