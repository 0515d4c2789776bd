# SPDX-License-Identifier: MIT
"""Functions that headers declare besides those of the operation."""

import re
from pathlib import Path

from tests.whole.corpus.operations import OperationBench

from assay.model import CheckResult, Package, Verdict

CORPUS = Path(__file__).resolve().parents[3] / "whole/corpus/pqclean"
SIGN, KEM = "crypto_sign/toy/clean", "crypto_kem/toy/clean"


def said(bench: OperationBench, package: Package) -> CheckResult | None:
    """Return what the check says; None if it does not apply."""
    found = bench.examine(package, only=("calls/related",)).checks
    return next((one for one in found if one.check == "calls/related"), None)


def files(place: str, *edits: tuple[str, str]) -> dict[str, str]:
    """Return the files of a package of the corpus, with changes."""
    found = {}
    for path in (CORPUS / place).iterdir():
        found[path.name] = path.read_text()
        for old, new in edits:
            found[path.name] = found[path.name].replace(old, new)
    return found


def test_honest_functions_agree(operation_bench: OperationBench) -> None:
    """A signature draws random bytes, and both ways get the same."""
    found = said(operation_bench, operation_bench.package(SIGN))
    assert found == CheckResult("calls/related", Verdict.PASS)


def test_a_function_that_nobody_knows_is_named(operation_bench: OperationBench) -> None:
    """What is not examined must not look as if it were."""
    found = said(operation_bench, operation_bench.package(KEM))
    assert found is not None
    assert found.verdict is Verdict.PASS
    assert found.reason == "not examined: crypto_kem_checksum"


def test_a_function_that_is_declared_and_not_defined_is_named(
    operation_bench: OperationBench,
) -> None:
    """The package still builds: nothing refers to it."""
    text = files(KEM)
    text["api.h"] = text["api.h"].replace("kem_checksum(", "kem_gone(")
    found = said(operation_bench, operation_bench.written("crypto_kem/gone/clean", text))
    assert found is not None
    assert found.reason == "not examined: crypto_kem_gone"


def test_a_known_function_that_is_not_defined_is_named(operation_bench: OperationBench) -> None:
    """Its declaration alone makes no reference to it, and the package still links."""
    text = files(KEM)
    line = "    return PQCLEAN_TOY_CLEAN_crypto_kem_keypair_derand(pk, sk, coins);\n"
    copies = "    memcpy(sk, coins, 32);\n    hide(pk, sk);\n    return 0;\n"
    text["kem.c"] = text["kem.c"].replace(line, copies).replace("keypair_derand(", "other(")
    found = said(operation_bench, operation_bench.written("crypto_kem/undefined/clean", text))
    assert found is not None
    assert found.verdict is Verdict.PASS
    assert "crypto_kem_keypair_derand (not defined)" in found.reason


def test_functions_that_another_header_declares_are_called(
    operation_bench: OperationBench,
) -> None:
    """PQClean's kem.h has those that take coins."""
    lines = (
        "int PQCLEAN_TOY_CLEAN_crypto_kem_enc_derand"
        "(uint8_t *ct, uint8_t *ss, const uint8_t *pk,\n"
        "                                            const uint8_t *coins);\n"
    )
    text = files(KEM)
    text["api.h"] = text["api.h"].replace(lines, "")
    text["kem.h"] = f"#include <stdint.h>\n{lines}"
    text["kem.c"] = text["kem.c"].replace(
        '#include "api.h"\n', '#include "api.h"\n#include "kem.h"\n'
    )
    honest = operation_bench.written("crypto_kem/apart/clean", text)
    assert said(operation_bench, honest).verdict is Verdict.PASS  # type: ignore[union-attr]
    old = "const uint8_t *coins)\n{\n    hide(ct, coins);"
    assert old in text["kem.c"]
    text["kem.c"] = text["kem.c"].replace(old, old.replace("(ct, coins)", "(ct, pk)"))
    wrong = operation_bench.written("crypto_kem/wrong/clean", text)
    assert said(operation_bench, wrong).verdict is Verdict.FAIL  # type: ignore[union-attr]


def test_a_format_with_the_message_within_is_verified_all_the_same(
    operation_bench: OperationBench,
) -> None:
    """Falcon's signed messages do not begin with a signature; its functions need not agree."""
    text = files(SIGN)
    text["sign.c"] = text["sign.c"].replace(
        "    *smlen = BYTES + mlen;\n",
        "    *smlen = BYTES + mlen;\n    while (mlen--)\n        sm[BYTES + mlen] ^= 90;\n",
    )
    text["sign.c"] = (
        text["sign.c"]
        .replace(
            "    uint8_t t[16];\n\n    if (smlen < BYTES)\n        return -1;\n"
            "    tag(t, sm, sm + BYTES, smlen - BYTES, NULL, 0, pk);\n",
            "    uint8_t t[16];\n    size_t i;\n\n    if (smlen < BYTES)\n        return -1;\n"
            "    for (i = 0; i < smlen - BYTES; i++) m[i] = sm[BYTES + i] ^ 90;\n"
            "    tag(t, sm, m, smlen - BYTES, NULL, 0, pk);\n",
        )
        .replace("    memmove(m, sm + BYTES, *mlen);\n", "")
    )
    found = said(operation_bench, operation_bench.written("crypto_sign/within/clean", text))
    assert found is not None
    assert found.verdict is Verdict.PASS, found


API = """\
#define CRYPTO_PUBLICKEYBYTES 32
#define CRYPTO_SECRETKEYBYTES 32
#define CRYPTO_BYTES 48
#define SPACE(name) toy_space_##name
#define crypto_sign_signature SPACE(signature)
int crypto_sign_signature(unsigned char *sig, unsigned long long *siglen, const unsigned char *m,
                          unsigned long long mlen, const unsigned char *sk);
#define crypto_sign_verify SPACE(verify)
int crypto_sign_verify(const unsigned char *sig, unsigned long long siglen,
                       const unsigned char *m, unsigned long long mlen, const unsigned char *pk);
"""


def supercops(text: dict[str, str]) -> dict[str, str]:
    """Return the toy signature in SUPERCOP's layout, with names that macros hide."""
    code = text["sign.c"].replace("PQCLEAN_TOY_CLEAN_", "").replace("size_t", "unsigned long long")
    code = code.replace("crypto_sign_signature_ctx", "with_ctx").replace(
        "crypto_sign_verify_ctx", "ctx_verified"
    )
    code = code.replace('"api.h"', '"crypto_sign.h"').replace("CRYPTO_BYTES", "crypto_sign_BYTES")
    code = re.sub(r"if \((randombytes\(\w+, 32\)) != 0\)\s+return -1;", r"\1;", code)
    return {"api.h": API, "sign.c": f"#include <stdint.h>\n{code}"}


def test_functions_that_macros_hide_are_called_in_supercops_layout(
    operation_bench: OperationBench,
) -> None:
    """The api.h there has the macros, and the declarations of NIST's submissions."""
    honest = operation_bench.written("crypto_sign/hidden/ref", supercops(files(SIGN)))
    assert said(operation_bench, honest) == CheckResult("calls/related", Verdict.PASS)
    text = supercops(files(SIGN))
    line = "    return ctx_verified(sig, siglen, m, mlen, NULL, 0, pk);"
    assert line in text["sign.c"]
    text["sign.c"] = text["sign.c"].replace(line, "    return 0;")
    wrong = said(operation_bench, operation_bench.written("crypto_sign/accepts/ref", text))
    assert wrong is not None
    assert wrong.verdict is Verdict.FAIL
    assert "crypto_sign_verify accepts" in wrong.reason


def test_functions_of_another_header_are_named_in_supercops_layout(
    operation_bench: OperationBench,
) -> None:
    """What its macros make of the names nobody knows without that header."""
    text = supercops(files(SIGN))
    head, _, declared = text["api.h"].partition("#define SPACE")
    text |= {"api.h": head, "sign.h": f"#define SPACE{declared}"}
    text["sign.c"] = text["sign.c"].replace(
        '"crypto_sign.h"', '"crypto_sign.h"\n#include "sign.h"'
    )
    found = said(operation_bench, operation_bench.written("crypto_sign/elsewhere/ref", text))
    assert found is not None
    assert found.verdict is Verdict.PASS
    assert "crypto_sign_verify (another header than api.h declares it)" in found.reason


def test_a_function_with_other_parameters_is_named_and_not_called(
    operation_bench: OperationBench,
) -> None:
    """ML-DSA's signature takes a context in some trees, under the name of the one without."""
    text = files(SIGN)
    for name in ("api.h", "sign.c"):
        text[name] = text[name].replace("crypto_sign_signature_ctx(", "with_ctx(")
        text[name] = text[name].replace("crypto_sign_signature(", "signature_alone(")
    line = "int PQCLEAN_TOY_CLEAN_crypto_sign_signature(uint8_t *sig, const uint8_t *sk);\n#endif"
    text["api.h"] = text["api.h"].replace("#endif", line)
    found = said(operation_bench, operation_bench.written("crypto_sign/other/clean", text))
    assert found is not None
    assert "crypto_sign_signature (other parameters)" in found.reason


def test_an_incremental_hash_is_called(operation_bench: OperationBench) -> None:
    """Its context has a type of the author's, which api.h declares."""
    found = said(operation_bench, operation_bench.package("crypto_hash/toy/clean"))
    assert found == CheckResult("calls/related", Verdict.PASS)


def test_an_operation_of_supercops_layout_has_no_row(operation_bench: OperationBench) -> None:
    """Its functions are those that the framework declares."""
    assert said(operation_bench, operation_bench.package("crypto_verify/16/ref")) is None
