# SPDX-License-Identifier: MIT
"""Functions that headers declare besides those of the operation."""

from pathlib import Path
from typing import Any

from assay.model import CheckResult, Package, Verdict

CORPUS = Path(__file__).resolve().parents[2] / "corpus/pqclean"
SIGN, KEM = "crypto_sign/toy/clean", "crypto_kem/toy/clean"


def said(bench: Any, package: Package) -> CheckResult | None:
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


def test_honest_functions_agree(operation_bench: Any) -> None:
    """A signature draws random bytes, and both ways get the same."""
    found = said(operation_bench, operation_bench.package(SIGN))
    assert found == CheckResult("calls/related", Verdict.PASS)


def test_a_function_that_nobody_knows_is_named(operation_bench: Any) -> None:
    """What is not examined must not look as if it were."""
    found = said(operation_bench, operation_bench.package(KEM))
    assert found is not None
    assert found.verdict is Verdict.PASS
    assert found.reason == "not examined: crypto_kem_checksum"


def test_a_function_that_is_declared_and_not_defined_is_named(operation_bench: Any) -> None:
    """The package still builds: nothing refers to it."""
    text = files(KEM)
    text["api.h"] = text["api.h"].replace("kem_checksum(", "kem_gone(")
    found = said(operation_bench, operation_bench.written("crypto_kem/gone/clean", text))
    assert found is not None
    assert found.reason == "not examined: crypto_kem_gone"


def test_a_known_function_that_is_not_defined_is_named(operation_bench: Any) -> None:
    """Its declaration alone makes no reference to it, and the package still links."""
    text = files(KEM)
    line = "    return PQCLEAN_TOY_CLEAN_crypto_kem_keypair_derand(pk, sk, coins);\n"
    copies = "    memcpy(sk, coins, 32);\n    memcpy(pk, coins, 32);\n    return 0;\n"
    text["kem.c"] = text["kem.c"].replace(line, copies).replace("keypair_derand(", "other(")
    found = said(operation_bench, operation_bench.written("crypto_kem/undefined/clean", text))
    assert found is not None
    assert found.verdict is Verdict.PASS
    assert "crypto_kem_keypair_derand (not defined)" in found.reason


def test_functions_that_another_header_declares_are_called(operation_bench: Any) -> None:
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
    old = "const uint8_t *coins)\n{\n    memcpy(ct, coins, 32);"
    assert old in text["kem.c"]
    text["kem.c"] = text["kem.c"].replace(old, old.replace("coins, 32", "pk, 32"))
    wrong = operation_bench.written("crypto_kem/wrong/clean", text)
    assert said(operation_bench, wrong).verdict is Verdict.FAIL  # type: ignore[union-attr]


def test_a_format_with_the_message_within_is_verified_all_the_same(operation_bench: Any) -> None:
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


def test_an_operation_of_supercops_layout_has_no_row(operation_bench: Any) -> None:
    """Its functions are those that the framework declares."""
    assert said(operation_bench, operation_bench.package("crypto_verify/16/ref")) is None
