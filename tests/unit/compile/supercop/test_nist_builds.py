# SPDX-License-Identifier: MIT
"""Builds of submissions to NIST: random bytes, seed expanders, generators of their own."""

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from tests.unit.compile.supercop.conftest import (
    API,
    OUTPUT,
    OWN,
    RANDOM,
    Built,
    Hashed,
    Speaking,
    Write,
)

from assay.check.operation.script import Script
from assay.model import BuildStage

_ECB = modes.ECB()  # noqa: S305 - one block is what the expander is made of


KEM_API = """\
#define CRYPTO_SECRETKEYBYTES 4
#define CRYPTO_PUBLICKEYBYTES 4
#define CRYPTO_BYTES 4
#define CRYPTO_CIPHERTEXTBYTES 4
#define CRYPTO_ALGNAME "Toy"
"""


KEM = """\
#include "api.h"
#include "rng.h"
int crypto_kem_keypair(unsigned char *pk, unsigned char *sk)
{
    AES_XOF_struct expander;
    unsigned char seed[32] = {0};
    if (seedexpander_init(&expander, seed, seed, 64) != RNG_SUCCESS) return 1;
    if (seedexpander(&expander, sk, 4) != RNG_SUCCESS) return 2;
    return randombytes(pk, 4);
}
int crypto_kem_enc(unsigned char *ct, unsigned char *ss, const unsigned char *pk)
{
    return 0;
}
int crypto_kem_dec(unsigned char *ss, const unsigned char *ct, const unsigned char *sk)
{
    return 0;
}
"""


NIST_GENERATOR = {
    "rng.h": "int randombytes(unsigned char *x, unsigned long long n);\n"
    "int seedexpander(unsigned char *x);\n",
    "rng.c": '#include "rng.h"\n'
    "int randombytes(unsigned char *x, unsigned long long n)"
    " { while (n--) *x++ = 9; return 0; }\n"
    "int seedexpander(unsigned char *x) { return randombytes(x, 4); }\n",
}


OWN_EXPANDER = """\
#include "api.h"
#include "rng.h"
int crypto_kem_keypair(unsigned char *pk, unsigned char *sk)
{
    randombytes(pk, 4);
    return seedexpander(sk);
}
int crypto_kem_enc(unsigned char *ct, unsigned char *ss, const unsigned char *pk) { return 0; }
int crypto_kem_dec(unsigned char *ss, const unsigned char *ct, const unsigned char *sk)
{
    return 0;
}
"""


def test_a_package_for_nist_has_random_bytes_and_a_seed_expander(
    write: Write, built: Built, speaking: Speaking
) -> None:
    """Its functions have plain names, and rng.h is the harness's."""
    write("crypto_kem/toy/ref", {"api.h": KEM_API, "kem.c": KEM})
    with speaking(built("crypto_kem/toy/ref")) as session:
        keys = [session.agent.buffer("key", 4, modulus=1, number=n) for n in (1, 2)]
        script = Script()
        script.seed()
        script.call(session.number("_keypair"), keys)
        for key in keys:
            script.read(key, 4)
        answer = session.run(script)
    block = bytes(8) + (64).to_bytes(4, "big") + bytes(4)
    expanded = Cipher(algorithms.AES256(bytes(32)), _ECB).encryptor().update(block)
    assert answer == bytes(8) + RANDOM + expanded[:4]
    assert session.subject.constants[0][0] == "PUBLICKEYBYTES"


def test_nists_generator_is_renamed_where_the_package_uses_more_of_it(
    write: Write, built: Built, speaking: Speaking
) -> None:
    """The package's expander draws from its own file, the key from the harness."""
    write("crypto_kem/toy/ref", {"api.h": KEM_API, "kem.c": OWN_EXPANDER, **NIST_GENERATOR})
    with speaking(built("crypto_kem/toy/ref")) as session:
        keys = [session.agent.buffer("key", 4, modulus=1, number=n) for n in (1, 2)]
        script = Script()
        script.seed()
        script.call(session.number("_keypair"), keys)
        for key in keys:
            script.read(key, 4)
        answer = session.run(script)
    assert answer == bytes(8) + RANDOM + b"\x09\x09\x09\x09"


def test_nist_headers_of_random_bytes_promise_a_result(write: Write, built: Built) -> None:
    """Packages for NIST test what randombytes returns; those for SUPERCOP cannot."""
    plain = f"{OUTPUT}{{ return randombytes(out, 4) != 0; }}\n"
    write(OWN, {"api.h": API, "hash.c": f'#include "randombytes.h"\n{plain}'})
    assert built(OWN).stage is BuildStage.DONE


def test_a_parameter_set_of_the_makefile_is_that_of_api_h_too(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """Headers of a set are included by the macro, from api.h as well as from the sources."""
    chosen = "#define text(x) #x\n#define name(x) text(x)\n#include name(params-PARAMS.h)\n"
    source = f'#include "api.h"\n{OUTPUT}{{ (void)in, (void)inlen; SET(out); return 0; }}\n'
    files = {
        "api.h": f"{chosen}#define CRYPTO_BYTES 4\n",
        "params-small.h": "#define SET(out) out[0] = out[1] = out[2] = out[3] = 7\n",
        "hash.c": source,
        "Makefile": "CFLAGS = -O3 -DPARAMS=small\nkat: hash.c\n\t$(CC) $(CFLAGS) hash.c\n",
    }
    write(OWN, files)
    assert hashed(built(OWN)) == bytes([7, 7, 7, 7])
