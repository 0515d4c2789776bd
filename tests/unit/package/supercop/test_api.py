# SPDX-License-Identifier: MIT
"""Reading api.h: whatever stands in it, nothing but its constants comes out."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.package.supercop.api import constants, operation_in, prefix_of
from assay.package.text import code_of

NAMES = st.text(string.ascii_uppercase + string.digits, min_size=1, max_size=20)
VALUES = st.one_of(
    st.integers(0, 10**9).map(str),
    st.sampled_from(["(32 + 16)", "PARAMS_BYTES", '"1.2.3"', "(A * sizeof(int))", ""]),
)
SPACE = st.sampled_from([" ", "\t", "  "])
NOISE = st.text(st.characters(codec="latin-1"), max_size=60).filter(lambda t: "CRYPTO" not in t)


@given(st.dictionaries(NAMES, VALUES), SPACE, SPACE)
def test_every_definition_is_read(defined: dict[str, str], before: str, between: str) -> None:
    """Spaces and tabs may stand wherever C allows them."""
    lines = [
        f"{before}#{before}define{between}CRYPTO_{name}{between}{value}{before}\n"
        for name, value in defined.items()
    ]
    assert dict(constants("".join(lines))) == defined


@given(NOISE, NOISE)
def test_other_lines_do_no_harm(before: str, after: str) -> None:
    """Authors write includes, prototypes and prose around the constants."""
    found = constants(f"{before}\n#define CRYPTO_BYTES 32\n{after}")
    assert found == (("BYTES", "32"),)


@given(st.text(st.characters(codec="latin-1")))
def test_any_text_can_be_read(text: str) -> None:
    """The reader takes anything and gives plain names on single lines."""
    for name, value in constants(code_of(text)):
        assert name.isascii()
        assert "\n" not in value


def test_comments_are_no_values() -> None:
    """A value ends where the comment begins, and what is commented out is not defined."""
    text = "#define CRYPTO_BYTES 32 /* 256 bits */\n// #define CRYPTO_KEYBYTES 1\n"
    assert constants(code_of(text)) == (("BYTES", "32"),)


def test_values_may_go_on_in_the_next_line() -> None:
    """The name is read with what follows the backslash."""
    assert constants(code_of("#define CRYPTO_BYTES (16 + \\\n 16)\n"))[0][0] == "BYTES"


def test_macros_with_parameters_are_no_constants() -> None:
    """They are no values, and CRYPTO_ must be upper case."""
    assert constants("#define CRYPTO_ALIGN(n) n\n#define crypto_hash_BYTES 3\n") == ()


def test_a_long_value_is_cut() -> None:
    """A value is for people to read."""
    ((_, value),) = constants(f"#define CRYPTO_BYTES {'1' * 5000}\n")
    assert len(value) == 1000


PQCLEAN = """
#define PQCLEAN_FOO_CLEAN_CRYPTO_BYTES 32
int PQCLEAN_FOO_CLEAN_crypto_kem_keypair(uint8_t *pk, uint8_t *sk);
int PQCLEAN_FOO_CLEAN_crypto_kem_enc(uint8_t *ct, uint8_t *ss, const uint8_t *pk);
int PQCLEAN_FOO_CLEAN_crypto_kem_dec(uint8_t *ss, const uint8_t *ct, const uint8_t *sk);
"""
KEM = ("crypto_kem_keypair", "crypto_kem_enc", "crypto_kem_dec")


def test_a_prefix_stands_before_constants_and_functions() -> None:
    """Only what stands before the constants and all functions alike is a prefix."""
    assert prefix_of(PQCLEAN, KEM) == "PQCLEAN_FOO_CLEAN_"
    assert constants(PQCLEAN, "PQCLEAN_FOO_CLEAN_") == (("BYTES", "32"),)
    assert prefix_of(PQCLEAN.replace("CLEAN_crypto", "OTHER_crypto"), KEM) == ""
    assert prefix_of("#define CRYPTO_BYTES 3\nint crypto_hash();\n", ("crypto_hash",)) == ""


def defined(*names: str) -> str:
    """Write an api.h."""
    return "".join(f"#define CRYPTO_{name} 1\n" for name in names)


@pytest.mark.parametrize(
    ("api", "code", "operation"),
    [
        ("#define CRYPTO_BYTES 32\n", "int crypto_hash(a, b) {}", "crypto_hash"),
        (PQCLEAN, "", "crypto_kem"),
        (
            defined("PUBLICKEYBYTES", "SECRETKEYBYTES", "BYTES", "CIPHERTEXTBYTES"),
            "crypto_kem_keypair() crypto_kem_enc () crypto_kem_dec() crypto_hash()",
            "crypto_kem",
        ),
        (
            defined("KEYBYTES", "NSECBYTES", "NPUBBYTES", "ABYTES"),
            "crypto_aead_encrypt() crypto_aead_decrypt()",
            "crypto_aead",
        ),
        ("#define CRYPTO_BYTES 32\n", "int f(void);", None),
    ],
)
def test_functions_and_constants_tell_the_operation(
    api: str, code: str, operation: str | None
) -> None:
    """A package may call functions of other operations, so constants decide."""
    found = operation_in(api, code)
    assert (found.name if found else None) == operation
