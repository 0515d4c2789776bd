# SPDX-License-Identifier: MIT
"""Names of namespaces, primitives and machines."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from tests.unit.compile.supercop.conftest import Loaded, Write, hash_source

from assay.compile.supercop import names
from assay.compile.supercop.names import (
    claims_constant_time,
    fits_abi,
    namespace,
    native_abi,
    primitive_name,
)
from assay.model import Package

PLACE = "crypto_hash/toy1/dolbeau/amd64-3.x"


@pytest.fixture(name="package")
def written(write: Write, loaded: Loaded) -> Callable[..., Package]:
    """Give the function that writes a hash with further files, and loads it."""

    def make(files: dict[str, str] | None = None) -> Package:
        write(PLACE, hash_source("") | (files or {}))
        return loaded(PLACE)

    return make


def test_a_namespace_is_the_place_and_the_league_with_underscores(
    package: Callable[..., Package],
) -> None:
    """As SUPERCOP makes it of slashes, dots and dashes."""
    own = namespace(package(), "timingleaks")
    assert own == "crypto_hash_toy1_dolbeau_amd64_3_x_timingleaks"


def test_a_primitive_is_named_as_its_header_is(package: Callable[..., Package]) -> None:
    """Without the implementation."""
    assert primitive_name(package()) == "crypto_hash_toy1"


@pytest.mark.parametrize(
    ("goals", "claims"),
    [
        ((), False),
        (("goal-constbranch",), False),
        (("goal-constindex",), False),
        (("goal-constbranch", "goal-constindex"), True),
    ],
)
def test_constant_time_is_claimed_by_both_goal_files(
    package: Callable[..., Package], goals: tuple[str, ...], *, claims: bool
) -> None:
    """One of them says half of it."""
    assert claims_constant_time(package(dict.fromkeys(goals, ""))) is claims


@pytest.mark.parametrize(("listed", "fits"), [("amd64 x86", True), ("aarch64", False)])
def test_architectures_are_those_of_the_file(
    package: Callable[..., Package], listed: str, *, fits: bool
) -> None:
    """A list of machines excludes all others."""
    assert fits_abi(package({"architectures": listed}), "amd64") is fits


def test_a_package_without_architectures_fits_everywhere(
    package: Callable[..., Package],
) -> None:
    """As most are written."""
    assert fits_abi(package(), "sparcv9")


@pytest.mark.parametrize(
    ("machine", "options", "abi"),
    [
        ("x86_64", [], "amd64"),
        ("x86_64", ["-march=native", "-m32"], "x86"),
        ("i686", [], "x86"),
        ("aarch64", [], "aarch64"),
        ("alpha", [], "alpha"),
    ],
)
def test_a_machines_abi_has_supercops_name(
    monkeypatch: pytest.MonkeyPatch, machine: str, options: list[str], abi: str
) -> None:
    """The options may change it."""
    monkeypatch.setattr(names, "machine", lambda: machine)
    assert native_abi(options) == abi


def test_other_packages_have_no_details(package: Callable[..., Package]) -> None:
    """A mistake of the caller, said plainly."""
    with pytest.raises(ValueError, match="no package of the SUPERCOP API"):
        primitive_name(replace(package(), details=None))
