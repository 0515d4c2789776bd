# SPDX-License-Identifier: MIT
"""The options worth trying, per compiler and processor family, and how configurations are named.

These are wishes: `probe` drops what this compiler or this processor does not take, so old and
new spellings stand side by side.

Tags and names of files keep the rules of the original (`gcc_default_O3-ual-ofp`,
`gcc_k8_Os-ofp`), so that shortlists and reports of old still name what they named; options that
the original did not have get short forms of the same kind.
"""

import re

from assay.model.toolchains import as_wanted

_X86_32 = ("i386", "i486", "pentium", "pentium-mmx", "pentiumpro", "i686", "pentium2", "pentium3")
_X86_32_LATER = ("pentium-m", "pentium4", "prescott", "k6", "athlon", "athlon-xp")
_X86 = (
    *("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"),
    *("nocona", "core2", "nehalem", "westmere", "sandybridge", "ivybridge", "haswell"),
    *("broadwell", "skylake", "skylake-avx512", "cascadelake", "cooperlake", "cannonlake"),
    *("icelake-client", "icelake-server", "tigerlake", "rocketlake", "alderlake"),
    *("sapphirerapids", "raptorlake", "meteorlake", "graniterapids", "arrowlake"),
    *("bonnell", "silvermont", "goldmont", "goldmont-plus", "tremont", "gracemont"),
    *("knl", "knm", "k8", "k8-sse3", "amdfam10", "btver1", "btver2"),
    *("bdver1", "bdver2", "bdver3", "bdver4", "znver1", "znver2", "znver3", "znver4", "znver5"),
)
_AES, _SHA, _VAES = "-maes -mpclmul", "-msha", "-mvaes -mvpclmulqdq"
_LEVELS = {  # the richest first: what stands in for `native` where a compiler does not take it
    "x86": (
        *(f"-march=x86-64-v4 {_AES} {_SHA} {_VAES}", f"-march=x86-64-v4 {_AES}"),
        *("-march=x86-64-v4", f"-march=x86-64-v3 {_AES} {_SHA} {_VAES}"),
        *(f"-march=x86-64-v3 {_AES} {_SHA}", f"-march=x86-64-v3 {_AES}", "-march=x86-64-v3"),
        *(f"-march=haswell {_SHA}", "-march=haswell", f"-march=x86-64-v2 {_AES}"),
        *("-march=x86-64-v2", "-march=westmere"),
    ),
    "aarch64": (
        *("-march=armv8.2-a+crypto+sha3", "-march=armv8.2-a+crypto", "-march=armv8-a+crypto"),
        *("-march=armv8.1-a", "-march=armv8-a"),
    ),
    "arm": ("-march=armv8-a -mfpu=crypto-neon-fp-armv8", "-march=armv7-a -mfpu=neon"),
    "ppc": ("-mcpu=power10", "-mcpu=power9", "-mcpu=power8"),
    "riscv": ("-march=rv64gcv_zba_zbb_zbs", "-march=rv64gc_zba_zbb_zbs"),
    "s390x": ("-march=z16", "-march=z15", "-march=z14", "-march=z13"),
}
FAMILIES = tuple(_LEVELS)
_S390X = ("native", "z900", "z10", "z196", "zEC12", "z13", "z14", "z15", "z16")
_ALPHA = ("native", "ev4", "ev5", "ev56", "pca56", "ev6", "ev67")
_ARCHS = {
    "aarch64": (
        *("-mcpu=native", "-march=armv8-a", "-march=armv8-a+crypto", "-march=armv8.1-a"),
        *("-march=armv8.2-a", "-march=armv8.2-a+crypto", "-march=armv8.4-a", "-march=armv9-a"),
        *("-mcpu=cortex-a35", "-mcpu=cortex-a53", "-mcpu=cortex-a55", "-mcpu=cortex-a57"),
        *("-mcpu=cortex-a72", "-mcpu=cortex-a73", "-mcpu=cortex-a76", "-mcpu=cortex-a78"),
        *("-mcpu=cortex-x1", "-mcpu=neoverse-n1", "-mcpu=neoverse-n2", "-mcpu=neoverse-v1"),
        *("-mcpu=neoverse-v2", "-mcpu=apple-m1", "-mcpu=thunderx2t99", "-mcpu=a64fx"),
    ),
    "arm": (
        *("-mcpu=native", "-march=armv4t", "-march=armv5te", "-march=armv6", "-march=armv7-a"),
        *("-march=armv7-a -mfpu=neon", "-march=armv7-a -mthumb", "-march=armv8-a", "-mthumb"),
        *("-mcpu=arm7tdmi", "-mcpu=arm926ej-s", "-mcpu=xscale", "-mcpu=arm1136j-s"),
        *("-mcpu=arm1176jzf-s", "-mcpu=cortex-a5", "-mcpu=cortex-a7", "-mcpu=cortex-a8"),
        *("-mcpu=cortex-a9", "-mcpu=cortex-a15", "-mcpu=cortex-a17", "-mcpu=cortex-a53"),
        *("-mcpu=cortex-a72", "-mcpu=cortex-a7 -mfpu=neon-vfpv4"),
    ),
    "ppc": (
        *("-mcpu=native", "-mcpu=powerpc", "-mcpu=powerpc64", "-mcpu=powerpc64le", "-mcpu=601"),
        *("-mcpu=603e", "-mcpu=604e", "-mcpu=750", "-mcpu=7400", "-mcpu=7450", "-mcpu=970"),
        *("-mcpu=e500mc", "-mcpu=e6500", "-mcpu=power4", "-mcpu=power5", "-mcpu=power6"),
        *("-mcpu=power7", "-mcpu=power8", "-mcpu=power9", "-mcpu=power10", "-mcpu=7450 -maltivec"),
    ),
    "mips": (
        *("-march=native", "-march=mips1", "-march=mips2", "-march=mips3", "-march=mips4"),
        *("-march=mips32", "-march=mips32r2", "-march=mips32r5", "-march=mips32r6"),
        *("-march=mips64", "-march=mips64r2", "-march=mips64r6", "-march=4kc", "-march=24kc"),
        *("-march=34kc", "-march=74kc", "-march=r4000", "-march=r5000", "-march=r10000"),
        *("-march=octeon", "-march=octeon2", "-march=loongson3a", "-march=mips32r2 -mips16"),
    ),
    "sparc": (
        *("-mcpu=native", "-mcpu=v7", "-mcpu=v8", "-mcpu=v9", "-mcpu=ultrasparc"),
        *("-mcpu=ultrasparc3", "-mcpu=niagara", "-mcpu=niagara2", "-mcpu=niagara3"),
        *("-mcpu=niagara4", "-mcpu=niagara7", "-mcpu=m8", "-mcpu=leon3", "-mcpu=supersparc"),
    ),
    "riscv": (
        *("-mcpu=native", "-march=rv64gc", "-march=rv64g", "-march=rv64imac"),
        *("-march=rv64gc_zba_zbb_zbs", "-march=rv64gc_zba_zbb_zbs_zbkb", "-march=rv64gcv"),
        *("-mtune=sifive-u74", "-mtune=thead-c906", "-march=rv32gc", "-march=rv32imac"),
    ),
    "s390x": tuple(f"-march={cpu}" for cpu in _S390X),
    "alpha": tuple(f"-mcpu={cpu}" for cpu in _ALPHA),
    "hppa": ("-march=1.0", "-march=1.1", "-march=2.0", "-mschedule=7100LC", "-mschedule=8000"),
}
_WIDTHS = {"x86": ("-m32", "-m64"), "ppc": ("-m32", "-m64"), "sparc": ("-m32", "-m64")}

_OFP = "-fomit-frame-pointer"
_ORIGINAL = (
    "-O0",
    *(f"-O{level} {_OFP}" for level in "123s"),
    f"-O3 -funroll-all-loops {_OFP}",
)
_GCC = (
    *_ORIGINAL,
    "-Og",
    f"-Oz {_OFP}",
    f"-O2 -funroll-loops {_OFP}",
    f"-O3 -funroll-loops {_OFP}",
    f"-O2 -fno-tree-vectorize {_OFP}",
    f"-O3 -fno-tree-vectorize {_OFP}",
    f"-O2 -fwrapv {_OFP}",
    f"-O3 -fwrapv {_OFP}",
    f"-O2 -fno-strict-aliasing {_OFP}",
    f"-O3 -fno-strict-aliasing {_OFP}",
)
_CLANG = (
    *_ORIGINAL,
    "-Og",
    f"-Oz {_OFP}",
    f"-O3 -funroll-loops {_OFP}",
    f"-O2 -fno-vectorize -fno-slp-vectorize {_OFP}",
    f"-O3 -fno-vectorize -fno-slp-vectorize {_OFP}",
    f"-O2 -fwrapv {_OFP}",
    f"-O3 -fwrapv {_OFP}",
    f"-O2 -fno-strict-aliasing {_OFP}",
    f"-O3 -fno-strict-aliasing {_OFP}",
)
_OPTS = {
    "gcc": _GCC,
    "clang": _CLANG,
    "icc": ("-O0", "-O1", "-O2", "-O3", "-Os"),
    "msvc": ("", "-O1", "-O2", "-Ox"),
    "tcc": ("", "-O2"),  # it takes any -O, which only defines __OPTIMIZE__
    "cc": ("", "-O", "-O2", "-fast"),
}
_SHORT = {
    "fomit-frame-pointer": "ofp",
    "funroll-all-loops": "ual",
    "funroll-loops": "ul",
    "fno-tree-vectorize": "ntv",
    "fno-vectorize": "nv",
    "fno-slp-vectorize": "nslp",
    "fno-strict-aliasing": "nsa",
    "fwrapv": "wrapv",
}
_FAMILIES = {"mingw": "gcc"}
_BEFORE_VALUE = re.compile(r"m[^=\s]*=|xarch=|arch[ :]")


def wanted_widths(compiler: str, processor: str) -> tuple[str, ...]:
    """List the options that choose between 32 and 64 bits."""
    return _WIDTHS.get(processor, ()) if compiler in {"gcc", "clang"} else ()


def wanted_archs(compiler: str, processor: str) -> tuple[str, ...]:
    """List architecture options, without widths; the empty one is always the first."""
    if compiler == "icc":
        return ("", "-xHost", "-xSSE2", "-xSSE4.2", "-xAVX", "-xCORE-AVX2", "-xCORE-AVX512")
    if compiler == "msvc":  # -Gr, -G6 and -G7 are the original's
        return ("", "-arch:SSE2", "-arch:AVX", "-arch:AVX2", "-arch:AVX512", "-Gr", "-G6", "-G7")
    if compiler not in {"gcc", "clang"}:
        return ("",)
    archs = _ARCHS.get(processor, ())
    if processor == "x86":
        archs = tuple(f"-march={cpu}" for cpu in ("native", *_X86_32, *_X86_32_LATER, *_X86))
    return tuple(dict.fromkeys(("", *archs, *wanted_levels(compiler, processor))))


def wanted_levels(compiler: str, processor: str) -> tuple[str, ...]:
    """List what an architecture's processors of one generation have in common, richest first."""
    return _LEVELS.get(processor, ()) if compiler in {"gcc", "clang"} else ()


def wanted_opts(compiler: str) -> tuple[str, ...]:
    """List optimisation options."""
    return _OPTS.get(compiler, _OPTS["cc"])


def compact_command(command: str) -> str:
    """Spell a compiler so that it can be part of a file name."""
    return command.replace(" ", "").replace("/", "-")


def compact_arch(arch: str) -> str:
    """Spell an architecture option: `-march=k8` is `k8`, none is `default`.

    Only the first option loses its name, so `-march=k8 -m32` is `k8-m32` and
    stays apart from `-march=k8`. What was left out of `native` is not in the name.
    """
    bare = as_wanted(arch).strip().lstrip("-+")
    option = _BEFORE_VALUE.match(bare)
    value = bare[option.end() :] if option else bare
    return "".join(value.split()) or "default"


def compact_opt(opt: str) -> str:
    """Spell optimisation options: `-O3 -fomit-frame-pointer` is `O3-ofp`."""
    words = (_shorten(word) for word in opt.split())
    return "".join(words).lstrip("-") or "default"


def tag_of(family: str, arch: str, opt: str) -> str:
    """Return the name that shortlists use, the same for all compilers of a family."""
    return f"{_FAMILIES.get(family, family)}_{compact_arch(arch)}_{compact_opt(opt)}"


def name_of(command: str, arch: str, opt: str) -> str:
    """Return the name of the config file, without its suffix."""
    return f"{compact_command(command)}_{compact_arch(arch)}_{compact_opt(opt)}"


def _shorten(word: str) -> str:
    """Replace a long option by its short form."""
    bare = word.removeprefix("-")
    return f"-{_SHORT[bare]}" if bare in _SHORT else word
