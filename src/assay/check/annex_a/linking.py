# SPDX-License-Identifier: MIT
"""Whether the object file is one that any application, or a DLL, can take in (A.2)."""

from assay.check.annex_a.making import Paper, linked, opened, paper_of
from assay.check.check import Check, CheckFailed, CheckFinding, CheckInapplicable, CheckSkipped
from assay.check.hash.trial import HashTrial, paper_rule
from assay.check.object.linked import CURE, STACK, silence
from assay.compile.sizes import FREE, LEFT_OUT, OF_PIC
from assay.elf.files import ObjectFile
from assay.model import Runtime

THUNK = "__x86.get_pc_thunk."  # gcc's helper for PIC on i386: hidden, and the same in all objects
TABLES = (".got", ".plt", ".iplt")  # what the dynamic linker may write to (A.2.4)
NO_DLL = ("not supported", "unrecognized option", "unknown -z option", "unsupported")


def externals(trial: HashTrial) -> None:
    """Name what the object needs from elsewhere."""
    paper = paper_of(trial.bench)
    strange = sorted(paper.file.undefined - FREE - OF_PIC)
    if strange:
        raise CheckFailed(f"it needs {', '.join(strange)} ({paper.told})")


def global_names(trial: HashTrial) -> None:
    """Compare the symbols that others see with the three functions."""
    paper = paper_of(trial.bench)
    x = paper.identifier
    wanted = {f"{x}_init", x, f"{x}_close"}
    thunks = (one for one in paper.file.globals if one.name.startswith(THUNK) and one.hidden)
    found = {one.name for one in paper.file.globals} - {one.name for one in thunks}
    if missing := sorted(wanted - found):
        raise CheckFailed(f"{', '.join(missing)} is not global")
    if strange := sorted(found - wanted):
        raise CheckFailed(f"{', '.join(strange)} are global symbols ({paper.told})")


def writable(trial: HashTrial) -> None:
    """Look for sections that can be written to, and for common symbols."""
    paper = paper_of(trial.bench)
    file, constants = paper.file, (".data",) if paper.recipe.compiler.is_tcc else ()
    for part in file.loaded:
        if part.writable and part.name not in constants:
            raise CheckFailed(f"{part.name} has {part.size_bytes} bytes that can be written to")
    for symbol in file.symbols:
        if symbol.section == "SHN_COMMON":
            raise CheckFailed(f"{symbol.name} is common: {symbol.size_bytes} writable bytes")
    if any(part.name in constants for part in file.loaded):
        raise CheckInapplicable("tcc puts constants into .data, too")


def stack(trial: HashTrial) -> None:
    """Look at the note about the stack, and for sections both writable and executable."""
    file = paper_of(trial.bench).file
    if file.asks_for_executable_stack:
        raise CheckFailed("its note says that the stack has to be executable")
    for part in file.loaded:
        if part.writable and part.executable:
            raise CheckFailed(f"{part.name} can be written to and executed")
    build = trial.bench.build if trial.bench and trial.bench.target.is_native else None
    if build is not None and build.stacks.silent:
        raise CheckFinding(silence(build.stacks.silent), cure=CURE)


def pic(trial: HashTrial) -> None:
    """Link it as a DLL that must not have its text changed; look at what stays open."""
    paper = paper_of(trial.bench)
    target = paper.bench.target
    if not target.pic or target.runtime is Runtime.BOARD:
        raise CheckInapplicable("there are no DLLs on this platform (A.2.4)")
    try:
        library = linked(paper, ("-shared", "-fpic", "-Wl,-z,text"))
    except CheckFailed as failed:
        if any(said in failed.evidence for said in NO_DLL) and "relocation" not in failed.evidence:
            raise CheckSkipped("the target's linker makes no DLLs") from None
        raise CheckFailed("it cannot become part of a DLL", failed.evidence) from None
    _judge_library(opened(library), paper)


def _judge_library(file: ObjectFile, paper: Paper) -> None:
    tags = file.dynamic_tags
    if "DT_TEXTREL" in tags or tags.get("DT_FLAGS", 0) & 4:
        raise CheckFailed("as part of a DLL its text would have to be changed (TEXTREL)")
    x = paper.identifier
    known = {*FREE, x, f"{x}_init", f"{x}_close", ""}
    for fix in file.fixes:
        place = file.section_at(fix.offset)
        if fix.kind and (fix.symbol not in known or not place.startswith(TABLES)):
            raise CheckFailed(
                f"as part of a DLL it needs a relocation of type {fix.kind} in "
                f"{place or 'no section'} at load time"
                + (f" for {fix.symbol}" if fix.symbol else "")
            )


def flash(trial: HashTrial) -> None:
    """Look for tables that the start-up code would copy into RAM."""
    paper = paper_of(trial.bench)
    if paper.architecture != "avr8":
        raise CheckInapplicable("code and data share one memory here")
    for part in paper.file.loaded:
        if not part.executable and not part.name.startswith(".progmem"):
            raise CheckFailed(f"{part.name} ({part.size_bytes} bytes) would lie in RAM")


def escapes(trial: HashTrial) -> None:
    """Look at what the rule of the size leaves out: whether it is what its name says."""
    file = paper_of(trial.bench).file
    left_out = {p.name for p in file.loaded if p.name.startswith(LEFT_OUT)}
    for part in file.loaded:
        if part.name in left_out and (part.executable or part.writable):
            raise CheckFailed(f"{part.name} is not counted, yet it is no mere description")
    for fix in file.fixes:
        if fix.place not in left_out and fix.target_section in left_out:
            raise CheckFailed(f"{fix.place} refers to {fix.target_section}, which is not counted")
    for symbol in file.symbols:
        if symbol.section in left_out and symbol.kind in {"FUNC", "OBJECT"}:
            raise CheckFailed(f"{symbol.name} stands in {symbol.section}, which is not counted")
    counted = {part.name for part in file.loaded} - left_out
    for fix in file.fixes:
        if fix.place in counted and fix.target_section in file.unloaded:
            raise CheckFailed(f"{fix.place} refers to {fix.target_section}, never loaded")


CHECKS = (
    paper_rule(
        name="object/externals",
        asks="Does the object call nothing but memcpy and memset (A.2.2)?",
        why="Other functions cost bytes that the size does not show, and may be missing.",
        cure=(
            "Write the function out, or choose code and options that need no helper: shifts "
            "instead of multiplications on AVR, -O1 on PowerPC."
        ),
        run=externals,
    ),
    paper_rule(
        name="object/globals",
        asks="Are xxx_init, xxx and xxx_close the only global symbols (A.2.2)?",
        why="Any other symbol may collide with one of the application.",
        cure="Make the symbol `static`, or leave out `.globl`.",
        run=global_names,
    ),
    paper_rule(
        name="object/writable",
        asks="Is the object free of writable data (A.2.3, A.2.5)?",
        why="Threads and signal handlers would share it.",
        cure=(
            "Move the data into the context, and declare tables `const`, without addresses in "
            "them."
        ),
        run=writable,
    ),
    STACK.answered_by(stack),
    paper_rule(
        name="object/pic",
        asks="Is the code position-independent, without text relocations (A.2.4)?",
        why=(
            "Pages that are changed at load time cannot be shared, and many systems refuse them."
        ),
        cure=(
            "Address tables relative to the program counter and functions through PLT or GOT. "
            "Call your own global functions by a local name."
        ),
        run=pic,
    ),
    paper_rule(
        name="object/flash",
        asks="On AVR, are all tables in flash (A.3.4)?",
        why="Tables in .data or .rodata occupy RAM, which is scarce, all the time.",
        cure="Put tables into .progmem.data (PROGMEM), and read them with lpm.",
        run=flash,
    ),
    Check(
        name="size/sections",
        asks="Are the sections that the size leaves out unused by the code?",
        why=(
            "Unwind tables and notes are not counted. Code or tables in such a section would "
            "make the size wrong."
        ),
        cure="Put code into .text and tables into .rodata.",
        run=escapes,
    ),
)
