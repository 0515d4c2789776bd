# SPDX-License-Identifier: MIT
"""The one table of APIs: eSTREAM's four, two of hashes, and the operations of SUPERCOP.

Whoever asks "which API?" asks this table. A new API is an entry here, a loader rule in
`package/`, an adapter in `harness/adapters/`, and its section in docs/submit.md.
"""

from collections.abc import Iterable
from functools import cache

from assay.model import PackageKind
from assay.model.api import Api, Marks, Promise, Role, functions_of
from assay.model.operations import OPERATIONS
from assay.model.timed import BUFFER, TimingTable, sizes, timed

OPERATIONS_HEADER = "api.h"

_ECRYPT = {
    "ctx": "state sizeof *ctx",
    "key": "key keysize/8",
    "keysize": "size",
    "ivsize": "size",
    "macsize": "size",
    "iv": "nonce ivsize/8",
    "action": "action",
    "input": "message msglen",
    "output": "message msglen",
    "plaintext": "message msglen",
    "ciphertext": "message msglen",
    "msglen": "length",
    "keystream": "keystream length",
    "length": "length",
    "aad": "data aadlen",
    "aadlen": "length",
    "mac": "mac macsize/8",
    "previous": "previous ECRYPT_SYNCLENGTH",
}
_SIZES = ("ECRYPT_KEYSIZE", "ECRYPT_MAXKEYSIZE", "ECRYPT_IVSIZE", "ECRYPT_MAXIVSIZE")
_MACS = ("ECRYPT_MACSIZE", "ECRYPT_MAXMACSIZE")


PACKET_BYTES, AGILITY_BYTES = (40, 576, 1500), 256
LONG_STREAM = "stream/long"


def _cipher(prefix: str, encrypt: str, ivsetup: str = "x v", final: str = "") -> TimingTable:
    """Return the measures of the eSTREAM framework; `prefix` is that of the functions."""
    set_up, end = f"{prefix}_ivsetup({ivsetup})", f" {final}" if final else ""
    variables = "x=sizeof*ctx k=keysize/8 v=ivsize/8 p=ECRYPT_SYNCLENGTH m,c=# t=macsize/8"
    return TimingTable(
        sizes(variables),
        (
            timed(f"{LONG_STREAM}: {encrypt}", BUFFER, whole=True),
            timed(f"packet: {set_up} {encrypt}{end}", *PACKET_BYTES, loop=1),
            timed(f"setup/key: {prefix}_keysetup(x k)", loop=2),
            timed(f"setup/iv: {set_up}{end}", loop=3),
            timed(f"agility: {encrypt}", AGILITY_BYTES, whole=True, loop=4),
        ),
        decides=LONG_STREAM,
    )


_ECRYPT_WORDS = ("-DECRYPT_API={api}.h", "-DECRYPT_VARIANT={variant}", "-Ipackage", "-Iapi")


def _ecrypt(name: str, guard: str, **row: object) -> Api:
    return Api(
        name,
        kind=PackageKind.STREAM,
        prefix="ECRYPT",
        marks=Marks(headers=(f"{name}.h",), guard=guard),
        answers=("verified.test-vectors",),
        package_words=_ECRYPT_WORDS,
        adapter_words=_ECRYPT_WORDS,
        parts=("adapters", "packet"),
        sees=("api", "packet", "adapters", "subject"),
        promises=frozenset({Promise.COPIES, Promise.MODES}),
        **row,  # type: ignore[arg-type]
    )


SYNC = _ecrypt(
    "ecrypt-sync",
    "ECRYPT_SYNC",
    constants=(*_SIZES, "ECRYPT_BLOCKLENGTH"),
    timing=_cipher("", "_process_bytes(x m c #m)"),
    phases="ECRYPT_init (ECRYPT_keysetup (ECRYPT_ivsetup (ECRYPT_process_blocks* "
    "ECRYPT_process_bytes | ECRYPT_keystream_blocks* ECRYPT_keystream_bytes) | "
    "ECRYPT_process_packet)*)*",
    functions=functions_of(
        "ECRYPT",
        _ECRYPT,
        """
        void ECRYPT_init(void);

        /* Takes the key; keysize and ivsize are in bits. */
        void ECRYPT_keysetup(ECRYPT_ctx* ctx, const u8* key, u32 keysize, u32 ivsize);

        /* Begins a message: any number of times for one key. */
        void ECRYPT_ivsetup(ECRYPT_ctx* ctx, const u8* iv);

        /* action: 0 encrypts, 1 decrypts; whole blocks, or the rest that ends a message. */
        void ECRYPT_process_bytes(
            int action, ECRYPT_ctx* ctx, const u8* input, u8* output, u32 msglen);

        void ECRYPT_keystream_bytes(ECRYPT_ctx* ctx, u8* keystream, u32 length);
        """,
    ),
)

SYNC_AE = _ecrypt(
    "ecrypt-sync-ae",
    "ECRYPT_SYNC_AE",
    constants=(*_SIZES, *_MACS, "ECRYPT_BLOCKLENGTH"),
    timing=_cipher("_AE", "_AE_process_bytes(x m c #m)", final="_AE_finalize(x t)"),
    phases="ECRYPT_init (ECRYPT_AE_keysetup (ECRYPT_AE_ivsetup ECRYPT_AE_authenticate_blocks* "
    "ECRYPT_AE_authenticate_bytes* ECRYPT_AE_process_blocks* ECRYPT_AE_process_bytes "
    "ECRYPT_AE_finalize | ECRYPT_AE_process_packet)*)*",
    functions=functions_of(
        "ECRYPT",
        _ECRYPT,
        """
        void ECRYPT_init(void);

        /* Takes the key; all sizes are in bits. */
        void ECRYPT_AE_keysetup(
            ECRYPT_AE_ctx* ctx, const u8* key, u32 keysize, u32 ivsize, u32 macsize);

        /* Begins a message: any number of times for one key. */
        void ECRYPT_AE_ivsetup(ECRYPT_AE_ctx* ctx, const u8* iv);

        /* action: 0 encrypts, 1 decrypts; whole blocks, or the rest that ends a message. */
        void ECRYPT_AE_process_bytes(
            int action, ECRYPT_AE_ctx* ctx, const u8* input, u8* output, u32 msglen);

        /* Ends a message: writes the MAC, the same after encryption as after decryption. */
        void ECRYPT_AE_finalize(ECRYPT_AE_ctx* ctx, u8* mac);
        """,
    ),
    optional=functions_of(
        "ECRYPT",
        _ECRYPT,
        """
        void ECRYPT_AE_authenticate_bytes(ECRYPT_AE_ctx* ctx, const u8* aad, u32 aadlen);
        """,
    ),
)

SSYN = _ecrypt(
    "ecrypt-ssyn",
    "ECRYPT_SSYN",
    constants=(*_SIZES, "ECRYPT_SYNCLENGTH"),
    timing=_cipher("", "_encrypt_bytes(x p m c #m)", "x p v"),
    phases="ECRYPT_init (ECRYPT_keysetup (ECRYPT_ivsetup (ECRYPT_encrypt_blocks* "
    "ECRYPT_encrypt_bytes | ECRYPT_decrypt_blocks* ECRYPT_decrypt_bytes) | "
    "ECRYPT_encrypt_packet | ECRYPT_decrypt_packet)*)*",
    functions=functions_of(
        "ECRYPT",
        _ECRYPT,
        """
        void ECRYPT_init(void);

        /* Takes the key; keysize and ivsize are in bits. */
        void ECRYPT_keysetup(ECRYPT_ctx* ctx, const u8* key, u32 keysize, u32 ivsize);

        /* Begins a message; may write the ECRYPT_SYNCLENGTH bytes at previous. */
        void ECRYPT_ivsetup(ECRYPT_ctx* ctx, u8* previous, const u8* iv);

        /* previous: the last ECRYPT_SYNCLENGTH bytes of ciphertext before this call. */
        void ECRYPT_encrypt_bytes(
            ECRYPT_ctx* ctx, const u8* previous, const u8* plaintext, u8* ciphertext, u32 msglen);

        void ECRYPT_decrypt_bytes(
            ECRYPT_ctx* ctx, const u8* previous, const u8* ciphertext, u8* plaintext, u32 msglen);
        """,
    ),
)

SSYN_AE = _ecrypt(
    "ecrypt-ssyn-ae",
    "ECRYPT_SSYN_AE",
    constants=(*_SIZES, *_MACS, "ECRYPT_SYNCLENGTH"),
    timing=_cipher("_AE", "_AE_encrypt_bytes(x p m c #m)", "x p v", final="_AE_finalize(x t)"),
    phases="ECRYPT_init (ECRYPT_AE_keysetup (ECRYPT_AE_ivsetup ECRYPT_AE_authenticate_blocks* "
    "ECRYPT_AE_authenticate_bytes* (ECRYPT_AE_encrypt_blocks* ECRYPT_AE_encrypt_bytes | "
    "ECRYPT_AE_decrypt_blocks* ECRYPT_AE_decrypt_bytes) ECRYPT_AE_finalize | "
    "ECRYPT_AE_encrypt_packet | ECRYPT_AE_decrypt_packet)*)*",
    functions=functions_of(
        "ECRYPT",
        _ECRYPT,
        """
        void ECRYPT_init(void);

        /* Takes the key; all sizes are in bits. */
        void ECRYPT_AE_keysetup(
            ECRYPT_AE_ctx* ctx, const u8* key, u32 keysize, u32 ivsize, u32 macsize);

        /* Begins a message; may write the ECRYPT_SYNCLENGTH bytes at previous. */
        void ECRYPT_AE_ivsetup(ECRYPT_AE_ctx* ctx, u8* previous, const u8* iv);

        /* previous: the last ECRYPT_SYNCLENGTH bytes of ciphertext before this call. */
        void ECRYPT_AE_encrypt_bytes(
            ECRYPT_AE_ctx* ctx, const u8* previous, const u8* plaintext, u8* ciphertext,
            u32 msglen);

        void ECRYPT_AE_decrypt_bytes(
            ECRYPT_AE_ctx* ctx, const u8* previous, const u8* ciphertext, u8* plaintext,
            u32 msglen);

        /* Ends a message: writes the MAC, the same after encryption as after decryption. */
        void ECRYPT_AE_finalize(ECRYPT_AE_ctx* ctx, u8* mac);
        """,
    ),
    optional=functions_of(
        "ECRYPT",
        _ECRYPT,
        """
        void ECRYPT_AE_authenticate_bytes(
            ECRYPT_AE_ctx* ctx, u8* previous, const u8* aad, u32 aadlen);
        """,
    ),
)

LONG_MESSAGE, SHORT_MESSAGE = "long", "short"
LONG_BYTES, SHORT_BYTES = 8192, 32


def _hash(init: str, update: str, close: str) -> TimingTable:
    """Return the measures of the Shabal paper (section 2)."""
    whole = f"{init}(x) {update}(x m #m) {close}(x h)"
    return TimingTable(
        sizes("x=sizeof*cc m=# h=out_size/8"),
        (
            timed(f"{LONG_MESSAGE}: {update}(x m #m)", LONG_BYTES),
            timed(f"{SHORT_MESSAGE}: {whole}", SHORT_BYTES, loop=1),
        ),
        decides=LONG_MESSAGE,
    )


_HEADER = '-DASSAY_HEADER="{header}"'

COMPACT = Api(
    "compact-hash",
    kind=PackageKind.HASH,
    prefix="xxx",
    constants=("xxx_SIZES",),
    timing=_hash("_init", "", "_close"),
    phases="xxx_init xxx* xxx_close",
    functions=functions_of(
        "xxx",
        {
            "cc": "state sizeof *cc",
            "out_size": "size",
            "data": "message len",
            "len": "length",
            "ub": "bits",
            "n": "length",
            "dst": "digest out_size/8",
        },
        """
        /* Begins a message, whatever *cc held. */
        void xxx_init(xxx_context *cc, unsigned out_size);

        /* Takes len further bytes, any number of times; data may be null if len is 0. */
        void xxx(xxx_context *cc, const void *data, size_t len);

        /* Takes the last n bits, 0 to 7, which are the upper ones of the byte ub, and writes
           out_size / 8 bytes to dst. */
        void xxx_close(xxx_context *cc, unsigned ub, unsigned n, void *dst);
        """,
    ),
    marks=Marks(
        declares=(r"\bxxx_context\b", r"\bxxx_init\s*\("), called="the header of a compact hash"
    ),
    answers=("verified.vectors",),
    adapter_words=("-DASSAY_HASH={stem}", _HEADER, "-Ipackage"),
    parts=("adapters",),
    sees=("adapters", "subject"),
    promises=frozenset(Promise),
)

SHA3_NIST = Api(
    "sha3-nist",
    kind=PackageKind.HASH,
    constants=("SUCCESS", "FAIL", "BAD_HASHBITLEN"),
    timing=_hash("Init", "Update", "Final"),
    phases="Init Update* Final | Hash",
    functions=functions_of(
        "",
        {
            "state": "state sizeof *state",
            "hashbitlen": "size",
            "data": "message (databitlen+7)/8",
            "databitlen": "length",
            "hashval": "digest hashbitlen/8",
        },
        """
        /* Begins a message, whatever *state held; BAD_HASHBITLEN for a size that there is not. */
        HashReturn Init(hashState *state, int hashbitlen);

        /* Takes databitlen further bits. Only in the last call of a message need they not be whole
           bytes; the bits of the last byte are its upper ones. */
        HashReturn Update(hashState *state, const BitSequence *data, DataLength databitlen);

        /* Ends the message and writes hashbitlen / 8 bytes to hashval. */
        HashReturn Final(hashState *state, BitSequence *hashval);

        /* Does all of it: Init, Update and Final. */
        HashReturn Hash(
            int hashbitlen, const BitSequence *data, DataLength databitlen, BitSequence *hashval);
        """,
    ),
    sizes=(224, 256, 384, 512),
    marks=Marks(
        headers=("SHA3api_ref.h",),
        declares=(r"\bhashState\b", r"\bInit\s*\(", r"\bUpdate\s*\(", r"\bFinal\s*\("),
        unless=(OPERATIONS_HEADER,),
    ),
    answers=("verified.vectors", "ShortMsgKAT_*.txt", "KAT*/ShortMsgKAT_*.txt"),
    adapter_words=(_HEADER, "-Ipackage"),
    parts=("adapters",),
    sees=("adapters", "subject"),
)

_ALL = (SYNC, SYNC_AE, SSYN, SSYN_AE, COMPACT, SHA3_NIST)

APIS = {one.name: one for one in (*_ALL, *OPERATIONS.values())}
"""Every API by its name; those of operations are called like the operation."""

PACKAGED = {one.name: one for one in _ALL}
"""The APIs whose packages are recognised by a header, in the order in which they are tried.

Agents may name others: whoever takes a name from them has an answer for any.
"""

STREAMS = {one.name: one for one in _ALL if one.kind == PackageKind.STREAM}
STREAM_HEADERS = tuple(name for one in STREAMS.values() for name in one.marks.headers)
STREAM_GUARDS = tuple(one.marks.guard for one in STREAMS.values())


def listed(apis: Iterable[Api]) -> str:
    """Name the headers of APIs in a sentence: `a.h, b.h or c.h`."""
    return _joined([one.marks.called or one.marks.headers[0] for one in apis])


def all_listed() -> str:
    """Name the headers of all APIs, with that of the operations."""
    names = [one.marks.called or one.marks.headers[0] for one in _ALL]
    return _joined([*names, OPERATIONS_HEADER])


def _joined(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def is_self_synchronising(api: str) -> bool:
    """Return whether functions of the API are given the ciphertext before a call.

    The name may be one that an agent says, so any text will do.
    """
    return api in PACKAGED and Role.PREVIOUS in PACKAGED[api].roles


@cache
def authenticates(api: str) -> bool:
    """Return whether the API has a MAC."""
    return api in PACKAGED and Role.MAC in PACKAGED[api].roles


def promises(api: str, promise: Promise) -> bool:
    """Return whether the rules of an API promise something; those of operations do not."""
    return api in PACKAGED and promise in PACKAGED[api].promises
