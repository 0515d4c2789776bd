# SPDX-License-Identifier: MIT
"""Functions around a context, `init`, `update` and `final`, as one function of an operation."""

import ctypes
import re
import subprocess
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay

import assay as assay_package
from assay.check.against.compare import cut
from assay.errors import UsageError
from assay.model.operations import OPERATIONS
from assay.package.wrapped.context import context_of
from assay.package.wrapped.signature import parse, read_signature
from assay.package.wrapped.source import WrappedCall
from assay.package.wrapped.write import assign

EVP = ("MD_CTX_new", "DigestInit_ex", "DigestUpdate", "DigestFinal_ex", "MD_CTX_free")


@pytest.mark.parametrize(
    ("meant", "name", "functions", "more"),
    [
        pytest.param(
            "crypto_hash/sha256",
            "crypto_hash_sha256",
            [f"sodium.h:crypto_hash_sha256_{one}" for one in ("init", "update", "final")],
            (),
            marks=pytest.mark.slow,
        ),
        (
            "crypto_onetimeauth/poly1305",
            "crypto_onetimeauth",
            [f"sodium.h:crypto_onetimeauth_{one}" for one in ("init", "update", "final")],
            (),
        ),
        pytest.param(
            "crypto_hash/sha512",
            "sha512",
            [f"nettle/sha2.h:sha512_{one}" for one in ("init", "update", "digest")],
            (),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "crypto_hash/sha256",
            "SHA256",
            [f"openssl/sha.h:SHA256_{one}" for one in ("Init", "Update", "Final")],
            (),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "crypto_hash/sha256",
            "EVP",
            [f"openssl/evp.h:EVP_{one}" for one in EVP],
            ("--roles", "", "--roles", "ctx,EVP_sha256(),NULL"),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_librarys_functions_are_judged_together(
    assay: Assay, meant: str, name: str, functions: list[str], more: tuple[str, ...]
) -> None:
    """Outputs are compared with checksums of an independent origin."""
    done = assay("wrap", *functions, *more, "--as", meant)
    assert done.code == 0, done.err
    place = f".:{meant.split('/')[1]}/{name}"
    assert f"Next: assay check {place}" in done.out
    done = assay("check", place)
    assert done.code == 0, done.out
    assert "pass checksum/small" in done.out


KINDS = {
    "BearSSL": (
        "void br_sha256_init(br_sha256_context *ctx)",
        "void br_sha256_update(br_sha256_context *ctx, const void *data, size_t len)",
        "void br_sha256_out(const br_sha256_context *ctx, void *out)",
    ),
    "Monocypher": (
        "void crypto_blake2b_init(crypto_blake2b_ctx *ctx, size_t hash_size)",
        "void crypto_blake2b_update(crypto_blake2b_ctx *ctx, const uint8_t *message, size_t size)",
        "void crypto_blake2b_final(crypto_blake2b_ctx *ctx, uint8_t *hash)",
    ),
    "LibTomCrypt": (
        "int sha256_init(hash_state * md)",
        "int sha256_process(hash_state * md, const unsigned char *in, unsigned long inlen)",
        "int sha256_done(hash_state * md, unsigned char *out)",
    ),
    "wolfSSL": (
        "int wc_InitSha256(wc_Sha256* sha)",
        "int wc_Sha256Update(wc_Sha256* sha, const byte* data, word32 len)",
        "int wc_Sha256Final(wc_Sha256* sha256, byte* hash)",
    ),
    "Nettle": (
        "void sha256_init(struct sha256_ctx *ctx)",
        "void sha256_update(struct sha256_ctx *ctx, size_t length, const uint8_t *data)",
        "void sha256_digest(struct sha256_ctx *ctx, size_t length, uint8_t *digest)",
    ),
    "libsodium": (
        "int generichash_init(state_t *state, const uint8_t *key, size_t keylen, size_t outlen)",
        "int generichash_update(state_t *state, const unsigned char *in, uint64_t inlen)",
        "int generichash_final(state_t *state, unsigned char *out, const size_t outlen)",
    ),
}
ROLES = {
    "BearSSL": ["ctx", "ctx in inlen", "ctx out"],
    "Monocypher": ["ctx CRYPTO_BYTES", "ctx in inlen", "ctx out"],
    "LibTomCrypt": ["ctx", "ctx in inlen", "ctx out"],
    "wolfSSL": ["ctx", "ctx in inlen", "ctx out"],
    "Nettle": ["ctx", "ctx inlen in", "ctx CRYPTO_BYTES out"],
    "libsodium": ["ctx NULL 0 CRYPTO_BYTES", "ctx in inlen", "ctx out CRYPTO_BYTES"],
}


TOY = """\
#include <stdint.h>
#include <stddef.h>
#include <string.h>
typedef struct { uint8_t held[8]; size_t count; uint32_t sum; } toy_t;
void toy_init(toy_t *t) { memset(t, 0, sizeof *t); t->sum = 2166136261u; }
static void block(toy_t *t)
{
    for (size_t i = 0; i < 8; ++i) t->sum = (t->sum ^ t->held[i]) * 16777619u;
}
void toy_update(toy_t *t, const uint8_t *in, size_t n)
{
    for (; n; --n) {
        t->held[t->count++] = *in++;
        if (t->count == 8) { block(t); t->count = KEPT; }
    }
}
void toy_final(toy_t *t, uint8_t *out)
{
    memset(t->held + t->count, 0, 8 - t->count);
    block(t);
    t->sum = (t->sum ^ t->count) * 16777619u;
    memcpy(out, &t->sum, 4);
}
"""
TOYS = ("void toy_init(toy_t *t)", "void toy_update(toy_t *t, const uint8_t *in, size_t n)",
        "void toy_final(toy_t *t, uint8_t *out)")  # fmt: skip
DEFECT = "n == 3 && t->count ? 1 : 0"  # a message that ends with three bytes of their own


@pytest.mark.parametrize(("kept", "verdict"), [("0", "pass"), (DEFECT, "FAIL")])
def test_a_message_in_pieces_is_compared_with_one_call(
    assay: Assay, kept: str, verdict: str
) -> None:
    """The smallest message is shown, and its pieces; no checksum is known that would tell."""
    Path("toy.h").write_text(
        "#include <stdint.h>\n#include <stddef.h>\n"
        "typedef struct { uint8_t held[8]; size_t count; uint32_t sum; } toy_t;\n"
        + "".join(f"{one};\n" for one in TOYS)
    )
    source = TOY.replace("KEPT", kept)
    head, _, rest = source.partition("typedef")
    Path("toy.c").write_text(f'{head}#include "toy.h"\n{rest.partition("toy_t;")[2]}')
    functions = [f"toy.h:toy_{one}" for one in ("init", "update", "final")]
    done = assay("wrap", *functions, "toy.c", "--as", "crypto_hash/toy", "--constant", "BYTES=4")
    assert done.code == 0, done.err
    assert 'pieces = "ASSAY_PIECES"' in Path("assay.toml").read_text()
    done = assay("check", ".", "--all")
    assert done.code == (3 if verdict == "pass" else 1), done.out
    assert f"{verdict} lengths/splits: " in done.out
    if verdict == "FAIL":
        assert re.search(r"\d+ bytes as [\d +]+ give another result than in one call", done.out)


def test_pieces_are_named_as_they_were_cut(tmp_path: Path) -> None:
    """The check has the arithmetic of the header that wrappers include."""
    (tmp_path / "cut.c").write_text(
        '#include <stdio.h>\n#include <string.h>\n#include "assay_pieces.h"\n'
        "int main(int argc, char **argv) { for (int i = 1; i < argc; ++i) {\n"
        "unsigned long long left = strlen(argv[i]);\n"
        "unsigned long state = assay_first((unsigned char *)argv[i], left);\n"
        "while (assay_more(state, left)) { unsigned long long n = assay_piece(&state, left);\n"
        'printf("%llu ", n); left -= n; } puts("");} return 0; }\n'
    )
    include = Path(assay_package.__file__).parent / "harness" / "supercop" / "include"
    line = ["gcc", f"-I{include}", "cut.c", "-o", "cut"]
    subprocess.run(line, cwd=tmp_path, check=True)
    texts = ["", *("ab" * count + "c" * (count % 3) for count in range(300)), "x" * 9000]
    done = subprocess.run([tmp_path / "cut", *texts], capture_output=True, text=True, check=True)
    printed = [tuple(map(int, one.split())) for one in done.stdout.splitlines()]
    assert printed == [cut(one.encode()) for one in texts]
    sizes = {piece for one in printed for piece in one}
    assert {0, 1, 63, 64, 65, 128} <= sizes
    assert all(sum(one) == len(text) for one, text in zip(printed, texts, strict=True))


def made(*prototypes: str, roles: tuple[str, ...] = (), operation: str = "hash") -> WrappedCall:
    """Assign roles to the parameters of functions around a context."""
    called = assign(tuple(map(parse, prototypes)), OPERATIONS[f"crypto_{operation}"], roles)
    assert len(called) == 1
    return called[0]


@pytest.mark.parametrize("library", KINDS)
def test_roles_are_told_by_names_and_by_the_order_of_calls(library: str) -> None:
    """What begins has no message, and what ends has the output."""
    steps = made(*KINDS[library]).steps
    assert [" ".join(one.roles) for one in steps] == ROLES[library]


def test_a_key_is_given_to_what_begins() -> None:
    """BearSSL's HMAC has its key apart; names need not be those of the operation."""
    called = made(
        "void mac_init(mac_state *s, const uint8_t *p, size_t n)",
        "void mac_absorb(mac_state *s, const uint8_t *p, size_t n)",
        "void mac_final(mac_state *s, uint8_t *p)",
        operation="auth",
    )
    assert [one.roles for one in called.steps] == [
        ("ctx", "k", "CRYPTO_KEYBYTES"),
        ("ctx", "in", "inlen"),
        ("ctx", "out"),
    ]
    assert called.name == "mac"


def test_what_is_unclear_is_asked_for_once_for_each_function() -> None:
    """The hash of mbedTLS asks which of two hashes it shall be."""
    prototypes = (
        "int mbedtls_sha256_starts(mbedtls_sha256_context *ctx, int is224)",
        "int mbedtls_sha256_update(mbedtls_sha256_context *ctx, const uint8_t *in, size_t n)",
        "int mbedtls_sha256_finish(mbedtls_sha256_context *ctx, unsigned char *output)",
    )
    with pytest.raises(UsageError, match="starts: it is unclear what int is224 is") as caught:
        made(*prototypes)
    assert '--roles "ctx,?" --roles "ctx,in,inlen" --roles "ctx,out"' in caught.value.cure
    assert made(*prototypes, roles=("ctx,0",)).steps[0].roles == ("ctx", "0")
    with pytest.raises(UsageError, match="mbedtls_sha256_update: nothing is given out"):
        made(*prototypes[:2], roles=("ctx,0",))


def test_one_function_alone_is_told_of_the_others() -> None:
    """The cure is to name them."""
    with pytest.raises(UsageError, match="unclear what hash_state \\*md is") as caught:
        made(KINDS["LibTomCrypt"][1])
    assert "If hash_state is a context, name the functions around it" in caught.value.cure


def test_functions_without_a_context_share_none() -> None:
    """Pointers to bytes, numbers and lengths are no contexts."""
    pair = ("int enc(uint8_t *c, const uint8_t *m, size_t n)", "int dec(uint8_t *m, size_t *n)")
    assert context_of(tuple(map(parse, pair))) == ""
    assert context_of((parse(KINDS["BearSSL"][0]),)) == ""


def test_what_functions_only_read_is_no_context(tmp_path: Path) -> None:
    """Of micro-ecc each has the curve, an address by a typedef, and is a function by itself."""
    (tmp_path / "ecc.h").write_text(
        "typedef const struct curve * Curve;\n"
        "int make_key(uint8_t *public_key, uint8_t *private_key, Curve curve);\n"
        "int shared(const uint8_t *public_key, const uint8_t *private_key, uint8_t *secret,\n"
        "           Curve curve);\n"
    )
    pair = tuple(read_signature(f"ecc.h:{one}", (tmp_path,)) for one in ("make_key", "shared"))
    assert context_of(pair) == ""
    called = assign(pair, OPERATIONS["crypto_dh"], ("pk,sk,p256()", "pk,sk,s,p256()"))
    assert [one.function.suffix for one in called] == ["_keypair", ""]


def test_a_stage_may_end_a_word() -> None:
    """Such as `ivsetup`, which has no message."""
    called = made(
        "void chacha_keysetup(chacha_ctx *x, const uint8_t *k)",
        "void chacha_ivsetup(chacha_ctx *x, const uint8_t *iv)",
        "void chacha_encrypt_bytes(chacha_ctx *x, const uint8_t *m, uint8_t *c, uint32_t bytes)",
        operation="stream",
    )
    assert called.roles == ("ctx", "k", "ctx", "n", "ctx", "m", "c", "mlen")


POINTED = """
#include <stddef.h>
#include <string.h>
typedef struct toy_state { unsigned char sum[32]; size_t at; } *toy_t;
static inline int toy_init(toy_t s) { memset(s, 0, sizeof *s); return 1; }
static inline int toy_update(toy_t s, const unsigned char *data, size_t len)
{
    while (len--) { unsigned i = s->at++ % 32; s->sum[i] = s->sum[i] * 5 + *data++ + 1; }
    return 1;
}
static inline int toy_final(unsigned char *digest, toy_t s) { memcpy(digest, s, 32); return 1; }
"""


def test_a_context_whose_type_is_a_pointer_by_a_typedef_has_what_it_points_to(
    assay: Assay, tmp_path: Path
) -> None:
    """As TinyCrypt's, whose functions return 1; a pointer that nobody has set would crash."""
    (tmp_path / "tinycrypt").mkdir()
    (tmp_path / "tinycrypt" / "toy.h").write_text(POINTED)
    functions = [f"tinycrypt/toy.h:toy_{one}" for one in ("init", "update", "final")]
    done = assay("wrap", *functions, "--as", "crypto_hash/toy", "--constant", "BYTES=32")
    assert done.code == 0, done.err
    assert "pass lengths/splits: the same for" in assay("check", ".:toy").out


HIDDEN = POINTED.replace("*toy_t;", "toy_state;").replace("toy_t s)", "void *cc)")
HIDDEN = HIDDEN.replace("toy_t s,", "void *cc,").replace("s->", "((toy_state *)cc)->")
HIDDEN = HIDDEN.replace("memset(s, 0, sizeof *s)", "memset(cc, 0, sizeof(toy_state))")
HIDDEN = HIDDEN.replace("memcpy(digest, s, 32)", "memcpy(digest, cc, 32)")


def test_the_type_of_a_context_that_is_void_is_stated(assay: Assay, tmp_path: Path) -> None:
    """As in sphlib, whose functions take `void *cc`."""
    (tmp_path / "toy.h").write_text(HIDDEN)
    functions = [f"toy.h:toy_{one}" for one in ("init", "update", "final")]
    words = ("wrap", *functions, "--as", "crypto_hash/toy", "--constant", "BYTES=32")
    assert assay(*words).code == 2
    stated = ("--success", "1", "--context", "toy_state")
    done = assay(*words, *stated)
    assert done.code == 0, done.err
    assert "pass lengths/splits: the same for" in assay("check", ".:toy").out
    refused = assay("wrap", "int f(size_t n)", "--as", "crypto_hash/toy", "--context", "toy_state")
    assert "a parameter `void *` that all functions have" in refused.err


SECRETS = "const unsigned char key[32], const unsigned char nonce[8]"
ADDING = {
    "in one call": [f"void xor_stream(unsigned char *buf, size_t len, {SECRETS})"],
    "around a context": [
        f"void start(struct toy *ctx, {SECRETS})",
        "void crypt_buffer(struct toy *ctx, unsigned char *buf, size_t len)",
    ],
}
KEYSTREAM = """
#include <stddef.h>
#include <string.h>
struct toy { unsigned char key[32], nonce[8]; };
static void add(unsigned char *buf, size_t len, const unsigned char *key, const unsigned char *n)
{
    for (size_t i = 0; i < len; ++i) buf[i] ^= key[i % 32] ^ n[i % 8];
}
void xor_stream(unsigned char *buf, size_t len, const unsigned char *key, const unsigned char *n)
{
    add(buf, len, key, n);
}
void start(struct toy *ctx, const unsigned char *key, const unsigned char *nonce)
{
    memcpy(ctx->key, key, 32);
    memcpy(ctx->nonce, nonce, 8);
}
void crypt_buffer(struct toy *ctx, unsigned char *buf, size_t len)
{
    add(buf, len, ctx->key, ctx->nonce);
}
"""


@pytest.mark.parametrize("way", ADDING)
def test_a_keystream_that_is_added_in_place_is_added_to_a_copy(
    assay: Assay, tmp_path: Path, way: str
) -> None:
    """As small libraries do; the output may lie over the message, the key and the nonce."""
    (tmp_path / "toy.c").write_text(KEYSTREAM)
    sizes = ("--constant", "KEYBYTES=32", "--constant", "NONCEBYTES=8", "--name", "toy")
    done = assay("wrap", *ADDING[way], "toy.c", "--as", "crypto_stream/toy", *sizes)
    assert done.code == 0, done.err
    assert "The message is copied to c first" in done.out
    include = Path(assay_package.__file__).parent / "harness" / "supercop" / "include"
    line = ("gcc", "-shared", "-fPIC", f"-I{include}", "-includetoy.c", "assay_toy.c", "-otoy.so")
    subprocess.run(line, cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "toy.so"))
    key, nonce, text = bytes(range(32)), b"\x55" * 8, bytes(range(100, 140))
    expected = bytes(one ^ key[at % 32] ^ 0x55 for at, one in enumerate(text))
    values = {"k": key, "n": nonce, "m": text, "elsewhere": b""}
    for over in values:
        at = {name: ctypes.create_string_buffer(value, 40) for name, value in values.items()}
        length = ctypes.c_ulonglong(len(text))
        library.wrapped_toy_xor(at[over], at["m"], length, at["n"], at["k"])
        assert at[over].raw == expected, over
    out = ctypes.create_string_buffer(40)
    library.wrapped_toy(out, ctypes.c_ulonglong(40), nonce, key)
    assert out.raw == bytes(key[at % 32] ^ 0x55 for at in range(40))
