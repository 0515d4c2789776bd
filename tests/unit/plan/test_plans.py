# SPDX-License-Identifier: MIT
"""Which lengths are measured, in which order primitives come, and what valgrind is given."""

import pytest
from msgspec.structs import replace
from tests.unit.mock.cells import Recipes

from assay.check.engine.instruments import known_to_valgrind
from assay.measure.operation.task import lengths_of
from assay.model import Package
from assay.plan import plan as module
from assay.plan.plan import Plan

TABLE = {8, 64, 576, 1536, 4096}


def lengths(operation: str, *, curve: bool = False) -> list[int]:
    """Give the lengths of messages."""
    return [size for size, _ in lengths_of(operation, curve=curve)]


def test_the_columns_of_the_tables_are_measured_and_longer_ones_for_the_slope() -> None:
    """Five lengths, and three at least beyond them."""
    assert set(lengths("crypto_hash")) > TABLE
    assert len([one for one in lengths("crypto_stream") if one > 4096]) >= 3


def test_signatures_are_measured_on_59_bytes() -> None:
    """As the tables of eBATS have it."""
    assert lengths("crypto_sign") == [59]
    assert lengths("crypto_encrypt") == [59]


def test_blocks_are_hashed_whole() -> None:
    """Of 64 or 128 bytes."""
    assert all(one % 128 == 0 for one in lengths("crypto_hashblocks"))


def test_authenticated_encryption_has_messages_data_and_both() -> None:
    """And no mixture of different lengths."""
    found = set(lengths_of("crypto_aead", curve=False))
    assert {(1536, 0), (0, 1536), (1536, 1536)} <= found
    assert (1536, 64) not in found


def test_the_curve_of_a_hash_is_that_of_ebacs() -> None:
    """Every length to 4096, then steps of 1008 to 65536."""
    found = lengths("crypto_hash", curve=True)
    assert found[:4097] == list(range(4097))
    assert found[4097:4099] == [5104, 6112]
    assert 64_000 < found[-1] <= 65_536


def test_the_curve_of_signatures_grows_by_a_quarter_to_96397() -> None:
    """The last one is the published one."""
    found = lengths("crypto_sign", curve=True)
    assert found[:6] == [0, 1, 2, 3, 4, 6]
    assert found[-1] == 96397


@pytest.mark.parametrize("operation", ["crypto_hash", "crypto_aead", "crypto_sort", "crypto_sign"])
def test_no_length_comes_twice(operation: str) -> None:
    """What is measured twice would count twice."""
    found = lengths_of(operation, curve=True)
    assert len(set(found)) == len(found)


def test_a_primitive_comes_with_all_its_implementations_and_configurations(
    recipes: Recipes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One contest each, in the order of the packages."""
    listed = recipes("a/ref a/fast b/ref", "O3 O2")
    packages = tuple(dict.fromkeys(one.package for one in listed))
    levels = tuple(dict.fromkeys(one.configuration for one in listed))
    monkeypatch.setattr(module, "CELLS_AT_ONCE", 1)
    plan = Plan(packages, levels, {"gcc": listed[0].compiler}, everything=True)
    names = [
        [(one.package.selector, one.configuration.name) for one in each.recipes]
        for each in plan.rounds()
    ]
    a = [(f"crypto_hash/a/{one}", level) for one in ("ref", "fast") for level in ("O3", "O2")]
    assert names == [a, [("crypto_hash/b/ref", "O3"), ("crypto_hash/b/ref", "O2")]]


def test_a_contest_tries_the_first_configuration_of_a_primitive_before_others(
    recipes: Recipes,
) -> None:
    """Whoever is far behind with it need not be built with others."""
    listed = recipes("a/ref a/fast", "O3 O2 Os")
    packages = tuple(dict.fromkeys(one.package for one in listed))
    levels = tuple(dict.fromkeys(one.configuration for one in listed))
    rounds = list(Plan(packages, levels, {"gcc": listed[0].compiler}).rounds())
    tried = [[one.configuration.name for one in each.recipes] for each in rounds]
    assert tried == [["O3", "O3"], ["O2", "Os", "O2", "Os"]]
    assert [each.scouting for each in rounds] == [True, False]


def test_valgrind_gets_an_older_processor_and_source_lines(
    recipes: Recipes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the user added stays."""
    (recipe,) = recipes("a/ref")
    assert isinstance(recipe.package, Package)
    native_one = replace(recipe.configuration, arch="-march=native -mtune=native -mavx2")
    monkeypatch.setattr("assay.check.engine.instruments.machine", lambda: "x86_64")
    changed = known_to_valgrind(replace(recipe, configuration=native_one)).configuration
    assert changed.arch.split() == ["-mavx2", "-march=x86-64-v3"]
    assert {"-g", "-gdwarf-4"} <= set(changed.opt.split())  # valgrind 3.19 ends at DWARF 5
    assert changed.name != native_one.name


def test_options_that_valgrind_knows_stay(recipes: Recipes) -> None:
    """Only `native` is replaced."""
    (recipe,) = recipes("a/ref")
    plain = replace(recipe.configuration, arch="-m64")
    assert known_to_valgrind(replace(recipe, configuration=plain)).configuration.arch == "-m64"
