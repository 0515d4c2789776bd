# SPDX-License-Identifier: MIT
"""How good the checks are: `./scripts/test --mutants` changes shipped packages bit by bit."""

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.mutation.hunt import SURVIVED, hunt
from tests.mutation.mutants import chosen, mutants_of

PACKAGES = (
    "submissions/salsa20/ref",
    "submissions/trivium/ref",
    "submissions/rabbit/ref",
    "submissions/phelix/ref",
    "submissions/sha256/portable",
    "submissions/keccak/nist",
    "submissions/supercop/crypto_aead/chacha20poly1305/ref",
    "submissions/supercop/crypto_hash/blake2b/ref",
    "submissions/supercop/crypto_onetimeauth/poly1305/ref",
    "submissions/supercop/crypto_secretbox/xsalsa20poly1305/ref",
    "submissions/supercop/crypto_sort/int32/ref",
    "submissions/supercop/crypto_scalarmult/curve25519/limbs51",
)
NUMBER = int(os.environ.get("ASSAY_MUTANTS", "100"))
SEED = 1
SOURCE = "/* a + 1 */\n#define TWICE(x) ((x) << 1)\nint f(int *a)\n{\n    a[0] = -2 * *a;\n}\n"


def sorted_by_hand() -> dict[str, dict[str, str]]:
    """Return why a mutant of a package survives, for each that was looked at."""
    file = Path(__file__).with_name("survivors.toml")
    return {
        package: {change: why for why, changes in whys.items() for change in changes}
        for package, whys in tomllib.loads(file.read_text()).items()
    }


def test_every_operator_and_constant_of_code_is_changed_and_nothing_else() -> None:
    """Comments, pointers and signs stay as they are; macros and statements do not."""
    changed = {(one.kind, one.applied(SOURCE)) for one in mutants_of(SOURCE)}
    texts = {text for _, text in changed}
    assert SOURCE.replace("<< 1", ">> 1") in texts
    assert SOURCE.replace("-2 * *a", "-2 + *a") in texts
    assert SOURCE.replace("a[0] = -2 * *a;", ";") in texts
    assert SOURCE.replace("-2", "-3") in texts
    assert all(text.startswith("/* a + 1 */") and "int f(int *a)" in text for text in texts)
    assert "= +2" not in "".join(texts)


def test_the_same_seed_chooses_the_same_mutants() -> None:
    """So a figure can be repeated."""
    assert chosen(SOURCE, 3, 7) == chosen(SOURCE, 3, 7)


@pytest.mark.mutation
@pytest.mark.parametrize("place", PACKAGES)
def test_mutants_are_found_or_someone_has_looked_at_them(
    place: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """A mutant that survives all checks is in survivors.toml, with the reason."""
    fates = hunt(place, NUMBER, SEED, tmp_path)
    for one in fates:
        record_property("fate", (one.kind, one.by))
    known = sorted_by_hand().get(place, {})
    new = [one.change for one in fates if one.by == SURVIVED and one.change not in known]
    assert not new, "\n".join(["nobody has looked at these:", *new])
