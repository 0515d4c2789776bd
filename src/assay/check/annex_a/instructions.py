# SPDX-License-Identifier: MIT
"""Whether the code keeps to the instruction sets of Annex A.3."""

import re

from assay.check.annex_a.denied import (
    DENIED,
    Instruction,
    instructions,
    newer_than_mips_1,
    offences,
)
from assay.check.annex_a.making import ARM, MIPS, MIXED, THUMB, Paper, disassembly, paper_of
from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped, Origin
from assay.check.hash.trial import HashTrial
from assay.compile.builder import stage_package
from assay.execute.command import run_jailed
from assay.execute.jail import COMPILE_LIMITS
from assay.execute.staging import hand_over, staged_folder

R9 = r"\b(?:r9|sb)\b"
RESERVED = {
    **dict.fromkeys((*ARM, *MIXED, *THUMB), R9),
    "ppc": r"\br(?:2|13)\b",
    **dict.fromkeys(MIPS, r"\bk[01]\b"),
    "aarch64": r"\b[xw]18\b",
    "riscv32": r"\btp\b",
    "riscv64": r"\btp\b",
}
SHOWN = 12


def assembles(trial: HashTrial) -> None:
    """Assemble the source with an assembler that is told the paper's instruction set."""
    paper = paper_of(trial.bench)
    bench = paper.bench
    if not paper.assembly:
        raise CheckInapplicable("it is C: options choose the instruction set")
    if not bench.target.assembler or bench.target.architecture != paper.architecture:
        raise CheckSkipped(f"there is no strict assembler for {paper.architecture} here")
    recipe = paper.recipe
    preprocess = [str(recipe.compiler.path), "-E", *recipe.configuration.arch.split()]
    preprocess += ["-fpic"] if bench.target.pic else []
    preprocess += ["-Ipackage", f"package/{recipe.package.sources[0]}", "-o", "unit.s"]
    pic = ("-KPIC",) if paper.architecture in MIPS else ()
    with staged_folder("assay-assemble-") as home:
        stage_package(recipe, home)
        hand_over(home)
        ended = run_jailed(preprocess, home, bench.jail, COMPILE_LIMITS)
        if ended.ok:
            command = [*bench.target.assembler, *pic, "unit.s", "-o", "unit.o"]
            ended = run_jailed(command, home, bench.jail, COMPILE_LIMITS)
    if not ended.ok:
        raise CheckFailed(f"{bench.target.assembler[0]} refuses it", ended.output)


def keeps_to_set(trial: HashTrial) -> None:
    """Look at every instruction of the disassembly."""
    paper = paper_of(trial.bench)
    rule = DENIED.get(paper.architecture)
    if rule is None:
        raise CheckInapplicable(f"Annex A names no instruction set for {paper.architecture}")
    text = disassembly(paper, rule.options)
    if found := offences(rule, instructions(text)):
        raise CheckFailed(f"{rule.title} does not have {found[0].mnemonic}", _shown(found))
    _keeps_to_state(paper)


def _keeps_to_state(paper: Paper) -> None:
    """Look for Thumb code where there is none, and for ARM code where all shall be Thumb."""
    unwanted = dict.fromkeys(ARM, "$t") | dict.fromkeys(THUMB, "$a")
    mark = unwanted.get(paper.architecture)
    if mark and any(one.name.split(".")[0] == mark for one in paper.file.symbols):
        what = "Thumb" if mark == "$t" else "ARM"
        raise CheckFailed(f"there is {what} code in it, at the mapping symbol {mark}")


def _shown(found: tuple[Instruction, ...]) -> str:
    lines = [str(one) for one in found[:SHOWN]]
    return "\n".join([*lines, *(["..."] if len(found) > SHOWN else [])])


def reserved(trial: HashTrial) -> None:
    """Look for the registers that belong to the system, wherever they are named."""
    paper = paper_of(trial.bench)
    pattern = RESERVED.get(paper.architecture)
    if pattern is None:
        raise CheckInapplicable(f"no register is reserved on {paper.architecture}")
    code = instructions(disassembly(paper))
    found = tuple(one for one in code if re.search(pattern, one.operands) or _swept(paper, one))
    if found:
        raise CheckFailed("a register that belongs to the system is used", _shown(found))


def _swept(paper: Paper, one: Instruction) -> bool:
    """Return whether an instruction for many registers reaches a reserved one without its name."""
    if paper.architecture == "ppc" and one.mnemonic in {"lmw", "lswi"}:
        return bool(re.match(r"r(?:[0-9]|1[0-3])\b", one.operands))
    return False


def mips_1(trial: HashTrial) -> None:
    """Look for conditional moves and filled load delay slots; a wish of the paper, no rule."""
    paper = paper_of(trial.bench)
    if paper.architecture not in MIPS:
        raise CheckInapplicable("it is about MIPS")
    code = instructions(disassembly(paper))
    found = list(newer_than_mips_1(code))
    if found:
        raise CheckSkipped(
            f"not for MIPS I, which the paper wishes and does not ask for: {len(found)} places, "
            f"the first {found[0]}"
        )


CHECKS = (
    Check(
        name="instructions/assembler",
        asks="Does an assembler for exactly the paper's processor accept the source (A.3)?",
        why="A compiler's driver often accepts newer instructions.",
        cure="Replace the instructions that the assembler names.",
        run=assembles,
        origin=Origin.PAPER,
    ),
    Check(
        name="instructions/set",
        asks="Does the code use only instructions of the paper's processor (A.3)?",
        why=(
            "Newer instructions crash on the real processor or do something else, and emulators "
            "may not notice: a rotr on MIPS runs as a shift. `bswap` is not allowed on i386, "
            "because the paper asks for the 386 for little-endian functions."
        ),
        cure="Replace them. `.set` and `.arch` directives do not change the processor.",
        run=keeps_to_set,
        origin=Origin.PAPER,
    ),
    Check(
        name="instructions/reserved",
        asks="Are the system's registers unused (A.3.2, A.3.3)?",
        why=(
            "A signal handler may find its thread's data through r9 on ARM or r2 on PowerPC, so "
            "saving the register does not help."
        ),
        cure="Use another register. On ARM, compile C with -ffixed-r9.",
        run=reserved,
        origin=Origin.PAPER,
    ),
    Check(
        name="instructions/mips-i",
        asks="Does the code also run on a MIPS I (A.3.1)?",
        why=(
            "The paper recommends it, and the cost is small: no conditional moves, and no use "
            "of a register right after its load. Departures are reported as `skipped`, never as "
            "a failure."
        ),
        cure="Put another instruction between the load and the use.",
        run=mips_1,
        origin=Origin.PAPER,
    ),
)
