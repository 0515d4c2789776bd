# SPDX-License-Identifier: MIT
"""Instructions that the processors of Annex A.3 do not have, by mnemonic.

Lists name what came later, not what there is: a mnemonic that nobody has heard
of passes here, and the strict assembler and the emulated processor refuse it.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.check.annex_a.making import ARM, MIPS, MIXED, THUMB

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


@dataclass(frozen=True, slots=True)
class Denied:
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

_LINE = re.compile(r"^\s*(?P<at>[0-9a-f]+):\t(?P<code>[0-9a-f ]+?)\s*\t(?P<text>.*)$")
_PREFIX = re.compile(r"^(?:(?:rep\w*|lock|data16|cs|ds|es|ss|fs|gs|rex\S*|notrack|bnd)\s+)+")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One line of a disassembly."""

    place: str
    code: str
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
            code = match["code"].replace(" ", "")
            found.append(Instruction(match["at"], code, mnemonic.rstrip(","), _plain(rest)))
    return tuple(found)


def _plain(operands: str) -> str:
    """Drop objdump's remarks and the names of addresses."""
    return re.sub(r"\s*(?:[;@#]\s.*|<.*)$", "", operands).strip()


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
