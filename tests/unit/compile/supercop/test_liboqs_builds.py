# SPDX-License-Identifier: MIT
"""Builds of packages of liboqs: its own wrapper, its common code, Assay's random bytes."""

from collections.abc import Callable
from pathlib import Path

from tests.unit.compile.supercop.conftest import RANDOM, Speaking
from tests.unit.package.supercop.liboqs import write_liboqs

from assay.check.operation.script import Script
from assay.compile.builder import Builder
from assay.compile.recipe import Recipe
from assay.model import Package
from assay.package.supercop.load import load_listed
from assay.package.supercop.outside import listed_in_folder


def test_a_package_of_liboqs_is_called_by_its_wrapper(
    tmp_path: Path,
    recipe: Callable[..., Recipe],
    builder: Builder,
    speaking: Speaking,
) -> None:
    """Its key comes from the common code with the library's macro, its random bytes from us."""
    listed = listed_in_folder(write_liboqs(tmp_path))
    package = next(load_listed(one) for one in listed if one.place == "crypto_kem/toy_1/ref")
    assert isinstance(package, Package), package
    with speaking(builder.build(recipe(package, "gcc", "-O1", ""))) as session:
        keys = [session.agent.buffer("key", 4, modulus=1, number=n) for n in (1, 2)]
        script = Script()
        script.seed()
        script.call(session.number("_keypair"), keys)
        for key in keys:
            script.read(key, 4)
        answer = session.run(script)
    assert answer == bytes(8) + RANDOM + b"\x07\x07\x07\x07"
    assert dict(session.subject.constants)["PUBLICKEYBYTES"] == 4
