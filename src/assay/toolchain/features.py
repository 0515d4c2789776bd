# SPDX-License-Identifier: MIT
"""Whether a processor has the instructions that an option lets a compiler use.

A program compiled with `-march=skylake-avx512` may run well by luck on a
processor without AVX-512: the compiler just saw no use for it. What the option
allows is written in the predefined macros; what the processor has, in the flags
of /proc/cpuinfo. The tables pair the two.

Only instructions that a compiler emits by itself or a cipher may ask for count.
Left out are those of operating systems (XSAVES, SGX, PKU, WBNOINVD, ...), which
a hypervisor often hides; hints that are no-ops elsewhere; TSX, which microcode
disables; and 3DNow!, which no compiler emits unasked and which would rule out
`-march=k8`, the option that old shortlists name.

Sources: GCC 12 and Clang 14 `-dM -E`; arch/x86/include/asm/cpufeatures.h,
arch/arm64/kernel/cpuinfo.c, arch/arm/kernel/setup.c and arch/s390/kernel/processor.c
of Linux 6.1 for the flags.
"""

_X86 = {
    "__MMX__": "mmx",
    "__SSE__": "sse",
    "__SSE2__": "sse2",
    "__SSE3__": "pni",
    "__SSSE3__": "ssse3",
    "__SSE4_1__": "sse4_1",
    "__SSE4_2__": "sse4_2",
    "__CRC32__": "sse4_2",
    "__SSE4A__": "sse4a",
    "__AVX__": "avx",
    "__AVX2__": "avx2",
    "__AVXVNNI__": "avx_vnni",
    "__FMA__": "fma",
    "__FMA4__": "fma4",
    "__XOP__": "xop",
    "__TBM__": "tbm",
    "__BMI__": "bmi1",
    "__BMI2__": "bmi2",
    "__LZCNT__": "abm",
    "__POPCNT__": "popcnt",
    "__MOVBE__": "movbe",
    "__ADX__": "adx",
    "__F16C__": "f16c",
    "__LAHF_SAHF__": "lahf_lm",
    "__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16": "cx16",
    "__AES__": "aes",
    "__PCLMUL__": "pclmulqdq",
    "__SHA__": "sha_ni",
    "__VAES__": "vaes",
    "__VPCLMULQDQ__": "vpclmulqdq",
    "__GFNI__": "gfni",
    "__RDRND__": "rdrand",
    "__RDSEED__": "rdseed",
    "__AVX512F__": "avx512f",
    "__AVX512CD__": "avx512cd",
    "__AVX512BW__": "avx512bw",
    "__AVX512DQ__": "avx512dq",
    "__AVX512VL__": "avx512vl",
    "__AVX512ER__": "avx512er",
    "__AVX512PF__": "avx512pf",
    "__AVX512IFMA__": "avx512ifma",
    "__AVX512VBMI__": "avx512vbmi",
    "__AVX512VBMI2__": "avx512_vbmi2",
    "__AVX512VNNI__": "avx512_vnni",
    "__AVX512BITALG__": "avx512_bitalg",
    "__AVX512VPOPCNTDQ__": "avx512_vpopcntdq",
    "__AVX512BF16__": "avx512_bf16",
    "__AVX512FP16__": "avx512_fp16",
    "__AVX512VP2INTERSECT__": "avx512_vp2intersect",
    "__AVX5124FMAPS__": "avx512_4fmaps",
    "__AVX5124VNNIW__": "avx512_4vnniw",
    "__AMX_TILE__": "amx_tile",
    "__AMX_INT8__": "amx_int8",
    "__AMX_BF16__": "amx_bf16",
    "__AMXTILE__": "amx_tile",  # as Clang has them
    "__AMXINT8__": "amx_int8",
    "__AMXBF16__": "amx_bf16",
}
_AARCH64 = {
    "__ARM_NEON": "asimd",
    "__ARM_FEATURE_AES": "aes",
    "__ARM_FEATURE_CRYPTO": "aes",
    "__ARM_FEATURE_SHA2": "sha2",
    "__ARM_FEATURE_SHA3": "sha3",
    "__ARM_FEATURE_SHA512": "sha512",
    "__ARM_FEATURE_SM3": "sm3",
    "__ARM_FEATURE_SM4": "sm4",
    "__ARM_FEATURE_CRC32": "crc32",
    "__ARM_FEATURE_ATOMICS": "atomics",
    "__ARM_FEATURE_QRDMX": "asimdrdm",
    "__ARM_FEATURE_DOTPROD": "asimddp",
    "__ARM_FEATURE_FP16_VECTOR_ARITHMETIC": "asimdhp",
    "__ARM_FEATURE_SVE": "sve",
    "__ARM_FEATURE_SVE2": "sve2",
    "__ARM_FEATURE_MATMUL_INT8": "i8mm",
    "__ARM_FEATURE_BF16": "bf16",
}
_ARM = {
    "__ARM_NEON": "neon",
    "__ARM_FEATURE_IDIV": "idiva",
    "__ARM_FEATURE_CRYPTO": "aes",
    "__ARM_FEATURE_CRC32": "crc32",
}
_RISCV = {
    "__riscv_vector": "v",
    "__riscv_zba": "zba",
    "__riscv_zbb": "zbb",
    "__riscv_zbs": "zbs",
    "__riscv_zbkb": "zbkb",
    "__riscv_zknd": "zknd",
    "__riscv_zkne": "zkne",
    "__riscv_zknh": "zknh",
}
_S390X = {"__VX__": "vx"}
_TABLES = {"x86": _X86, "aarch64": _AARCH64, "arm": _ARM, "riscv": _RISCV, "s390x": _S390X}


_WITHOUT_OF_X86 = {
    "__LAHF_SAHF__": "sahf",
    "__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16": "cx16",
    "__AMXTILE__": "amx-tile",
    "__AMXINT8__": "amx-int8",
    "__AMXBF16__": "amx-bf16",
}
_WITHOUT = {  # where the name does not follow from the macro's
    "aarch64": {
        "__ARM_NEON": "simd",
        "__ARM_FEATURE_SHA512": "sha3",
        "__ARM_FEATURE_SM3": "sm4",
        "__ARM_FEATURE_CRC32": "crc",
        "__ARM_FEATURE_ATOMICS": "lse",
        "__ARM_FEATURE_QRDMX": "rdma",
        "__ARM_FEATURE_FP16_VECTOR_ARITHMETIC": "fp16",
        "__ARM_FEATURE_MATMUL_INT8": "i8mm",
    },
    "arm": {"__ARM_NEON": "simd", "__ARM_FEATURE_CRC32": "crc"},
}


def lacking(
    family: str, macros: frozenset[str], flags: frozenset[str]
) -> tuple[tuple[str, str], ...]:
    """Return (macro, flag) of what macros presuppose and the processor lacks, basic ones first.

    `family` is of the processor (`x86`). Where there is no table (ppc, mips,
    sparc, alpha, hppa) nothing is lacking: the conftest program alone decides.
    """
    table = _TABLES.get(family, {})
    return tuple(
        (macro, flag) for macro, flag in table.items() if macro in macros and flag not in flags
    )


def without(family: str, option: str, macro: str) -> str | None:
    """Return an architecture option less the feature of a macro; None where there is no way.

    On x86 and s390x a word follows (`-mno-rdseed`), on Arm the value is extended
    (`-mcpu=native+nosve`).
    """
    if family in {"x86", "s390x"}:
        return f"{option} -mno-{_WITHOUT_OF_X86.get(macro) or _plain(macro)}"
    if family in _WITHOUT:
        name = _WITHOUT[family].get(macro) or macro.removeprefix("__ARM_FEATURE_").lower()
        first, *others = option.split()
        return " ".join([f"{first}+no{name}", *others])
    return None


def _plain(macro: str) -> str:
    """Return the name that the options of gcc and clang give a feature: `__SSE4_1__` is sse4.1."""
    name = macro.strip("_").lower()
    return name.replace("_", "-" if name.startswith("amx") else ".")
