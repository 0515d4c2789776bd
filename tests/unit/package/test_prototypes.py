# SPDX-License-Identifier: MIT
"""Prototypes as people write them, and what each argument is to an operation."""

from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.model.operations import OPERATIONS
from assay.package.wrapped.roles import guess
from assay.package.wrapped.signature import parse, read_signature
from assay.package.wrapped.write import assign, sized

# As the headers of OpenSSL, Monocypher, mbedTLS, LibTomCrypt and libsodium have them.
HEADERS = """
crypto_hash: unsigned char *SHA256(const unsigned char *d, size_t n, unsigned char *md);
in inlen out
crypto_hash: void crypto_blake2b(uint8_t *hash, size_t hash_size, const uint8_t *message, size_t n)
out CRYPTO_BYTES in inlen
crypto_hash: int mbedtls_sha512(const unsigned char *input, size_t ilen, char *output, int is384)
in inlen out ?
crypto_hash: int sha512_process(hash_state *md, const unsigned char *in, unsigned long inlen)
? in inlen
crypto_aead: int seal(struct state *ctx, char *c, size_t *clen, const char *m, size_t mlen, \
const char *ad, size_t adlen, const char *npub, const char *k)
? c clen m mlen ad adlen npub k
crypto_auth: int hmac(const uint8_t *key, size_t key_len, const char *input, size_t ilen, char *t)
k CRYPTO_KEYBYTES in inlen out
crypto_onetimeauth: void p(uint8_t mac[16], const char *message, size_t n, const uint8_t key[32])
out in inlen k
crypto_scalarmult: void x(uint8_t raw_shared_secret[32], const uint8_t your_secret_key[32], \
const uint8_t their_public_key[32])
q n p
crypto_aead: int e(char *c, size_t *clen_p, const char *m, size_t mlen, const char *ad, \
size_t adlen, const char *nsec, const char *npub, const char *k) __attribute__((nonnull(1, 8, 9)));
c clen m mlen ad adlen nsec npub k
crypto_aead: void lock(uint8_t *cipher_text, uint8_t mac[16], const uint8_t key[32], \
const uint8_t nonce[24], const uint8_t *ad, size_t ad_size, const uint8_t *plain_text, \
size_t text_size)
c c+mlen k npub ad adlen m mlen
crypto_aead: void seal(const uint8_t key[32], const uint8_t nonce[12], const uint8_t *header, \
size_t nheader, const uint8_t *plaintext, size_t nbytes, uint8_t *ciphertext, uint8_t tag[16])
k npub ad adlen m mlen c c+mlen
crypto_hash: int blake2b(void *out, size_t outlen, const void *in, size_t inlen, \
const void *key, size_t keylen)
out CRYPTO_BYTES in inlen NULL 0
crypto_hash: int hash_memory(int hash, const unsigned char *in, unsigned long inlen, \
unsigned char *out, unsigned long *outlen);
? in inlen out &(unsigned long){CRYPTO_BYTES}
crypto_stream: uint64_t chacha(uint8_t *out, size_t size, const uint8_t *key, \
const uint8_t *nonce, uint64_t ctr)
c clen k n ?
crypto_scalarmult: int donna(u8 *, const u8 *, const u8 *);
q n p
crypto_sign: int sign(uint8_t *sig, size_t *siglen, const uint8_t *m, size_t mlen, \
const uint8_t *ctx, size_t ctxlen, const uint8_t *sk)
sig &(size_t){CRYPTO_BYTES} m mlen NULL 0 sk
crypto_aead: int aegis128l_encrypt(uint8_t *c, size_t maclen, const uint8_t *m, size_t mlen, \
const uint8_t *ad, size_t adlen, const uint8_t *npub, const uint8_t *k)
c CRYPTO_ABYTES m mlen ad adlen npub k
crypto_aead: int seal(uint8_t *c, size_t outlen, const uint8_t *m, size_t mlen, \
const uint8_t *ad, size_t adlen, const uint8_t *npub, const uint8_t *k)
c ? m mlen ad adlen npub k
crypto_hash: void Hacl_Hash_SHA2_hash_256(uint8_t *output, uint8_t *input, uint32_t input_len)
out in inlen
crypto_hash: void sha256_update(SHA256_CTX *ctx, BYTE data[], size_t len)
? in inlen
crypto_aead: uint32_t Hacl_AEAD_encrypt(uint8_t *output, uint8_t *tag, uint8_t *input, \
uint32_t input_len, uint8_t *data, uint32_t data_len, uint8_t *key, uint8_t *nonce)
c c+mlen m mlen ad adlen k npub
crypto_stream: void chacha_ivsetup(chacha_ctx *x, const uint8_t *iv, const uint8_t *counter)
? n ?
crypto_stream: void keysetup(ctx *x, const uint8_t *k, uint32_t kbits, uint32_t ivbits)
? k 8*CRYPTO_KEYBYTES 8*CRYPTO_NONCEBYTES
crypto_stream: void eea(uint8_t *out, size_t nbits, const uint8_t *key, const uint8_t *nonce)
c ? k n
crypto_hash: int Hash(int hashbitlen, const unsigned char *data, uint64_t databitlen, \
unsigned char *hashval)
8*CRYPTO_BYTES in 8*inlen out
crypto_hash: void sha256(sha256_hash_t *dest, const void *msg, uint32_t length_b)
? in ?
crypto_hash: int DigestFinal(unsigned char *md, unsigned int *s)
out &(unsigned int){CRYPTO_BYTES}
crypto_stream: void chacha20_xor(struct chacha20_context *ctx, uint8_t *bytes, size_t n_bytes)
? c clen
"""
LINES = HEADERS.strip().splitlines()


@pytest.mark.parametrize(("given", "expected"), list(zip(LINES[::2], LINES[1::2], strict=True)))
def test_roles_are_guessed_from_names_and_types(given: str, expected: str) -> None:
    """What is not clear stays open, and is never guessed."""
    operation, _, text = given.partition(": ")
    api = OPERATIONS[operation]
    assert " ".join(guess(parse(text), api.functions[0], api)) == expected


@pytest.mark.parametrize(
    "text",
    ["sha256", "int sha256(", "int f(void (*g)(int), int n)", "int f(int m[2][2])", "int f(...)"],
)
def test_what_is_no_prototype_is_refused_with_an_example(text: str) -> None:
    """The message has the words that cannot be read."""
    with pytest.raises(UsageError, match="cannot be read") as refused:
        parse(text)
    assert "uint8_t *out" in refused.value.cure


def test_a_header_is_read_with_those_that_it_includes(tmp_path: Path) -> None:
    """Among macros, comments and attributes."""
    (tmp_path / "all.h").write_text('#include "inner.h"\n')
    (tmp_path / "inner.h").write_text(
        "#define F(x) int x(void)\n/* int hash(int wrong); */\nLIB_EXPORT\n"
        "extern int hash(unsigned char *out,\n  const unsigned char *in, size_t n)\n"
        "  __attribute__ ((nonnull(1)));\n"
    )
    found = read_signature("all.h:hash", (tmp_path,))
    assert (found.header, found.result) == ("all.h", "int")
    assert [one.name for one in found.arguments] == ["out", "in", "n"]
    with pytest.raises(UsageError, match="declares no function other"):
        read_signature("all.h:other", (tmp_path,))
    with pytest.raises(UsageError, match=r"no header none\.h"):
        read_signature("none.h:other", (tmp_path,))


def test_what_a_header_declares_in_other_ways_is_read_or_named(tmp_path: Path) -> None:
    """Arrays by a typedef, extern "C", macros, and functions as parameters."""
    (tmp_path / "types.h").write_text("typedef unsigned char digest_t[32];\n")
    (tmp_path / "all.h").write_text(
        '#include "types.h"\n#define twice(out) once(out)\n'
        'extern "C" bool hash(digest_t out, const uint8_t [], size_t) noexcept;\n'
        "int seal(char *out, void (*told)(int));\n"
    )
    found = read_signature("all.h:hash", (tmp_path,))
    assert list(map(str, found.arguments)) == [
        "unsigned char out[32]", "const uint8_t []", "size_t",
    ]  # fmt: skip
    for name, reason in (("twice", "is a macro"), ("seal", "cannot be read")):
        with pytest.raises(UsageError, match=reason) as refused:
            read_signature(f"all.h:{name}", (tmp_path,))
        assert "in a function of your own" in refused.value.cure


def test_a_tag_that_is_read_and_the_lengths_beside_it_are_guessed() -> None:
    """As Monocypher's: the ciphertext is as long as the text, and the operation's is longer."""
    api = OPERATIONS["crypto_aead"]
    text = (
        "int unlock(uint8_t *plain_text, const uint8_t mac[16], const uint8_t key[32], "
        "const uint8_t nonce[24], const uint8_t *ad, size_t ad_size, const uint8_t *cipher_text, "
        "size_t text_size)"
    )
    expected = "m c+clen-CRYPTO_ABYTES k npub ad adlen c clen-CRYPTO_ABYTES"
    assert " ".join(guess(parse(text), api.functions[1], api)) == expected


def test_what_is_read_is_told_by_names_where_no_const_says_it() -> None:
    """As HACL*'s C is; the data are what is left."""
    api = OPERATIONS["crypto_aead"]
    text = (
        "uint32_t Hacl_AEAD_decrypt(uint8_t *output, uint8_t *input, uint32_t input_len, "
        "uint8_t *data, uint32_t data_len, uint8_t *key, uint8_t *nonce, uint8_t *tag)"
    )
    expected = "m c clen-CRYPTO_ABYTES ad adlen k npub c+clen-CRYPTO_ABYTES"
    assert " ".join(guess(parse(text), api.functions[1], api)) == expected


def test_a_nonce_of_no_bytes_need_not_be_given() -> None:
    """As RC4 has none; where there is one, its absence is an error."""
    api = OPERATIONS["crypto_stream"]
    signature = parse(
        "void rc4_crypt(uint8_t *out, const uint8_t *in, size_t inlen, const uint8_t *key)"
    )
    (called,) = assign((signature,), sized(api, {"NONCEBYTES": "0"}), ())
    assert called.roles == ("c", "m", "mlen", "k")
    assert called.function.suffix == "_xor"
    with pytest.raises(UsageError, match="nothing is given n"):
        assign((signature,), sized(api, {"NONCEBYTES": "8"}), ())
