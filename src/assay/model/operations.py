# SPDX-License-Identifier: MIT
"""The 20 operations of SUPERCOP: their functions, parameters and constants.

From the prototypes and macros of SUPERCOP 20260330, in the form of every API
(`assay.model.api`). The functions are those that every implementation of the operation has;
all names are without `crypto_<operation>`.
"""

from assay.model.api import Api, CallTable, Function, Parameter, Role, Way

_TYPES = {
    "o": (Way.OUT, "unsigned char *"),
    "i": (Way.IN, "const unsigned char *"),
    "b": (Way.BOTH, "unsigned char *"),
    "n": (Way.LENGTH, "unsigned long long"),
    "r": (Way.LENGTH_OUT, "unsigned long long *"),
    "O": (Way.OUT, "void *"),
    "I": (Way.IN, "const void *"),
    "B": (Way.BOTH, "void *"),
    "N": (Way.LENGTH, "long long"),
}

_ROLES = {
    "k": Role.KEY, "key": Role.KEY, "sk": Role.KEY, "nsec": Role.KEY, "next_key": Role.KEY,
    "n": Role.NONCE, "npub": Role.NONCE, "pk": Role.PUBLIC_KEY,
    "m": Role.MESSAGE, "in": Role.MESSAGE, "array": Role.MESSAGE, "ad": Role.DATA,
    "c": Role.CIPHERTEXT, "sm": Role.CIPHERTEXT, "h": Role.MAC,
}  # fmt: skip


def _functions(*lines: str, result: str = "int") -> tuple[Function, ...]:
    """Read `suffix(letter name, ...)`; names are those of SUPERCOP."""
    return tuple(_function(line, result) for line in lines)


def _function(line: str, result: str) -> Function:
    suffix, _, inside = line.rstrip(")").partition("(")
    words = (one.split() for one in inside.split(", "))
    parameters = (
        Parameter(*_TYPES[letter], name, _ROLES.get(name, Role.OTHER)) for letter, name in words
    )
    return Function(suffix, result, tuple(parameters))


def _operation(short: str, functions: tuple[Function, ...], constants: str, **more: object) -> Api:
    name = f"crypto_{short}"
    return Api(name, functions, tuple(constants.split()), prefix=name, **more)  # type: ignore[arg-type]


_ITEMS = "STRBYTES ITEMBYTES ITEMS"
_AUTH = _functions("(o out, i in, n inlen, i k)", "_verify(i h, i in, n inlen, i k)")
_KEYS = "PUBLICKEYBYTES SECRETKEYBYTES"

_ALL = (
    _operation("verify", _functions("(i x, i y)"), "BYTES"),
    _operation("decode", _functions("(O item, i s)", result="void"), _ITEMS),
    _operation("encode", _functions("(o s, I item)", result="void"), _ITEMS),
    _operation("sort", _functions("(B array, N n)", result="void"), "BYTES"),
    _operation(
        "core", _functions("(o out, i in, i k, i c)"), "OUTPUTBYTES INPUTBYTES KEYBYTES CONSTBYTES"
    ),
    _operation("hashblocks", _functions("(b state, i in, n inlen)"), "STATEBYTES BLOCKBYTES"),
    _operation("xof", _functions("(o out, N outlen, i in, N inlen)"), "NOOVERLAP"),
    _operation(
        "hash",
        _functions("(o out, i in, n inlen)"),
        "BYTES",
        table=CallTable("lwc_crypto_hash.h", "lwc_hash_ctx", ("hash",)),
        answers=("*HASH*KAT*.txt", "*XOF*KAT*.txt", "ShortMsgKAT*.txt", "LongMsgKAT*.txt"),
    ),
    _operation(
        "stream",
        _functions("(o c, n clen, i n, i k)", "_xor(o c, i m, n mlen, i n, i k)"),
        "KEYBYTES NONCEBYTES BEFORENMBYTES",
        optional=_functions(
            "_beforenm(o s, i k)",
            "_afternm(o c, n clen, i n, i s)",
            "_xor_afternm(o c, i m, n mlen, i n, i s)",
        ),
        public="nc",
    ),
    _operation("onetimeauth", _AUTH, "BYTES KEYBYTES"),
    _operation(
        "auth",
        _AUTH,
        "BYTES KEYBYTES",
        answers=("*_MAC_KAT*.txt", "*_PRF_KAT*.txt", "*_PRFS_KAT*.txt"),
    ),
    _operation(
        "secretbox",
        _functions("(o c, i m, n mlen, i n, i k)", "_open(o m, i c, n clen, i n, i k)"),
        "KEYBYTES NONCEBYTES ZEROBYTES BOXZEROBYTES",
        public="nc",
    ),
    _operation(
        "aead",
        _functions(
            "_encrypt(o c, r clen, i m, n mlen, i ad, n adlen, i nsec, i npub, i k)",
            "_decrypt(o m, r mlen, o nsec, i c, n clen, i ad, n adlen, i npub, i k)",
        ),
        "KEYBYTES NSECBYTES NPUBBYTES ABYTES NOOVERLAP",
        public="c",
        table=CallTable("lwc_crypto_aead.h", "lwc_aead_cipher", ("encrypt", "decrypt")),
        answers=("*AEAD*KAT*.txt",),
    ),
    _operation("rng", _functions("(o output, o next_key, i key)"), "KEYBYTES OUTPUTBYTES"),
    _operation(
        "scalarmult", _functions("(o q, i n, i p)", "_base(o q, i n)"), "BYTES SCALARBYTES"
    ),
    _operation(
        "box",
        _functions(
            "(o c, i m, n mlen, i n, i pk, i sk)",
            "_open(o m, i c, n clen, i n, i pk, i sk)",
            "_keypair(o pk, o sk)",
            "_beforenm(o k, i pk, i sk)",
            "_afternm(o c, i m, n mlen, i n, i k)",
            "_open_afternm(o m, i c, n clen, i n, i k)",
        ),
        f"{_KEYS} BEFORENMBYTES NONCEBYTES ZEROBYTES BOXZEROBYTES",
        randomised=True,
        public="yzncd",
    ),
    _operation(
        "dh",
        _functions("(o s, i pk, i sk)", "_keypair(o pk, o sk)"),
        f"BYTES {_KEYS}",
        randomised=True,
        public="cd",
    ),
    _operation(
        "sign",
        _functions(
            "(o sm, r smlen, i m, n mlen, i sk)",
            "_open(o m, r mlen, i sm, n smlen, i pk)",
            "_keypair(o pk, o sk)",
        ),
        f"BYTES {_KEYS} DETERMINISTIC",
        randomised=True,
        public="pc",
        answers=("*signKAT*.rsp",),
    ),
    _operation(
        "kem",
        _functions("_keypair(o pk, o sk)", "_enc(o c, o k, i pk)", "_dec(o k, i c, i sk)"),
        f"{_KEYS} BYTES CIPHERTEXTBYTES",
        randomised=True,
        public="pc",
        answers=("*kemKAT*.rsp",),
    ),
    _operation(
        "encrypt",
        _functions(
            "(o c, r clen, i m, n mlen, i pk)",
            "_open(o m, r mlen, i c, n clen, i sk)",
            "_keypair(o pk, o sk)",
        ),
        f"BYTES {_KEYS}",
        randomised=True,
        public="pc",
        answers=("*encryptKAT*.rsp",),
    ),
)

OPERATIONS = {operation.name: operation for operation in _ALL}

COMBINED = {"crypto_aead_hash": ("crypto_aead", "crypto_hash")}
"""Folders of implementations that are of several operations, as NIST's lightweight call has it."""

FOLDERS = (*OPERATIONS, *COMBINED)
"""By these names a folder is known to hold implementations of operations."""
