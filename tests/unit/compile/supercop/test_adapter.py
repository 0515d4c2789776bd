# SPDX-License-Identifier: MIT
"""The table that stands between a package and the agent."""

from tests.unit.compile.supercop.conftest import Loaded, Write, hash_source

from assay.compile.supercop.adapter import adapter

SIGN_API = """\
#include <stddef.h>
#include <stdint.h>
#define PQCLEAN_TOY_CLEAN_CRYPTO_SECRETKEYBYTES 1
#define PQCLEAN_TOY_CLEAN_CRYPTO_PUBLICKEYBYTES 1
#define PQCLEAN_TOY_CLEAN_CRYPTO_BYTES 4
int PQCLEAN_TOY_CLEAN_crypto_sign_keypair(uint8_t *pk, uint8_t *sk);
int PQCLEAN_TOY_CLEAN_crypto_sign(uint8_t *sm, size_t *smlen, /* (both) */
                                  const uint8_t *m, size_t mlen, const uint8_t *sk);
int PQCLEAN_TOY_CLEAN_crypto_sign_open(uint8_t *m, size_t *mlen,
                                       const uint8_t *sm, size_t smlen, const uint8_t *pk);
"""
HASH = """\
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long n) { return 0; }
"""
DECLARED = "int crypto_hash(unsigned char *, const unsigned char *, unsigned long long);"


def test_a_table_names_what_it_is_of(write: Write, loaded: Loaded) -> None:
    """The bench compares the names with those it expects."""
    write("crypto_hash/toy/dolbeau/wide", hash_source(""))
    text = adapter(loaded("crypto_hash/toy/dolbeau/wide"), "timingleaks")
    assert '{"crypto_hash", "toy", "dolbeau/wide", constants, functions}' in text


def test_a_function_has_letters_for_its_parameters(write: Write, loaded: Loaded) -> None:
    """An output, an input and a length."""
    write("crypto_hash/toy/ref", hash_source(""))
    assert '{"", "oin", call}' in adapter(loaded("crypto_hash/toy/ref"), "timingleaks")


def test_constants_of_supercop_have_the_implementations_name(write: Write, loaded: Loaded) -> None:
    """And exist only where api.h defines them."""
    write("crypto_hash/toy/ref", hash_source(""))
    text = adapter(loaded("crypto_hash/toy/ref"), "timingleaks")
    assert "#ifdef crypto_hash_toy_ref_timingleaks_BYTES" in text
    assert '#include "crypto_hash.h"' in text


def test_pqclean_names_have_their_prefix_and_lengths_their_type(
    write: Write, loaded: Loaded
) -> None:
    """A size_t is not written through a pointer to something longer."""
    write("crypto_sign/toy/clean", {"api.h": SIGN_API, "sign.c": '#include "api.h"\n'})
    text = adapter(loaded("crypto_sign/toy/clean"), "timingleaks")
    assert '#include "api.h"' in text
    assert "PQCLEAN_TOY_CLEAN_crypto_sign_open(" in text
    assert "#ifdef PQCLEAN_TOY_CLEAN_CRYPTO_SECRETKEYBYTES" in text
    assert text.count("size_t length1 = (size_t)*a[1].length;") == 2
    assert text.count("*a[1].length = length1;") == 2


def test_lengths_of_supercop_go_straight_to_where_the_bench_wants_them(
    write: Write, loaded: Loaded
) -> None:
    """So a length that is read or written elsewhere is seen."""
    source = '#include "crypto_sign.h"\n'
    write("crypto_sign/toy/ref", {"api.h": "#define CRYPTO_BYTES 4\n", "sign.c": source})
    text = adapter(loaded("crypto_sign/toy/ref"), "timingleaks")
    assert "(unsigned long long *)a[1].length" in text
    assert "size_t length" not in text


def test_a_plain_function_that_api_h_does_not_declare_is_declared(
    write: Write, loaded: Loaded
) -> None:
    """Many lightweight packages define constants there and nothing else."""
    write("crypto_hash/toy/ref", {"api.h": "#define CRYPTO_BYTES 4\n", "hash.c": HASH})
    text = adapter(loaded("crypto_hash/toy/ref"), "timingleaks")
    assert "extern int crypto_hash(" in text
    assert "#ifdef CRYPTO_BYTES" in text


def test_a_plain_function_that_api_h_declares_is_not_declared_again(
    write: Write, loaded: Loaded
) -> None:
    """Its types may differ from ours."""
    api = f"#define CRYPTO_BYTES 4\n{DECLARED}\n"
    write("crypto_hash/toy/ref", {"api.h": api, "hash.c": HASH})
    assert "extern int" not in adapter(loaded("crypto_hash/toy/ref"), "timingleaks")


def test_what_a_header_of_api_h_declares_is_not_declared_again(
    write: Write, loaded: Loaded
) -> None:
    """MiRitH declares its functions in sign.h, with lengths of another type."""
    api = '#define CRYPTO_BYTES 4\n#include "own.h"\n'
    write("crypto_hash/toy/ref", {"api.h": api, "own.h": f"{DECLARED}\n", "hash.c": HASH})
    assert "extern int" not in adapter(loaded("crypto_hash/toy/ref"), "timingleaks")
