# SPDX-License-Identifier: MIT
"""The operations, each described once: functions, constants, what is timed, tested and reported.

The 20 of SUPERCOP are from the prototypes and macros of SUPERCOP 20260330, and `cxof` is from
the designers' package of Ascon-CXOF128, all in the form of `assay.model.operation`. The
functions are those that every implementation of the operation has; all names are without
`crypto_<operation>`.
"""

from assay.model.api import CallTable
from assay.model.operation import (
    LONG_BYTES,
    SCORED_ITEMS,
    TABLE_BYTES,
    Op,
    SealPair,
    functions,
    operation,
    timing_table,
)
from assay.model.tested import supercop

SIGNED_BYTES = (59,)  # what eBATS shows of signatures and encryption
XOF_BYTES = 32  # of the length that does not grow, as SUPERCOP has it
CUSTOM_BYTES = 256  # of a customisation, at most (SP 800-232)
SORTED_ITEMS = (16, 64, 256, 1024, 4096)

_ITEMS = "STRBYTES ITEMBYTES ITEMS"
_AUTH = (
    functions("(o out, i in, n inlen, i k)", "_verify(i h, i in, n inlen, i k)"),
    "BYTES KEYBYTES",
    timing_table(
        "h=BYTES m=# k=KEYBYTES", "cycles: (h m #m k)", "verify_cycles: _verify(h m #m k)"
    ),
    supercop("h m k", "(); _verify() forged=h", loops=4096),
)
_VERIFY = (SealPair("", "_verify"),)
_TAGS = "cycles: authenticate; verify_cycles: verify"
_SEAL = "cycles: encrypt; open_cycles: open; forgery_open_cycles: refuse a forgery"
_KEYS = "PUBLICKEYBYTES SECRETKEYBYTES"
_LONGER = "p=PUBLICKEYBYTES s=SECRETKEYBYTES m=# c,t=#+BYTES"

_ALL = (
    operation(
        Op.VERIFY,
        functions("(i x, i y)"),
        "BYTES",
        timing_table("x,y=BYTES", "cycles: (x y) = -1"),
        seals=(SealPair(None, ""),),
        reports="cycles: one call",
    ),
    operation(
        Op.DECODE,
        functions("(O item, i s)", result="void"),
        _ITEMS,
        timing_table("x=ITEMS*ITEMBYTES y=STRBYTES", "cycles: (x y) = ?"),
        tests=supercop(
            "x=STRBYTES y=ITEMS*ITEMBYTES",
            "(y x) apart",
            loops=1024,
            growth=4,
            items="y=ITEMBYTES",
            inputs_first=True,
        ),
        reports="cycles: one call",
        usual="STRBYTES=2 ITEMBYTES=2 ITEMS=1",
    ),
    operation(
        Op.ENCODE,
        functions("(o s, I item)", result="void"),
        _ITEMS,
        timing_table("x=ITEMS*ITEMBYTES y=STRBYTES", "cycles: (y x) = ?"),
        tests=supercop(
            "x y", "() apart", loops=1024, growth=4, items="x=ITEMBYTES", inputs_first=True
        ),
        reports="cycles: one call",
        usual="STRBYTES=2 ITEMBYTES=2 ITEMS=1",
    ),
    operation(
        Op.SORT,
        functions("(B array, N n)", result="void"),
        "BYTES",
        timing_table("x=#*BYTES", "cycles: (x #) = ?", scored=SCORED_ITEMS),
        tests=supercop("y=#*BYTES", "(y y) apart again", loops=1024, growth=4, items="y=BYTES"),
        reports="cycles/item: sort",
        shown=SORTED_ITEMS,
        usual="BYTES=4",
    ),
    operation(
        Op.CORE,
        functions("(o out, i in, i k, i c)"),
        "OUTPUTBYTES INPUTBYTES KEYBYTES CONSTBYTES",
        timing_table("h=OUTPUTBYTES n=INPUTBYTES k=KEYBYTES c=CONSTBYTES", "cycles: (h n k c)"),
        tests=supercop("h n k c", "()", loops=512),
        reports="cycles: one call",
        usual="OUTPUTBYTES=64 INPUTBYTES=16 CONSTBYTES=16",
    ),
    operation(
        Op.HASHBLOCKS,
        functions("(b state, i in, n inlen)"),
        "STATEBYTES BLOCKBYTES",
        timing_table(
            "h=STATEBYTES m=#",
            "cycles: (h m #m) = #%BLOCKBYTES",
            lengths=tuple(one for one in (*TABLE_BYTES, *LONG_BYTES) if one % 128 == 0),
        ),
        tests=supercop("h m", "() apart", loops=4096, returned="BLOCKBYTES"),
        reports="cycles: hash blocks",
        usual="BLOCKBYTES=64",
    ),
    operation(
        Op.XOF,
        functions("(o out, N outlen, i in, N inlen)"),
        "NOOVERLAP",
        timing_table("h=## m=#", "cycles: (h #h m #m) = ?", second=XOF_BYTES),
        tests=supercop("h m", "()", loops=64, longest=(128, 16384)),
        reports="cycles: hash",
        other="output",
    ),
    operation(
        Op.HASH,
        functions("(o out, i in, n inlen)"),
        "BYTES",
        timing_table("h=BYTES m=#", "cycles: (h m #m)"),
        related=functions(
            "_init(B state)", "_update(B state, i m, n mlen)", "_final(B state, o h)"
        ),
        table=CallTable("lwc_crypto_hash.h", "lwc_hash_ctx", ("hash",)),
        answers=("*HASH*KAT*.txt", "*XOF*KAT*.txt", "ShortMsgKAT*.txt", "LongMsgKAT*.txt"),
        tests=supercop("h m", "()", loops=64),
        reports="cycles: hash",
    ),
    operation(
        Op.CXOF,
        functions("(o out, n outlen, i in, n inlen, i cs, n cslen)"),
        "BYTES NOOVERLAP",
        timing_table("h=BYTES m=# z=16", "cycles: (h #h m #m z #z)"),
        answers=("*CXOF*KAT*.txt",),
        tests=supercop("h=## m z=###", "()", loops=64, longest=(128, CUSTOM_BYTES)),
        reports="cycles: hash",
    ),
    operation(
        Op.STREAM,
        functions("(o c, n clen, i n, i k)", "_xor(o c, i m, n mlen, i n, i k)"),
        "KEYBYTES NONCEBYTES BEFORENMBYTES",
        timing_table(
            "k=KEYBYTES n=NONCEBYTES m,c,s=#", "cycles: (s #s n k)", "xor_cycles: _xor(c m #m n k)"
        ),
        optional=functions(
            "_beforenm(o s, i k)",
            "_afternm(o c, n clen, i n, i s)",
            "_xor_afternm(o c, i m, n mlen, i n, i s)",
        ),
        related=functions("_xor_ic(o c, i m, n mlen, i n, n ic, i k)"),
        public="nc",
        tests=supercop("k n m c s", "() apart; _xor() xor=s,m,c", loops=512),
        reports="xor_cycles: encrypt; cycles: keystream",
        usual="NONCEBYTES=8",
    ),
    operation(Op.ONETIMEAUTH, *_AUTH, clamped="k", seals=_VERIFY, reports=_TAGS, usual="BYTES=16"),
    operation(
        Op.AUTH,
        *_AUTH,
        seals=_VERIFY,
        reports=_TAGS,
        answers=("*_MAC_KAT*.txt", "*_PRF_KAT*.txt", "*_PRFS_KAT*.txt"),
    ),
    operation(
        Op.SECRETBOX,
        functions("(o c, i m, n mlen, i n, i k)", "_open(o m, i c, n clen, i n, i k)"),
        "KEYBYTES NONCEBYTES ZEROBYTES BOXZEROBYTES",
        timing_table(
            "k=KEYBYTES n=NONCEBYTES m,c,t=#+ZEROBYTES",
            "cycles: (c m #m n k)",
            "open_cycles: _open(t c #c n k)",
            "forgery_open_cycles: _open(t c~ #c n k) = -1",
            zeros="m=ZEROBYTES",
        ),
        public="nc",
        seals=(SealPair("", "_open"),),
        tests=supercop(
            "k n m=# c=# t=#",
            "() cleared=c; _open() round-trip=t,m",
            loops=4096,
            shortest="ZEROBYTES",
        ),
        reports=_SEAL,
        usual="NONCEBYTES=24 BOXZEROBYTES=16",
    ),
    operation(
        Op.AEAD,
        functions(
            "_encrypt(o c, r clen, i m, n mlen, i ad, n adlen, i nsec, i npub, i k)",
            "_decrypt(o m, r mlen, o nsec, i c, n clen, i ad, n adlen, i npub, i k)",
        ),
        "KEYBYTES NSECBYTES NPUBBYTES ABYTES NOOVERLAP",
        timing_table(
            "k=KEYBYTES p=NPUBBYTES s,r=NSECBYTES a=## m=# c,t=#+ABYTES",
            "encrypt_cycles: _encrypt(c & m #m a #a s p k)",
            "decrypt_cycles: _decrypt(t & r c @c a #a p k)",
            "forgery_decrypt_cycles: _decrypt(t & r c~ @c a #a p k) = ?",
        ),
        related=functions(
            "_encrypt_detached(o c, o mac, r maclen, i m, n mlen, i ad, n adlen, i nsec, i npub, "
            "i k)",
            "_decrypt_detached(o m, o nsec, i c, n clen, i mac, i ad, n adlen, i npub, i k)",
        ),
        public="c",
        table=CallTable("lwc_crypto_aead.h", "lwc_aead_cipher", ("encrypt", "decrypt")),
        answers=("*AEAD*KAT*.txt",),
        seals=(SealPair("_encrypt", "_decrypt"),),
        tests=supercop(
            "k s p a m c t r",
            "_encrypt(); _decrypt() round-trip=t,m round-trip=r,s forged=c",
            loops=64,
        ),
        reports="encrypt_cycles: encrypt; decrypt_cycles: decrypt; "
        "forgery_decrypt_cycles: refuse a forgery",
        other="associated data",
        usual="NSECBYTES=0 NPUBBYTES=16 ABYTES=16",
    ),
    operation(
        Op.RNG,
        functions("(o output, o next_key, i key)"),
        "KEYBYTES OUTPUTBYTES",
        timing_table("r=OUTPUTBYTES n,k=KEYBYTES", "cycles: (r n k)"),
        tests=supercop("k r n", "()", loops=64),
        reports="cycles: one call",
        usual="OUTPUTBYTES=736",
    ),
    operation(
        Op.SCALARMULT,
        functions("(o q, i n, i p)", "_base(o q, i n)"),
        "BYTES SCALARBYTES",
        timing_table(
            "a,b=SCALARBYTES c,d,e=BYTES",
            "base_cycles: _base(c a)",
            "_base(d b)",
            "cycles: (e a d)",
        ),
        clamped="abd",
        tests=supercop(
            "a b c d e f=BYTES", "_base(); _base(); (); (f b c) commutative=f,e", loops=64
        ),
        reports="cycles: shared secret; base_cycles: base",
    ),
    operation(
        Op.BOX,
        functions(
            "(o c, i m, n mlen, i n, i pk, i sk)",
            "_open(o m, i c, n clen, i n, i pk, i sk)",
            "_keypair(o pk, o sk)",
            "_beforenm(o k, i pk, i sk)",
            "_afternm(o c, i m, n mlen, i n, i k)",
            "_open_afternm(o m, i c, n clen, i n, i k)",
        ),
        f"{_KEYS} BEFORENMBYTES NONCEBYTES ZEROBYTES BOXZEROBYTES",
        timing_table(
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
        public="yzncd",
        drawing=("_keypair",),
        seals=(SealPair("", "_open"), SealPair("_afternm", "_open_afternm")),
        tests=supercop(
            "a b y z e f n m=# c=# d=# t=#",
            "_keypair(); _keypair(); () cleared=c; _open() round-trip=t,m; _beforenm(); "
            "_beforenm(); _afternm() consistent=d,c; _open_afternm() round-trip=t,m",
            loops=512,
            shortest="ZEROBYTES",
        ),
        reports="cycles/call: encrypt; open_cycles/call: open; "
        "forgery_open_cycles/call: refuse a forgery; keypair_cycles: key pair; "
        "beforenm_cycles: before messages; afternm_cycles: encrypt, after beforenm; "
        "open_afternm_cycles: open, after beforenm; "
        "forgery_open_afternm_cycles: refuse a forgery, after beforenm",
        usual="NONCEBYTES=24 BOXZEROBYTES=16",
    ),
    operation(
        Op.DH,
        functions("(o s, i pk, i sk)", "_keypair(o pk, o sk)"),
        f"BYTES {_KEYS}",
        timing_table(
            "a,b=SECRETKEYBYTES c,d=PUBLICKEYBYTES e=BYTES",
            "keypair_cycles: _keypair(c a)",
            "_keypair(d b)",
            "cycles: (e d a)",
        ),
        clamped="abcd",
        public="cd",
        drawing=("_keypair",),
        tests=supercop(
            "a b c d e f=BYTES", "_keypair(); _keypair(); (); (f c b) commutative=f,e", loops=64
        ),
        reports="cycles: shared secret; keypair_cycles: key pair",
        sent=("PUBLICKEYBYTES",),
    ),
    operation(
        Op.SIGN,
        functions(
            "(o sm, r smlen, i m, n mlen, i sk)",
            "_open(o m, r mlen, i sm, n smlen, i pk)",
            "_keypair(o pk, o sk)",
        ),
        f"BYTES {_KEYS} DETERMINISTIC",
        timing_table(
            _LONGER,
            "keypair_cycles: _keypair(p s)",
            "cycles: (c & m #m s)",
            "open_cycles: _open(t & c @c p)",
            lengths=SIGNED_BYTES,
        ),
        related=functions(
            "_signature(o sig, r siglen, i m, n mlen, i sk)",
            "_verify(i sig, n siglen, i m, n mlen, i pk)",
            "_signature_ctx(o sig, r siglen, i m, n mlen, i ctx, n ctxlen, i sk)",
            "_verify_ctx(i sig, n siglen, i m, n mlen, i ctx, n ctxlen, i pk)",
            "_ctx(o sm, r smlen, i m, n mlen, i ctx, n ctxlen, i sk)",
            "_open_ctx(o m, r mlen, i sm, n smlen, i ctx, n ctxlen, i pk)",
        ),
        public="pc",
        answers=("*signKAT*.rsp",),
        drawing=("_keypair", ""),
        seals=(SealPair("", "_open"),),
        tests=supercop("p s m c t", "_keypair(); (); _open() round-trip=t,m forged=c", loops=8),
        reports="cycles/call: sign; open_cycles/call: open; keypair_cycles: key pair",
        shown=SIGNED_BYTES,
        usual="BYTES=64 SECRETKEYBYTES=64",
        sent=("PUBLICKEYBYTES", "BYTES"),
    ),
    operation(
        Op.KEM,
        functions("_keypair(o pk, o sk)", "_enc(o c, o k, i pk)", "_dec(o k, i c, i sk)"),
        f"{_KEYS} BYTES CIPHERTEXTBYTES",
        timing_table(
            "p=PUBLICKEYBYTES s=SECRETKEYBYTES k=BYTES c=CIPHERTEXTBYTES t=BYTES",
            "keypair_cycles: _keypair(p s)",
            "enc_cycles: _enc(c k p)",
            "dec_cycles: _dec(t c s)",
        ),
        related=functions(
            "_keypair_derand(o pk, o sk, i coins)", "_enc_derand(o c, o k, i pk, i coins)"
        ),
        public="pc",
        answers=("*kemKAT*.rsp",),
        drawing=("_keypair", "_enc"),
        tests=supercop(
            "p s k c t",
            "_keypair(); _enc(); _dec() round-trip=t,k forged=c",
            loops=8,
            undamaged_in="20190811",
        ),
        reports="enc_cycles: encapsulate; dec_cycles: decapsulate; keypair_cycles: key pair",
        sent=("PUBLICKEYBYTES", "CIPHERTEXTBYTES"),
    ),
    operation(
        Op.ENCRYPT,
        functions(
            "(o c, r clen, i m, n mlen, i pk)",
            "_open(o m, r mlen, i c, n clen, i sk)",
            "_keypair(o pk, o sk)",
        ),
        f"BYTES {_KEYS}",
        timing_table(
            _LONGER,
            "keypair_cycles: _keypair(p s)",
            "cycles: (c & m #m p)",
            "open_cycles: _open(t & c @c s)",
            lengths=SIGNED_BYTES,
        ),
        public="pc",
        answers=("*encryptKAT*.rsp",),
        drawing=("_keypair", ""),
        seals=(SealPair("", "_open"),),
        tests=supercop("p s m c t", "_keypair(); (); _open() round-trip=t,m", loops=8),
        reports="cycles/call: encrypt; open_cycles/call: open; keypair_cycles: key pair",
        shown=SIGNED_BYTES,
        usual="BYTES=48",
        sent=("PUBLICKEYBYTES", "BYTES"),
    ),
)

OPERATIONS = {one.name: one for one in _ALL}

COMBINED = {"crypto_aead_hash": (Op.AEAD, Op.HASH)}
"""Folders of implementations that are of several operations, as NIST's lightweight call has it."""

FOLDERS = (*OPERATIONS, *COMBINED)
"""By these names a folder is known to hold implementations of operations."""
