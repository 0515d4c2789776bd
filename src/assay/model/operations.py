# SPDX-License-Identifier: MIT
"""The operations: their functions, parameters and constants, and what is timed.

The 20 of SUPERCOP are from the prototypes and macros of SUPERCOP 20260330, and `cxof` is from
the designers' package of Ascon-CXOF128, all in the form of every API (`assay.model.api`). The
functions are those that every implementation of the operation has; all names are without
`crypto_<operation>`.
"""

from assay.model.api import Api, CallTable, Function, Parameter, Role, Way
from assay.model.timed import TimingTable, sizes, timed

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
    "coins": Role.KEY, "sig": Role.CIPHERTEXT, "ctx": Role.DATA, "mac": Role.MAC,
    "k": Role.KEY, "key": Role.KEY, "sk": Role.KEY, "nsec": Role.KEY, "next_key": Role.KEY,
    "n": Role.NONCE, "npub": Role.NONCE, "pk": Role.PUBLIC_KEY,
    "m": Role.MESSAGE, "in": Role.MESSAGE, "array": Role.MESSAGE,
    "ad": Role.DATA, "cs": Role.DATA,
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


def _operation(
    short: str,
    functions: tuple[Function, ...],
    constants: str,
    timing: TimingTable,
    **more: object,
) -> Api:
    name, words = f"crypto_{short}", tuple(constants.split())
    return Api(name, functions, words, prefix=name, timing=timing, **more)  # type: ignore[arg-type]


def _timing(variables: str, *lines: str, zeros: str = "", **more: object) -> TimingTable:
    """Return what is timed, under the keys that SUPERCOP's database lines have."""
    rows = tuple(map(timed, lines))
    settings = {"lengths": (*TABLE_BYTES, *LONG_BYTES), "scored": SCORED_BYTES, "decides": SCORE}
    return TimingTable(sizes(variables), rows, sizes(zeros), **settings | more)  # type: ignore[arg-type]


SCORE = "score/-"
SCORED_BYTES, SCORED_ITEMS = 1536, 768  # what SUPERCOP compares implementations by
TABLE_BYTES = (8, 64, 576, 1536, 4096)  # the columns of eBACS
LONG_BYTES = (16384, 24576, 32768)  # for the line that "long" is the slope of
SIGNED_BYTES = (59,)  # what eBATS shows of signatures and encryption
XOF_BYTES = 32  # of the length that does not grow, as SUPERCOP has it
UNSCORED = frozenset(("keypair_cycles", "beforenm_cycles"))  # SUPERCOP does them beforehand


def scores(key: str) -> bool:
    """Return whether a measure is a part of the score by which implementations compete."""
    return key.endswith("cycles") and key not in UNSCORED and not key.startswith("forgery")


_ITEMS = "STRBYTES ITEMBYTES ITEMS"
_AUTH = _functions("(o out, i in, n inlen, i k)", "_verify(i h, i in, n inlen, i k)")
_AUTHENTICATED = _timing(
    "h=BYTES m=# k=KEYBYTES", "cycles: (h m #m k)", "verify_cycles: _verify(h m #m k)"
)
_KEYS = "PUBLICKEYBYTES SECRETKEYBYTES"
_LONGER = "p=PUBLICKEYBYTES s=SECRETKEYBYTES m=# c,t=#+BYTES"

_ALL = (
    _operation(
        "verify", _functions("(i x, i y)"), "BYTES", _timing("x,y=BYTES", "cycles: (x y) = -1")
    ),
    _operation(
        "decode",
        _functions("(O item, i s)", result="void"),
        _ITEMS,
        _timing("x=ITEMS*ITEMBYTES y=STRBYTES", "cycles: (x y) = ?"),
    ),
    _operation(
        "encode",
        _functions("(o s, I item)", result="void"),
        _ITEMS,
        _timing("x=ITEMS*ITEMBYTES y=STRBYTES", "cycles: (y x) = ?"),
    ),
    _operation(
        "sort",
        _functions("(B array, N n)", result="void"),
        "BYTES",
        _timing("x=#*BYTES", "cycles: (x #) = ?", scored=SCORED_ITEMS),
    ),
    _operation(
        "core",
        _functions("(o out, i in, i k, i c)"),
        "OUTPUTBYTES INPUTBYTES KEYBYTES CONSTBYTES",
        _timing("h=OUTPUTBYTES n=INPUTBYTES k=KEYBYTES c=CONSTBYTES", "cycles: (h n k c)"),
    ),
    _operation(
        "hashblocks",
        _functions("(b state, i in, n inlen)"),
        "STATEBYTES BLOCKBYTES",
        _timing(
            "h=STATEBYTES m=#",
            "cycles: (h m #m) = #%BLOCKBYTES",
            lengths=tuple(one for one in (*TABLE_BYTES, *LONG_BYTES) if one % 128 == 0),
        ),
    ),
    _operation(
        "xof",
        _functions("(o out, N outlen, i in, N inlen)"),
        "NOOVERLAP",
        _timing("h=## m=#", "cycles: (h #h m #m) = ?", second=XOF_BYTES),
    ),
    _operation(
        "hash",
        _functions("(o out, i in, n inlen)"),
        "BYTES",
        _timing("h=BYTES m=#", "cycles: (h m #m)"),
        related=_functions(
            "_init(B state)", "_update(B state, i m, n mlen)", "_final(B state, o h)"
        ),
        table=CallTable("lwc_crypto_hash.h", "lwc_hash_ctx", ("hash",)),
        answers=("*HASH*KAT*.txt", "*XOF*KAT*.txt", "ShortMsgKAT*.txt", "LongMsgKAT*.txt"),
    ),
    _operation(
        "cxof",
        _functions("(o out, n outlen, i in, n inlen, i cs, n cslen)"),
        "BYTES NOOVERLAP",
        # SP 800-232 allows no customisation of more than 256 bytes.
        _timing("h=BYTES m=# z=16", "cycles: (h #h m #m z #z)"),
        answers=("*CXOF*KAT*.txt",),
    ),
    _operation(
        "stream",
        _functions("(o c, n clen, i n, i k)", "_xor(o c, i m, n mlen, i n, i k)"),
        "KEYBYTES NONCEBYTES BEFORENMBYTES",
        _timing(
            "k=KEYBYTES n=NONCEBYTES m,c,s=#",
            "cycles: (s #s n k)",
            "xor_cycles: _xor(c m #m n k)",
        ),
        optional=_functions(
            "_beforenm(o s, i k)",
            "_afternm(o c, n clen, i n, i s)",
            "_xor_afternm(o c, i m, n mlen, i n, i s)",
        ),
        related=_functions("_xor_ic(o c, i m, n mlen, i n, n ic, i k)"),
        public="nc",
    ),
    _operation("onetimeauth", _AUTH, "BYTES KEYBYTES", _AUTHENTICATED),
    _operation(
        "auth",
        _AUTH,
        "BYTES KEYBYTES",
        _AUTHENTICATED,
        answers=("*_MAC_KAT*.txt", "*_PRF_KAT*.txt", "*_PRFS_KAT*.txt"),
    ),
    _operation(
        "secretbox",
        _functions("(o c, i m, n mlen, i n, i k)", "_open(o m, i c, n clen, i n, i k)"),
        "KEYBYTES NONCEBYTES ZEROBYTES BOXZEROBYTES",
        _timing(
            "k=KEYBYTES n=NONCEBYTES m,c,t=#+ZEROBYTES",
            "cycles: (c m #m n k)",
            "open_cycles: _open(t c #c n k)",
            "forgery_open_cycles: _open(t c~ #c n k) = -1",
            zeros="m=ZEROBYTES",
        ),
        public="nc",
    ),
    _operation(
        "aead",
        _functions(
            "_encrypt(o c, r clen, i m, n mlen, i ad, n adlen, i nsec, i npub, i k)",
            "_decrypt(o m, r mlen, o nsec, i c, n clen, i ad, n adlen, i npub, i k)",
        ),
        "KEYBYTES NSECBYTES NPUBBYTES ABYTES NOOVERLAP",
        _timing(
            "k=KEYBYTES p=NPUBBYTES s,r=NSECBYTES a=## m=# c,t=#+ABYTES",
            "encrypt_cycles: _encrypt(c & m #m a #a s p k)",
            "decrypt_cycles: _decrypt(t & r c @c a #a p k)",
            "forgery_decrypt_cycles: _decrypt(t & r c~ @c a #a p k) = ?",
        ),
        related=_functions(
            "_encrypt_detached(o c, o mac, r maclen, i m, n mlen, i ad, n adlen, i nsec, i npub, "
            "i k)",
            "_decrypt_detached(o m, o nsec, i c, n clen, i mac, i ad, n adlen, i npub, i k)",
        ),
        public="c",
        table=CallTable("lwc_crypto_aead.h", "lwc_aead_cipher", ("encrypt", "decrypt")),
        answers=("*AEAD*KAT*.txt",),
    ),
    _operation(
        "rng",
        _functions("(o output, o next_key, i key)"),
        "KEYBYTES OUTPUTBYTES",
        _timing("r=OUTPUTBYTES n,k=KEYBYTES", "cycles: (r n k)"),
    ),
    _operation(
        "scalarmult",
        _functions("(o q, i n, i p)", "_base(o q, i n)"),
        "BYTES SCALARBYTES",
        _timing(
            "a,b=SCALARBYTES c,d,e=BYTES",
            "base_cycles: _base(c a)",
            "_base(d b)",
            "cycles: (e a d)",
        ),
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
        _timing(
            "a,b=SECRETKEYBYTES y,z=PUBLICKEYBYTES e,f=BEFORENMBYTES n=NONCEBYTES "
            "m,c,d,t=#+ZEROBYTES",
            "keypair_cycles: _keypair(y a)",
            "_keypair(z b)",
            "beforenm_cycles: _beforenm(e z a)",
            "_beforenm(f y b)",
            "cycles: (c m #m n z a)",
            "open_cycles: _open(t c #c n y b)",
            "forgery_open_cycles: _open(t c~ #c n y b) = -1",
            "afternm_cycles: _afternm(d m #m n e)",
            "open_afternm_cycles: _open_afternm(t d #d n f)",
            "forgery_open_afternm_cycles: _open_afternm(t d~ #d n f) = -1",
            zeros="m=ZEROBYTES",
        ),
        randomised=True,
        public="yzncd",
    ),
    _operation(
        "dh",
        _functions("(o s, i pk, i sk)", "_keypair(o pk, o sk)"),
        f"BYTES {_KEYS}",
        _timing(
            "a,b=SECRETKEYBYTES c,d=PUBLICKEYBYTES e=BYTES",
            "keypair_cycles: _keypair(c a)",
            "_keypair(d b)",
            "cycles: (e d a)",
        ),
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
        _timing(
            _LONGER,
            "keypair_cycles: _keypair(p s)",
            "cycles: (c & m #m s)",
            "open_cycles: _open(t & c @c p)",
            lengths=SIGNED_BYTES,
        ),
        related=_functions(
            "_signature(o sig, r siglen, i m, n mlen, i sk)",
            "_verify(i sig, n siglen, i m, n mlen, i pk)",
            "_signature_ctx(o sig, r siglen, i m, n mlen, i ctx, n ctxlen, i sk)",
            "_verify_ctx(i sig, n siglen, i m, n mlen, i ctx, n ctxlen, i pk)",
            "_ctx(o sm, r smlen, i m, n mlen, i ctx, n ctxlen, i sk)",
            "_open_ctx(o m, r mlen, i sm, n smlen, i ctx, n ctxlen, i pk)",
        ),
        randomised=True,
        public="pc",
        answers=("*signKAT*.rsp",),
    ),
    _operation(
        "kem",
        _functions("_keypair(o pk, o sk)", "_enc(o c, o k, i pk)", "_dec(o k, i c, i sk)"),
        f"{_KEYS} BYTES CIPHERTEXTBYTES",
        _timing(
            "p=PUBLICKEYBYTES s=SECRETKEYBYTES k=BYTES c=CIPHERTEXTBYTES t=BYTES",
            "keypair_cycles: _keypair(p s)",
            "enc_cycles: _enc(c k p)",
            "dec_cycles: _dec(t c s)",
        ),
        related=_functions(
            "_keypair_derand(o pk, o sk, i coins)", "_enc_derand(o c, o k, i pk, i coins)"
        ),
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
        _timing(
            _LONGER,
            "keypair_cycles: _keypair(p s)",
            "cycles: (c & m #m p)",
            "open_cycles: _open(t & c @c s)",
            lengths=SIGNED_BYTES,
        ),
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
