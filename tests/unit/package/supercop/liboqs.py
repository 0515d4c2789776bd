# SPDX-License-Identifier: MIT
"""A tiny tree in the layout of liboqs, written by the tests that need it."""

from pathlib import Path

CMAKE = """\
set(_TOY_OBJS "")
if(OQS_ENABLE_KEM_toy_1)
    add_library(toy_1_ref OBJECT kem_toy_1.c one_ref/toy.c)
    target_compile_options(toy_1_ref PUBLIC -DTOY_KEY=7)
    target_include_directories(toy_1_ref PRIVATE ${CMAKE_CURRENT_LIST_DIR}/one_ref)
    target_include_directories(toy_1_ref PRIVATE ${CMAKE_CURRENT_LIST_DIR}/one_sizes)
    target_include_directories(toy_1_ref PRIVATE ${PROJECT_SOURCE_DIR}/src/common/shims)
    if (CMAKE_SYSTEM_NAME STREQUAL "Darwin")
        target_compile_definitions(toy_1_ref PRIVATE darwin)
    endif()
endif()
if(OQS_ENABLE_KEM_toy_1_aarch64)
    add_library(toy_1_aarch64 OBJECT one_aarch64/toy.S)
endif()
if(OQS_ENABLE_KEM_toy_1_f)
    add_library(toy_1_f_ref OBJECT kem_toy_1_f.c one_ref/toy.c)
    target_include_directories(toy_1_f_ref PRIVATE ${CMAKE_CURRENT_LIST_DIR}/one_ref)
    target_compile_options(toy_1_f_ref PUBLIC -DTOY_KEY=9)
endif()
if(OQS_ENABLE_KEM_toy_1_cuda)
    add_library(toy_1_cuda OBJECT one_cuda/toy.cu)
endif()
"""

_SIZES = """\
#define OQS_KEM_{name}_length_public_key 4
#define OQS_KEM_{name}_length_secret_key 4
#define OQS_KEM_{name}_length_ciphertext 4
#define OQS_KEM_{name}_length_shared_secret 4
OQS_KEM *OQS_KEM_{name}_new(void);
OQS_STATUS OQS_KEM_{name}_keypair(uint8_t *pk, uint8_t *sk);
OQS_STATUS OQS_KEM_{name}_encaps(uint8_t *c, uint8_t *k, const uint8_t *pk);
OQS_STATUS OQS_KEM_{name}_decaps(uint8_t *k, const uint8_t *c, const uint8_t *sk);
"""
_WRAPPER = """\
#include <oqs/kem_toy.h>
#if defined(OQS_ENABLE_KEM_{name})
extern void toy(uint8_t *out);
OQS_KEM *OQS_KEM_{name}_new(void) {{ return 0; }}
OQS_STATUS OQS_KEM_{name}_keypair(uint8_t *pk, uint8_t *sk)
{{ toy(sk); OQS_randombytes(pk, 4); return OQS_SUCCESS; }}
OQS_STATUS OQS_KEM_{name}_encaps(uint8_t *c, uint8_t *k, const uint8_t *pk) {{ return OQS_ERROR; }}
OQS_STATUS OQS_KEM_{name}_decaps(uint8_t *k, const uint8_t *c, const uint8_t *sk)
{{ return OQS_ERROR; }}
#endif
"""
FILES = {
    "oqs.h": "#include <oqs/oqsconfig.h>\n#include <oqs/common.h>\n#include <oqs/rand.h>\n"
    "#include <oqs/kem.h>\n",
    "common/common.h": "#include <stddef.h>\n#include <stdint.h>\n"
    "typedef enum { OQS_ERROR = -1, OQS_SUCCESS = 0 } OQS_STATUS;\n"
    "void OQS_fill(uint8_t *, int);\n",
    "common/common.c": "#include <string.h>\n#include <oqs/common.h>\n"
    "void OQS_fill(uint8_t *out, int value) { memset(out, value, 4); }\n",
    "common/rand/rand.h": "void OQS_randombytes(uint8_t *, size_t);\n",
    "common/rand/rand.c": "#error not Assay's random bytes\n",
    "common/shims/fill.h": "#define fill OQS_fill\n",
    "kem/kem.h": "typedef struct OQS_KEM OQS_KEM;\n",
    "kem/toy/CMakeLists.txt": CMAKE,
    "kem/toy/kem_toy.h": "#include <oqs/oqs.h>\n" + _SIZES.format(name="toy_1")
    + _SIZES.format(name="toy_1_f"),
    "kem/toy/kem_toy_1.c": _WRAPPER.format(name="toy_1"),
    "kem/toy/kem_toy_1_f.c": _WRAPPER.format(name="toy_1_f"),
    "kem/toy/one_ref/toy.c": "#ifdef SUPERCOP\n#error this is liboqs\n#endif\n"
    '#include "toy.h"\nvoid toy(uint8_t *o) { OQS_fill(o, TOY_KEY); }\n',
    "kem/toy/one_ref/toy.h": "#include <oqs/common.h>\n",
    "kem/toy/one_ref/api.h": "int other_crypto_kem_keypair(unsigned char *, unsigned char *);\n",
    "kem/toy/one_sizes/sizes.h": "",
    "kem/toy/one_aarch64/toy.S": "",
}  # fmt: skip


def write_liboqs(folder: Path, files: dict[str, str] | None = None) -> Path:
    """Write the tree's `src`, with some files instead of its own, and return the tree."""
    for name, text in {**FILES, **(files or {})}.items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
