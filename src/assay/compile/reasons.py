# SPDX-License-Identifier: MIT
"""What compilers and linkers say, and what it means (HOWTO 5.3.1).

Why something did not compile or link, and what the author does about it; and what compilers warn
of that makes code crash or compute something else. The wordings are those of gcc, clang and tcc.
Of warnings in the package's own files the grave ones are kept; most of the others (unused
variables, comments) say nothing of what code does.
"""

import re
from collections.abc import Iterator
from enum import IntEnum

from msgspec import Struct

from assay.grouped import grouped


class BuildReason(Struct, frozen=True):
    """A pattern in compiler messages, what it means and the cure.

    `elsewhere` marks what is no failure: the code is for another machine. A pattern is compiled
    when a build has failed.
    """

    pattern: str
    meaning: str
    cure: str
    elsewhere: bool = False


NO_ROOM = "the target has no room for it"
STOPS = "the code stops with #error"
INTRINSICS = {  # headers of compilers, by the processors that they are for
    "x86": r"\w*(?:mm|avx|x86|ia32|sse)\w*intrin|cpuid",
    "ARM": r"arm_\w+",
    "AVR": r"avr/\w+",
    "PowerPC AltiVec": r"altivec|[ps]pu_intrinsics|vec_types",
    "SPARC VIS": "visintrin",
    "MIPS": "msa|loongson\\w*",
    "RISC-V": r"riscv_\w+",
    "s390x": "vecintrin|s390intrin|htmx?l?intrin",
}


def _of_processor(name: str, headers: str) -> BuildReason:
    """Make the reason for a header of a compiler that is not here."""
    missing = rf"fatal error: '?((?:{headers})\.h)'?(?:: No such| file not)"
    return BuildReason(
        rf"{missing}|include file '((?:{headers})\.h)' not found",
        f"the code is for another architecture or compiler ({name}): there is no {{0}} here",
        "Nothing has to be fixed. To offer the code everywhere, choose it with `#if` and add C.",
        elsewhere=True,
    )


# What `#error` says of a processor or its byte order, after words for a condition.
PROCESSORS = (
    r"AVX\w*|S?SSE[\d._]*|NEON|AES-?NI|BMI2?|ADX|x86\w*|AMD64|ARM\w*|Cortex\S*|[BL]E machines?"
    r"|(?:big|little)[- ]endian|__(?:S?SSE|AVX|AES|ARM|BMI)\w*__"
)
REASONS = (
    BuildReason(
        r"([\w-]+)-g\+\+(?:-\d+)?: (?:not found|No such file)",
        "the package is in C++, and there is no {0}-g++",
        "Install it (Debian: apt-get install g++-{0}), or leave the target out.",
    ),
    *(_of_processor(name, headers) for name, headers in INTRINSICS.items()),
    BuildReason(
        (r"#error:?\s*\"?(This header is only meant to be used on [^\n\"]*"
                   r"|NEON (?:intrinsics|support) not [^\n\"]*|AltiVec support not [^\n\"]*"
                   r"|[^\n\"]*\b(?:requires?|needs?|only)\b[^\n\"]*(?<!\w)(?:" + PROCESSORS +
                   r")(?!\w)[^\n\"]*"
                   r"|[^\n\"]*(?<!\w)(?:" + PROCESSORS + r")(?!\w)[^\n\"]* selected\b[^\n\"]*"
                   r"|[^\n\"]*\b(?:on|for) this (?:platform|architecture|processor|machine)\b"
                   r"[^\n\"]*)"),
        "the code is for another architecture: {0}",
        "Nothing has to be fixed. To offer the code everywhere, choose it with `#if` and add C.",
        elsewhere=True,
    ),
    BuildReason(  # Of a narrow form that cannot be (`.n`) any processor's assembler says so, too.
        r"selected processor does not support [`']([^'\n]+)'"
        r"|cannot honor width suffix -- [`'](?!\w+\.n\b)([^'\n]+)'",
        "the assembly is for another processor: this one has no `{0}`",
        "Nothing has to be fixed. To offer the code everywhere, choose it with `#if` and add C.",
        elsewhere=True,
    ),
    BuildReason(
        (r"not within region [`'](\w+)'|region [`'](\w+)' overflowed"
                   r"|will not fit in region [`'](\w+)'|too little is left for the (stack)\b"),
        NO_ROOM + ": its memory for {0} is too small",
        "Use smaller tables or none; on small targets, put constant tables into flash. "
        "`--all-configs` of `assay check` tries -Os as well.",
    ),
    BuildReason(
        r"undefined (?:reference to|symbol:?) [`'\"]?(ECRYPT_[A-Z]+SIZE)\b",
        "the header does not define the macro {0}",
        "Define it: `assay new NAME --api API` writes a header that has everything.",
    ),
    BuildReason(
        r"undefined (?:reference to|symbol:?) [`'\"]?(ECRYPT_(?:AE_)?\w+)",
        "the code does not define {0}",
        "Define {0}; a function of the API must be there even if it is left empty.",
    ),
    BuildReason(
        r"\(\.bss[^)\n]*\): multiple definition of [`'\"]?(\w+)",
        "the variable {0} is defined more than once",
        "Declare {0} `extern` in the header and define it in one file, or make it `static`: "
        "gcc merged such definitions before version 10, and does so now with -fcommon only.",
    ),
    BuildReason(
        r"multiple definition of [`'\"]?_?main\b|'_?main' defined twice",
        "the package has a main() of its own",
        "Put the program that tries the code into a file of its own, and leave that out.",
    ),
    BuildReason(
        r"multiple definition of [`'\"]?(\w+)|'(\w+)' defined twice",
        "{0} is defined more than once",
        "Make {0} static, or remove the second definition; with ECRYPT_USES_DEFAULT_ALL_IN_ONE "
        "the framework's packet functions count too.",
    ),
    BuildReason(
        r"undefined (?:reference to|symbol:?) [`'\"]?(\w+)",
        "nothing defines {0}",
        "Add the source file that defines {0} to the package.",
    ),
    BuildReason(
        r"([^\s:]+):1:1: error: stray '\\37[67]'"
        r"|UTF-(?:16|32) \(.E\) byte order mark detected in '([^']+)'",
        "{0} is in UTF-16",
        "Save it in UTF-8 or ASCII.",
    ),
    BuildReason(
        r"C\+\+ style comments|expected .* before '/' token|syntax error before '/'",
        "`//` comments are not part of ANSI C",
        'Replace "//" comments by "/* ... */", or use `std = -std=c99` in the Makefile.',
    ),
    BuildReason(
        r"(?:C90 does not support|use of C99|C99 feature)[^\n]*long long"
        r"|'long long' is an extension",
        "`long long` and constants that end in ULL (as of `u64`) are not part of ANSI C",
        "Replace the third line of the Makefile by `std = -std=c99`.",
    ),
    BuildReason(
        r"(?:unknown type name|before|undeclared[^\n]*|expected \(got) \W?(u64|s64)\b",
        "the type {0} does not exist under this C standard",
        "Replace the third line of the Makefile by `std = -std=c99`.",
    ),
    BuildReason(
        (r"fatal error: ([^\s:]+): No such file|include file '([^']+)' not found"
                   r"|fatal error: '([^']+)' file not found"),
        "the file {0} is included but not in the package",
        "Add {0} to the package; only its own files and the framework's headers can be seen.",
    ),
    BuildReason(
        r"(?:this variant does not exist)",
        "the header says that this variant does not exist",
        "Make ECRYPT_MAXVARIANT the number of variants that ECRYPT_VARIANT may take.",
    ),
    BuildReason(
        r"#error:?\s*\"?([^\n\"]+)",
        STOPS + ": {0}",
        "Offer a portable alternative where a non-standard construct is not supported; a variant "
        "that stops so is skipped, as long as another variant of the package builds.",
    ),
    BuildReason(
        r"\[[^]\n]*\+0x\w+\]|virtual memory exhausted|out of memory|Cannot allocate",
        "the compiler ran out of memory",
        "Reduce what has to be expanded at compile time (templates, macros, tables).",
    ),
    BuildReason(
        (r"(?:Error|error): (?:bad register name|invalid instruction (?:suffix|mnemonic)"
                   r"|operand (?:size|type) mismatch|unsupported instruction|no such instruction)"
                   r"[^\n]*"),
        "the assembly is for another architecture or another assembler",
        "Guard it with `#if defined(__x86_64__)` and the like in a .S file; offer C elsewhere.",
    ),
)  # fmt: skip


def is_elsewhere(diagnostics: str) -> bool:
    """Return whether the messages say that the code is for another machine."""
    return any(one.elsewhere and re.search(one.pattern, diagnostics) for one in REASONS)


_OF_ADAPTERS = re.compile(
    r"^(?:adapters|packet)/[^\n:]+:\d+:(?:\d+:)? (?:error|warning): ([^\n]*)", re.MULTILINE
)
_UNDECLARED = re.compile(
    r"['`](\w+)' undeclared|undeclared identifier '(\w+)'"
    r"|(?:implicit declaration of|undeclared) function ['`](\w+)'"
    r"|unknown type name ['`](\w+)'"
)


def undeclared(diagnostics: str) -> tuple[str, ...]:
    """Name what the API's header lacks, by what the compiler says of Assay's own side."""
    said = _OF_ADAPTERS.findall(diagnostics)
    found = (match for line in said for match in _UNDECLARED.finditer(line))
    return tuple(dict.fromkeys(next(filter(None, match.groups())) for match in found))


def explain(diagnostics: str, stage: str) -> tuple[str, str]:
    """Return the reason and the cure for a failed build; the first error if none is known."""
    for reason in REASONS:
        found = re.search(reason.pattern, diagnostics)
        if found:
            named = next((group for group in found.groups() if group), "").strip()
            return reason.meaning.format(named), reason.cure.format(named)
    lines = diagnostics.splitlines()
    errors = (line for line in lines if "error:" in line.lower())  # not `goto error;`
    first = next(errors, "") or next((line for line in lines if "error" in line.lower()), "")
    return f"{stage} failed{': ' + first.strip() if first else ''}", "See the compiler's messages."


_WARNING = re.compile(r"^([^\s:][^\n:]*):(\d+):(?:\d+:)? warning: ([^\n]*)", re.MULTILINE)
_OURS = ("/", "../")  # headers of the system, and what the harness offers packages
_PLACE, _FLAG = re.compile(r"^(?:\./)*(?:package/)?"), re.compile(r" \[-W[^\]\n]*\]$")
_QUOTES = str.maketrans("\u2018\u2019`", "'''")
_IMPLICIT = re.compile(r"implicit declaration of function '(\w+)|to undeclared function '(\w+)")
_LIBRARY = re.compile(
    r"implicit declaration of built-in function '(\w+)|declaring library function '(\w+)"
)
_POINTER = re.compile(
    r"makes pointer from integer|integer to pointer conversion|cast to pointer from integer"
    r"|cast to '[^'\n]*\*' from smaller integer"
)
_AMBIGUOUS = "cast between pointer and integer of different size"  # so tcc says it of both ways
_WRONG_TYPE = re.compile(
    r"makes integer from pointer|pointer to integer conversion|incompatible(?: \S+)? pointer"
    r"|reaches end of non-void|does not return a value|should return a value"
    r"|might return no value|'return' with no value"
    r"|\[-W(?:int-conversion|incompatible(?:-function)?-pointer-types|return-type)\]"
)
_SUSPECT = re.compile(
    r"\[-W(?:(?:maybe-|sometimes-)?uninitialized|array-bounds|stringop-over\w+|overflow"
    r"|integer-overflow|shift-[\w-]+|sizeof-[\w-]+|return-(?:local-addr|stack-address)"
    r"|aggressive-loop-optimizations|dangling-pointer|free-nonheap-object|restrict"
    r"|constant-conversion|pointer-to-int-cast)\b"
)


class Danger(IntEnum):
    """How surely a warning tells why code fails; the gravest first."""

    CUT = 0  # a pointer goes through an int, so half of it is lost
    UNDECLARED = 1
    WRONG_TYPE = 2
    SUSPECT = 3  # compilers warn of correct code, too


class Warned(Struct, frozen=True):
    """A grave warning: file and line in the package, and what it says, in one line."""

    danger: Danger
    place: str
    text: str

    def __str__(self) -> str:
        """Return the place and the text."""
        return f"{self.place}: {self.text}"


def warnings_of(diagnostics: str) -> list[Warned]:
    """Return what compilers warned of in the package's own files, the gravest first."""
    lines = grouped(
        (f"{_PLACE.sub('', file)}:{line}", text)
        for file, line, text in _WARNING.findall(diagnostics.translate(_QUOTES))
        if not file.startswith(_OURS)
    )
    found = (one for place, texts in lines.items() for one in _of_line(place, texts))
    return sorted(found, key=lambda one: one.danger)


def _of_line(place: str, texts: list[str]) -> Iterator[Warned]:
    """Yield the grave warnings of a line; all that a missing declaration causes is one."""
    together = "\n".join(texts)
    library, undeclared = _LIBRARY.search(together), _IMPLICIT.search(together)
    pointer = _POINTER.search(together) is not None
    if library:
        name = library[1] or library[2]
        yield Warned(Danger.WRONG_TYPE, place, f"no header declares the library's {name}")
    elif undeclared:
        name = undeclared[1] or undeclared[2]
        cut = pointer or _AMBIGUOUS in together
        result = "its pointer is cut to int" if cut else "its result is taken for an int"
        text = f"implicit declaration of function '{name}'; {result}"
        yield Warned(Danger.CUT if cut else Danger.UNDECLARED, place, text)
    for text in dict.fromkeys(texts):
        short = _FLAG.sub("", text)
        if _POINTER.search(text) and not undeclared:
            yield Warned(Danger.CUT, place, f"{short}; a pointer does not fit into an int")
        elif _WRONG_TYPE.search(text):
            yield Warned(Danger.WRONG_TYPE, place, short)
        elif _SUSPECT.search(text):
            yield Warned(Danger.SUSPECT, place, short)
