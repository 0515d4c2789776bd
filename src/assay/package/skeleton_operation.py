# SPDX-License-Identifier: MIT
"""The files of an operation's package to fill in: api.h and one source, from the one table."""

from assay.model.operations import Operation, OperationFunction

# What stands in prototypes, in their order: eBACS's names.
PARAMETERS = {
    "crypto_verify": "x y",
    "crypto_decode": "item s",
    "crypto_encode": "s item",
    "crypto_sort": "array n",
    "crypto_core": "out in k c",
    "crypto_hashblocks": "state in inlen",
    "crypto_xof": "out outlen in inlen",
    "crypto_hash": "out in inlen",
    "crypto_stream": "c clen n k",
    "crypto_stream_xor": "c m mlen n k",
    "crypto_onetimeauth": "out in inlen k",
    "crypto_onetimeauth_verify": "h in inlen k",
    "crypto_auth": "out in inlen k",
    "crypto_auth_verify": "h in inlen k",
    "crypto_secretbox": "c m mlen n k",
    "crypto_secretbox_open": "m c clen n k",
    "crypto_aead_encrypt": "c clen m mlen ad adlen nsec npub k",
    "crypto_aead_decrypt": "m mlen nsec c clen ad adlen npub k",
    "crypto_rng": "output next_key key",
    "crypto_scalarmult": "q n p",
    "crypto_scalarmult_base": "q n",
    "crypto_box": "c m mlen n pk sk",
    "crypto_box_open": "m c clen n pk sk",
    "crypto_box_keypair": "pk sk",
    "crypto_box_beforenm": "k pk sk",
    "crypto_box_afternm": "c m mlen n k",
    "crypto_box_open_afternm": "m c clen n k",
    "crypto_dh": "s pk sk",
    "crypto_dh_keypair": "pk sk",
    "crypto_sign": "sm smlen m mlen sk",
    "crypto_sign_open": "m mlen sm smlen pk",
    "crypto_sign_keypair": "pk sk",
    "crypto_kem_keypair": "pk sk",
    "crypto_kem_enc": "c k pk",
    "crypto_kem_dec": "k c sk",
    "crypto_encrypt": "c clen m mlen pk",
    "crypto_encrypt_open": "m mlen c clen sk",
    "crypto_encrypt_keypair": "pk sk",
}

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


def operation_files(operation: Operation) -> dict[str, str]:
    """Return api.h and the source."""
    left_out = SELDOM | OF_OPTIONAL.get(operation.name, set())
    sizes = CONSTANTS.get(operation.name, {})
    constants = [
        f"#define CRYPTO_{name} {sizes.get(name, USUAL)}"
        for name in operation.constants
        if name not in left_out
    ]
    functions = "\n".join(_function(operation.name, one) for one in operation.functions)
    includes = f'#include "{operation.name}.h"\n'
    if operation.randomised:
        includes += '#include "randombytes.h"\n'
    source = f"{includes}\n/* [edit] All functions below. {_RULE[_returns(operation)]} */\n\n"
    return {
        "api.h": "\n".join(["/* [edit] The sizes of the primitive. */", *constants, ""]),
        f"{operation.short}.c": source + functions,
    }


_RULE = {True: "They return 0, or -1 for what is refused.", False: "They return nothing."}


def _returns(operation: Operation) -> bool:
    return any(one.result != "void" for one in operation.functions)


def _function(operation: str, function: OperationFunction) -> str:
    """Write the definition of a function that does nothing."""
    name = f"{operation}{function.suffix}"
    named = zip(function.parameters, PARAMETERS[name].split(), strict=True)
    parameters = ",\n    ".join(f"{_spaced(one.type)}{called}" for one, called in named)
    body = "" if function.result == "void" else "    return -1;\n"
    return f"{function.result} {name}(\n    {parameters})\n{{\n{body}}}\n"


def _spaced(text: str) -> str:
    return text if text.endswith("*") else f"{text} "
