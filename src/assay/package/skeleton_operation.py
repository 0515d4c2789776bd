# SPDX-License-Identifier: MIT
"""The files of an operation's package to fill in: api.h and one source, from the one table."""

from assay.model.api import Api
from assay.package.prototypes import definition

USUAL = 32
CONSTANTS = {
    "crypto_decode": {"STRBYTES": 2, "ITEMBYTES": 2, "ITEMS": 1},
    "crypto_encode": {"STRBYTES": 2, "ITEMBYTES": 2, "ITEMS": 1},
    "crypto_sort": {"BYTES": 4},
    "crypto_core": {"OUTPUTBYTES": 64, "INPUTBYTES": 16, "CONSTBYTES": 16},
    "crypto_hashblocks": {"BLOCKBYTES": 64},
    "crypto_stream": {"NONCEBYTES": 8},
    "crypto_onetimeauth": {"BYTES": 16},
    "crypto_secretbox": {"NONCEBYTES": 24, "BOXZEROBYTES": 16},
    "crypto_aead": {"NSECBYTES": 0, "NPUBBYTES": 16, "ABYTES": 16},
    "crypto_rng": {"OUTPUTBYTES": 736},
    "crypto_box": {"NONCEBYTES": 24, "BOXZEROBYTES": 16},
    "crypto_sign": {"BYTES": 64, "SECRETKEYBYTES": 64},
    "crypto_encrypt": {"BYTES": 48},
}
SELDOM = {"NOOVERLAP", "DETERMINISTIC"}  # 1 or absent
OF_OPTIONAL = {"crypto_stream": {"BEFORENMBYTES"}}  # of functions that need not exist


def operation_files(operation: Api) -> dict[str, str]:
    """Return api.h and the source."""
    left_out = SELDOM | OF_OPTIONAL.get(operation.name, set())
    sizes = CONSTANTS.get(operation.name, {})
    constants = [
        f"#define CRYPTO_{name} {sizes.get(name, USUAL)}"
        for name in operation.constants
        if name not in left_out
    ]
    functions = "\n".join(definition(operation, one) for one in operation.functions)
    includes = f'#include "{operation.name}.h"\n'
    if operation.randomised:
        includes += '#include "randombytes.h"\n'
    source = f"{includes}\n/* [edit] All functions below. {_RULE[_returns(operation)]} */\n\n"
    return {
        "api.h": "\n".join(["/* [edit] The sizes of the primitive. */", *constants, ""]),
        f"{operation.short}.c": source + functions,
    }


_RULE = {True: "They return 0, or -1 to reject an input.", False: "They return nothing."}


def _returns(operation: Api) -> bool:
    return any(one.result != "void" for one in operation.functions)
