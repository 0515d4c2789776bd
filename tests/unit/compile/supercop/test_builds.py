# SPDX-License-Identifier: MIT
"""From a folder to an agent that answers: layouts, names, subroutines, refusals."""

import platform
import shutil

import pytest
from tests.unit.compile.supercop.conftest import (
    API,
    OUTPUT,
    OWN,
    RANDOM,
    Built,
    Hashed,
    Speaking,
    Write,
    hash_source,
)

from assay.check.operation.script import Script
from assay.execute.places import Register
from assay.model import BuildStage

on_amd64 = pytest.mark.skipif(platform.machine() != "x86_64", reason="assembly for amd64")

SIGN = "PQCLEAN_TOY_CLEAN_"
SIGN_API = f"""\
#include <stddef.h>
#include <stdint.h>
#define {SIGN}CRYPTO_SECRETKEYBYTES 4
#define {SIGN}CRYPTO_PUBLICKEYBYTES 4
#define {SIGN}CRYPTO_BYTES 1
int {SIGN}crypto_sign_keypair(uint8_t *pk, uint8_t *sk);
int {SIGN}crypto_sign(uint8_t *sm, size_t *smlen, const uint8_t *m, size_t mlen,
                      const uint8_t *sk);
int {SIGN}crypto_sign_open(uint8_t *m, size_t *mlen, const uint8_t *sm, size_t smlen,
                           const uint8_t *pk);
"""
SIGN_SOURCE = f"""\
#include "api.h"
#include "mark.h"
#include "randombytes.h"
int {SIGN}crypto_sign_keypair(uint8_t *pk, uint8_t *sk)
{{
    return randombytes(pk, 4) + randombytes(sk, 4);
}}
int {SIGN}crypto_sign(uint8_t *sm, size_t *smlen, const uint8_t *m, size_t mlen,
                      const uint8_t *sk)
{{
    *smlen = mlen + 1;
    sm[0] = mark();
    return 0;
}}
int {SIGN}crypto_sign_open(uint8_t *m, size_t *mlen, const uint8_t *sm, size_t smlen,
                           const uint8_t *pk)
{{
    *mlen = (size_t)-1;
    return -1;
}}
"""
ABSOLUTE = """\
    .text
    .globl {name}
{name}:
    movl table, %eax
    movl %eax, (%rdi)
    xorl %eax, %eax
    ret
    .data
table: .long 0x04030201
    .section .note.GNU-stack,"",@progbits
"""


def test_a_hash_answers_what_it_computes(write: Write, built: Built, hashed: Hashed) -> None:
    """In the layout of SUPERCOP."""
    write(OWN, hash_source("memcpy(out, in, 3); out[3] = (unsigned char)inlen;"))
    assert hashed(built(OWN)) == b"abc\x03"


def test_clang_builds_it_too(write: Write, built: Built, hashed: Hashed) -> None:
    """Where there is one."""
    write(OWN, hash_source("out[0] = 7;"))
    assert hashed(built(OWN, "clang")) == b"\x07\0\0\0"


def test_a_package_in_cpp_is_compiled_as_such(write: Write, built: Built, hashed: Hashed) -> None:
    """All of its sources, and linked with what the language needs."""
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    files = hash_source("out[0] = value();", "#include <string>\nunsigned char value();")
    files["hash.cc"] = files.pop("hash.c")
    files["value.c"] = "unsigned char value() { auto five = 5; return five; }\n"
    write(OWN, files)
    assert hashed(built(OWN)) == b"\x05\0\0\0"


@pytest.mark.parametrize(
    "hidden",
    [
        "long long cpucycles(void) { return 1; }",
        "void *memcpy(void *to, const void *from, size_t n) { return to; }",
        "int memcmp(const void *a, const void *b, size_t n) { return 0; }",
        "int main(void) { return 3; }",
        "long write(int to, const void *from, unsigned long n) { return -1; }",
        "void *memset(void *to, int c, size_t n) { *(volatile char *)to = 77; return to; }",
    ],
    ids=["cpucycles", "memcpy", "memcmp", "main", "write", "memset"],
)
def test_what_a_package_defines_replaces_nothing_of_the_harness(
    write: Write, built: Built, hashed: Hashed, hidden: str
) -> None:
    """The agent compares, copies and writes with functions of its own."""
    body = "for (int i = 0; i < 4; i++) out[i] = 1;"
    write(OWN, hash_source(body, hidden))
    assert hashed(built(OWN, opt="-O1 -fno-builtin")) == b"\x01\x01\x01\x01"


def test_a_packages_own_randombytes_does_not_replace_the_harnesss(
    write: Write, built: Built, speaking: Speaking
) -> None:
    """The harness counts what it gave itself: nothing."""
    own = "void randombytes(unsigned char *x, unsigned long long n) { *x = 5; }"
    write(OWN, hash_source("randombytes(out, 4);", own))
    with speaking(built(OWN)) as session:
        out = session.agent.buffer("out", 4, modulus=1, number=1)
        script = Script()
        script.call(session.number(""), [out, out, 0])
        script.random()
        assert session.run(script)[8:] == bytes(16)


def test_the_table_itself_cannot_be_replaced(write: Write, built: Built) -> None:
    """It is ours, or there is no agent."""
    write(OWN, hash_source("", "int assay_operation_subject = 1;"))
    build = built(OWN)
    assert build.stage is not BuildStage.DONE
    assert "assay_operation_subject" in build.reason + build.diagnostics


def test_a_source_called_adapter_is_a_source(write: Write, built: Built, hashed: Hashed) -> None:
    """Ours has the same name and another place."""
    files = hash_source("out[0] = seven();", "unsigned char seven(void);")
    files["adapter.c"] = "unsigned char seven(void) { return 7; }\n"
    files["zzz.c"] = "int unused_elsewhere;\n"
    write(OWN, files)
    assert hashed(built(OWN)) == b"\x07\0\0\0"


def test_random_bytes_are_those_of_supercops_generator(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """From the key zero, the first 32 bytes of the stream being the next key."""
    write(OWN, hash_source("randombytes(out, 4);", '#include "randombytes.h"'))
    assert hashed(built(OWN)) == RANDOM


def test_a_primitive_may_be_included_for_secrets_and_for_public_inputs(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """By both of its headers in one package."""
    write("crypto_hash/low/ref", hash_source("out[0] = (unsigned char)inlen;"))
    before = '#include "crypto_hash_low.h"\n#include "crypto_hash_low_publicinputs.h"'
    body = (
        "unsigned char x[4]; crypto_hash_low_publicinputs(x, in, 5);"
        " crypto_hash_low(out, in, 3); out[1] = x[0];"
    )
    write(OWN, hash_source(body, before))
    assert hashed(built(OWN)) == b"\x03\x05\0\0"


def test_what_is_for_another_machine_is_skipped_with_the_reason(
    write: Write, built: Built
) -> None:
    """As its file `architectures` says."""
    write(OWN, hash_source("") | {"architectures": "sparcv9 mips64\n"})
    build = built(OWN)
    assert build.stage is BuildStage.SKIPPED
    assert build.reason.startswith("it is for sparcv9, mips64, and this is ")


TOY_HASH = "int toy(unsigned char *out, const unsigned char *in, unsigned long long inlen)"
TABLE = f"""\
#include "lwc_crypto_hash.h"
#include "lwc_crypto_aead.h"
#include "api.h"
extern {TOY_HASH};
hash_ctx lwc_hash_ctx = {{ "toy", "ref", CRYPTO_BYTES, toy }};
"""


def test_a_hash_that_only_a_table_names_is_called(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """NIST's lightweight benchmark knows functions by a table, and brings its header."""
    toy = f"{TOY_HASH} {{ out[0] = in[0]; out[1] = out[2] = 7; out[3] = inlen; return 0; }}\n"
    write(OWN, {"api.h": API, "toy.c": toy, "lwc_crypto_hash.c": TABLE})
    assert hashed(built(OWN)) == b"a\x07\x07\x03"


@pytest.mark.parametrize("more", [{}, {"crypto_hash.h": "/* It declares nothing. */\n"}])
def test_a_table_may_name_the_plain_functions(
    write: Write, built: Built, hashed: Hashed, more: dict[str, str]
) -> None:
    """The benchmark's header declares them, and sources may include SUPERCOP's besides."""
    source = hash_source("out[0] = 5;")["hash.c"]
    table = TABLE.replace(", toy }", ", crypto_hash }")
    write(OWN, {"api.h": API, "hash.c": source, "lwc_crypto_hash.c": table, **more})
    assert hashed(built(OWN)) == b"\x05\x00\x00\x00"


def test_a_plain_hash_without_declarations_is_called(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """As lightweight candidates are written for machines of one's own."""
    write(OWN, {"api.h": API, "hash.c": f"{OUTPUT}{{ out[0] = in[0]; out[1] = 1; return 0; }}\n"})
    assert hashed(built(OWN))[:2] == b"a\x01"


def test_a_package_of_pqclean_has_its_shared_files_and_lengths(
    write: Write, built: Built, speaking: Speaking
) -> None:
    """Sources in `common`, names with a prefix, lengths that are size_t."""
    write("common", {"mark.h": "unsigned char mark(void);\n",
                     "mark.c": '#include "mark.h"\nunsigned char mark(void) { return 8; }\n',
                     "randombytes.h": "#error not this one\n"})  # fmt: skip
    write("crypto_sign/toy/clean", {"api.h": SIGN_API, "sign.c": SIGN_SOURCE})
    build = built("crypto_sign/toy/clean")
    with speaking(build) as session:
        signed, text = (session.agent.buffer("b", 8, modulus=1, number=n) for n in (1, 2))
        length = Register(0)
        script = Script()
        script.seed()
        script.call(session.number("_keypair"), [signed, text])
        script.read(signed, 4)
        script.call(session.number(""), [signed, length, text, 3, text])
        script.give(length)
        script.read(signed, 1)
        script.call(session.number("_open"), [signed, length, text, 3, text])
        script.give(length)
        answer = session.run(script)
        constants = dict(session.subject.constants)
    assert answer[:12] == bytes(8) + RANDOM
    assert answer[12:29] == bytes(8) + (4).to_bytes(8, "little") + b"\x08"
    assert answer[29:] == b"\xff" * 16
    assert constants == {"BYTES": 1, "PUBLICKEYBYTES": 4, "SECRETKEYBYTES": 4}


@on_amd64
def test_code_for_one_address_is_linked_so_and_stated(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """Old assembly has absolute addresses in 32 bits; twice, as the second finds the first's."""
    name = "crypto_hash_toy_ref_timingleaks"
    write(
        OWN,
        {
            "api.h": API,
            "hash.s": ABSOLUTE.format(name=name),
            "names.c": '#include "crypto_hash.h"\n',
        },
    )
    for _ in range(2):
        build = built(OWN)
        assert build.notes == ("linked with -no-pie: its code works at one address only",)
        assert hashed(build) == b"\x01\x02\x03\x04"


def test_other_links_that_fail_are_not_tried_again(write: Write, built: Built) -> None:
    """A function that nothing defines is not found at another address either."""
    write(OWN, hash_source("nowhere();", "void nowhere(void);"))
    build = built(OWN)
    assert build.stage is BuildStage.LINK
    assert build.reason == "nothing defines nowhere"
    assert build.notes == ()


def test_the_same_package_gives_the_same_code_twice(write: Write, built: Built) -> None:
    """Nothing of the folder or the time is in it."""
    write(OWN, hash_source("out[0] = 7;"))
    first, second = built(OWN), built(OWN, opt="-O1 -g0")
    assert first.object_hash == second.object_hash


def test_an_object_that_nothing_calls_may_define_what_another_one_does(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """SUPERCOP links from an archive: of two definitions the first object by name is taken."""
    twice = '#include "crypto_hash.h"\n' + OUTPUT + "{ return 7; }\nint main(void) { return 1; }\n"
    write(OWN, {**hash_source("out[0] = 1;"), "other.c": twice})
    assert hashed(built(OWN)) == b"\1\0\0\0"


@on_amd64
def test_code_for_another_processor_of_the_family_is_skipped(write: Write, built: Built) -> None:
    """Intrinsics of XOP, which processors of 2012 had, with options that do not allow them."""
    body = "__m128i x = _mm_roti_epi64(_mm_setzero_si128(), 8); memcpy(out, &x, 4);"
    write(OWN, hash_source(body, "#include <x86intrin.h>"))
    build = built(OWN)
    assert build.stage is BuildStage.SKIPPED
    assert "_mm_roti_epi64" in build.reason


def test_a_package_may_have_a_function_of_another_operation_under_its_plain_name(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """NIST's lightweight call has a header for each, and authors hash within other things."""
    files = hash_source("crypto_verify(in, in); out[1] = 1;", '#include "crypto_verify.h"')
    files["verify.c"] = (
        '#include "crypto_verify.h"\n'
        "int crypto_verify(const unsigned char *x, const unsigned char *y) { return x != y; }\n"
    )
    write(OWN, files)
    assert hashed(built(OWN)) == b"\0\x01\0\0"


def test_a_variable_that_several_files_define_is_named_with_the_rule_that_changed(
    write: Write, built: Built
) -> None:
    """Tentative definitions were merged by gcc before version 10 (its release notes say so)."""
    header = {"state.h": "unsigned char Hash[4];\n"}
    other = {"other.c": '#include "state.h"\nvoid other(void) { Hash[0] = 1; }\n'}
    write(OWN, {**hash_source("other();", '#include "state.h"\nvoid other(void);'),
                **header, **other})  # fmt: skip
    build = built(OWN)
    assert (build.ok, build.reason) == (False, "the variable Hash is defined more than once")
    for word in ("extern", "static", "-fcommon"):
        assert word in build.cure


def test_a_dash_in_a_primitives_name_becomes_an_underscore_in_c(
    write: Write, built: Built, speaking: Speaking
) -> None:
    """Folders of NIST's candidates are called `aes-gcm`; C has no such names, reports do."""
    place = "crypto_hash/toy-1.0+b/ref-2"
    write(place, hash_source("out[0] = *crypto_hash_VERSION;"))
    write(place, {"api.h": f'{API}#define CRYPTO_VERSION "7"\n'})
    with speaking(built(place)) as session:
        assert session.subject.primitive == "toy-1.0+b"


OLD_ASSEMBLY = """\
.text
.globl _crypto_hash_toy_ref
.globl crypto_hash_toy_ref
_crypto_hash_toy_ref:
crypto_hash_toy_ref:
    movl $0x04030201, (%rdi)
    xorl %eax, %eax
    ret
.section .note.GNU-stack,"",@progbits
"""


@on_amd64
def test_assembly_from_before_there_were_leagues_is_found_by_its_old_name(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """SUPERCOP of 2019 called it `crypto_hash_toy_ref`, with no league behind."""
    write(OWN, {"api.h": API, "hash.s": OLD_ASSEMBLY})
    assert hashed(built(OWN)) == bytes((1, 2, 3, 4))


@on_amd64
def test_an_old_name_beside_the_new_one_stays_what_it_is(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """Then it is a helper of the package's own, here one that the function calls."""
    new = """\
.globl crypto_hash_toy_ref_timingleaks
crypto_hash_toy_ref_timingleaks:
    call crypto_hash_toy_ref
    movb $9, (%rdi)
    ret
"""
    write(OWN, {"api.h": API, "hash.s": OLD_ASSEMBLY + ".text\n" + new})
    assert hashed(built(OWN)) == bytes((9, 2, 3, 4))


@on_amd64
def test_a_subroutine_may_have_old_names(write: Write, built: Built, hashed: Hashed) -> None:
    """In assembly, and in its api.h: `crypto_hash_sub_ref_BYTES`."""
    write("crypto_hash/sub/ref", {
        "api.h": "#define crypto_hash_sub_ref_BYTES 4\n",
        "hash.s": OLD_ASSEMBLY.replace("_toy_", "_sub_"),
    })  # fmt: skip
    body = "crypto_hash_sub(out, in, inlen); out[0] = crypto_hash_sub_BYTES;"
    write(OWN, hash_source(body, '#include "crypto_hash_sub.h"'))
    assert hashed(built(OWN)) == bytes((4, 2, 3, 4))
