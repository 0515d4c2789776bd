# SPDX-License-Identifier: MIT
"""Whether the code keeps to the instruction sets of Annex A.3.

Lists have the instructions that the processors of Annex A.3 do not have, by mnemonic.

They name what came later, not what there is: a mnemonic that nobody has heard
of passes here, and the strict assembler and the emulated processor refuse it.
"""

import itertools
import re
from collections.abc import Iterator

from msgspec import Struct

from assay.check.annex_a.making import ARM, MIPS, MIXED, THUMB, Paper, disassembly, paper_of
from assay.check.check import CheckFailed, CheckInapplicable, CheckSkipped
from assay.check.hash.trial import HashTrial, paper_rule
from assay.compile.builder import stage_package
from assay.execute.command import run_jailed
from assay.execute.jail import COMPILE_LIMITS
from assay.execute.staging import hand_over, staged_folder

CONDITION = r"(?:eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al)?"
_ARM_V5 = (
    r"blx|clz|bkpt|ldrd|strd|pld|pldw|mrrc2?|mcrr2?|qd?add|qd?sub|smla\w+|smulw?[bt]\w*|umaal|"
    r"rev|rev16|revsh|[su]xt\w+|ldrex\w*|strex\w*|clrex|pkh\w+|[su]sat\w*|setend|cps\w*|"
    r"movw|movt|bf[ci]|[su]bfx|rbit|mls|sdiv|udiv|dmb|dsb|isb|cbn?z|it[te]*|sev|wfe|wfi|yield|"
    r"bxj|sel|us\w*8|uq\w+|u(?:add|sub|hadd|hsub)\w*\d+|v[a-z]\w*(?:\.\w+)+|t[bb|bh]"
)
_MIPS_2 = (
    r"rotrv?|rorv?|drotr\w*|wsbh|dsbh|dshd|se[bh]|ext|ins|d(?:ext|ins)\w*|rdhwr|synci|[de]i|"
    r"ehb|jal?r\.hb|rdpgpr|wrpgpr|d(?:addi?u?|subu?|mult?u?|divu?|s[lr][la]\w*)|ld|sd|lwu|"
    r"ld[lr]|sd[lr]|lld|scd|aui|auipc|align|bitswap|seleqz|selnez|muh\w*|lsa|balc|bc|pause"
)
_PPC = (
    r"isel\w*|ld[ux]?x?|std[ux]?x?|lwa\w*|rld\w+|mulld\w*|mulhdu?\.?|divdu?\.?|cmpl?d\w*|"
    r"s[lr]d\.?|sradi?\.?|extsw\.?|cntlzd\.?|popcnt\w+|prty\w|cmpb|ldbrx|stdbrx|br[dwh]|"
    r"dcbzl|mtocrf|mfocrf|lv\w+|stv\w+|v[a-z]\w+|ev\w+|xx\w+|lxv\w+|stxv\w+|lq|stq|fcfid|"
    r"fctid\w*|wait\w*|maddld|set(?:b|n?bcr?)|mod[su][wd]|li[qw]\w*arx"
)
_X86_LATER = (
    r"cmov\w+|cmpxchg(?:8b|16b)|cpuid|rdtscp?|rdpmc|rdmsr|wrmsr|sys(?:enter|exit|call|ret)\w*|"
    r"ud2|nop[wlq]|endbr\d+|prefetch\w*|[lms]fence|movnti|movbe\w*|popcnt\w*|[lt]zcnt\w*|"
    r"andn\w*|bextr\w*|bls\w+|bzhi\w*|pdep\w*|pext\w*|rorx\w*|s[ahr][lr]x\w*|mulx\w*|ad[co]x\w*|"
    r"rdrand\w*|rdseed\w*|crc32\w*|f[a-z]+\w*|emms|p[a-z]+(?:b|w|d|q|bw|wd|dq)|mov[dqau]\w*ps|"
    r"v[a-z]\w+|sha\w+|aes\w+"
)
_X86_486 = r"bswap\w*|xadd\w*|cmpxchg[bwl]?|invlpg|wbinvd|invd"
_AMD64 = (
    r"v[a-z]\w+|kmov\w+|popcnt\w*|[lt]zcnt\w*|andn\w*|bextr\w*|bls(?:i|r|msk)\w*|bzhi\w*|pdep\w*|"
    r"pext\w*|rorx\w*|s[ahr][lr]x\w*|mulx\w*|ad[co]x\w*|movbe\w*|crc32\w*|rdrand\w*|rdseed\w*|"
    r"cmpxchg16b|lahf|sahf|rdtscp|pshufb|palignr|pabs\w|phadd\w*|phsub\w*|psign\w|pmaddubsw|"
    r"pmulhrsw|lddqu|mov(?:ddup|s[hl]dup)|h(?:add|sub)p[sd]|addsubp[sd]|pinsr[bdq]|pextr[bdq]|"
    r"pmov[sz]x\w+|pmulld|pblend\w+|blendv?p[sd]|ptest|round\w+|dpp[sd]|insertps|extractps|"
    r"aes\w+|pclmul\w*|sha(?:1|256)\w+|xsave\w*|fsgsbase"
)
_AVR = r"f?mul(?:su?|s)?|fmuls?u?|call|jmp|e?icall_|eicall|eijmp|elpm|spm|des|xch|la[sct]|break"

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


class Denied(Struct, frozen=True):
    """What is denied, why, and where `objdump` needs to be told the set it shall know."""

    pattern: re.Pattern[str]
    title: str
    options: tuple[str, ...] = ()
    operands: re.Pattern[str] | None = None


def _list(pattern: str, title: str, *options: str, operands: str = "", suffix: str = "") -> Denied:
    compiled = re.compile(rf"(?:{pattern}){suffix}$")
    return Denied(compiled, title, options, re.compile(operands) if operands else None)


_ANY_ARM = {
    **{
        name: _list(rf"bx|{_ARM_V5}", "ARMv4 without Thumb", suffix=rf"{CONDITION}(?:\.[nw])?")
        for name in ARM
    },
    **{
        name: _list(_ARM_V5, "ARMv4T", suffix=rf"{CONDITION}(?:\.[nw])?")
        for name in (*MIXED, *THUMB)
    },
}
DENIED: dict[str, Denied] = {
    **_ANY_ARM,
    **{name: _list(_MIPS_2, "MIPS32 release 1", "-m", "mips:isa32r2") for name in MIPS},
    "ppc": _list(_PPC, "the PowerPC 603e"),
    "i386": _list(
        rf"{_X86_LATER}|{_X86_486}", "the 386 without coprocessor", operands=r"%[xyz]?mm\d"
    ),
    "amd64": _list(_AMD64, "the first x86-64", operands=r"%[yz]mm\d"),
    "avr8": _list(_AVR, "the classic AVR core with movw"),
}

_LINE = re.compile(r"^\s*(?P<at>[0-9a-f]+):\t[0-9a-f ]+?\s*\t(?P<text>.*)$")
_PREFIX = re.compile(r"^(?:(?:rep\w*|lock|data16|cs|ds|es|ss|fs|gs|rex\S*|notrack|bnd)\s+)+")
_REMARK = re.compile(r"\s*(?:[;@#]\s.*|<.*)$")  # objdump's own, or the name of an address


class Instruction(Struct, frozen=True):
    """One line of a disassembly."""

    place: str
    mnemonic: str
    operands: str

    def __str__(self) -> str:
        """Show it as objdump does."""
        return f"{self.place}: {self.mnemonic} {self.operands}".rstrip()


def instructions(text: str) -> tuple[Instruction, ...]:
    """Read what `objdump -d -w` printed."""
    found = []
    for line in text.splitlines():
        match = _LINE.match(line)
        if match:
            said = _PREFIX.sub("", match["text"]).split("\t")
            mnemonic, _, rest = " ".join(said).partition(" ")
            operands = _REMARK.sub("", rest).strip()
            found.append(Instruction(match["at"], mnemonic.rstrip(","), operands))
    return tuple(found)


def offences(rule: Denied, code: tuple[Instruction, ...]) -> tuple[Instruction, ...]:
    """Return the instructions that the rule denies."""
    return tuple(
        one
        for one in code
        if rule.pattern.match(one.mnemonic)
        or (rule.operands is not None and rule.operands.search(one.operands))
    )


# ---------------------------------------------------------------- MIPS I

LOADS = frozenset({"lw", "lh", "lhu", "lb", "lbu"})  # lwl and lwr may follow one another
CONDITIONAL = frozenset({"movn", "movz", "movf", "movt"})
STORES = re.compile(r"s[bhw][lr]?$|b\w*$|mt\w+|mult?u?$|divu?$|jr$|t\w+$")
_REGISTER = re.compile(r"\b(?:zero|at|v[01]|a[0-3]|t\d|s[0-8]|k[01]|gp|sp|fp|ra)\b")


def newer_than_mips_1(code: tuple[Instruction, ...]) -> Iterator[str]:
    """Describe what would not run, or not run alike, on a MIPS I."""
    for one in code:
        if one.mnemonic in CONDITIONAL:
            yield f"{one}: MIPS I has no conditional move"
    for one, following in itertools.pairwise(code):
        loaded = _REGISTER.findall(one.operands)[:1] if one.mnemonic in LOADS else []
        if loaded and loaded[0] in _read(following):
            yield f"{one}; {following}: uses {loaded[0]} in the load delay slot"


def _read(one: Instruction) -> list[str]:
    """Name the registers that an instruction reads: all but the first, which most write."""
    named = _REGISTER.findall(one.operands)
    return named if STORES.match(one.mnemonic) else named[1:]


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
    paper_rule(
        name="instructions/assembler",
        asks="Does an assembler for exactly the paper's processor accept the source (A.3)?",
        why="A compiler's driver often accepts newer instructions.",
        cure="Replace the instructions that the assembler names.",
        run=assembles,
    ),
    paper_rule(
        name="instructions/set",
        asks="Does the code use only instructions of the paper's processor (A.3)?",
        why=(
            "Newer instructions crash on the real processor or do something else, and emulators "
            "may not notice: a rotr on MIPS runs as a shift. `bswap` is not allowed on i386, "
            "because the paper asks for the 386 for little-endian functions."
        ),
        cure="Replace them. `.set` and `.arch` directives do not change the processor.",
        run=keeps_to_set,
    ),
    paper_rule(
        name="instructions/reserved",
        asks="Are the system's registers unused (A.3.2, A.3.3)?",
        why=(
            "A signal handler may find its thread's data through r9 on ARM or r2 on PowerPC, so "
            "saving the register does not help."
        ),
        cure="Use another register. On ARM, compile C with -ffixed-r9.",
        run=reserved,
    ),
    paper_rule(
        name="instructions/mips-i",
        asks="Does the code also run on a MIPS I (A.3.1)?",
        why=(
            "The paper recommends it, and the cost is small: no conditional moves, and no use "
            "of a register right after its load. Departures are reported as `skipped`, never as "
            "a failure."
        ),
        cure="Put another instruction between the load and the use.",
        run=mips_1,
    ),
)
