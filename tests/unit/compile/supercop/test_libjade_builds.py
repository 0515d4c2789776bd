# SPDX-License-Identifier: MIT
"""Builds of assembly with libjade's names: its functions, its constants, our random bytes."""

import platform
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.compile.supercop.conftest import RANDOM, Speaking
from tests.unit.package.supercop.libjade import KEM, RANDOM_KEYS, write_files, write_libjade

from assay.check.operation.script import Script
from assay.compile.builder import Builder
from assay.compile.recipe import Recipe
from assay.model import Package
from assay.package.supercop.load import load_listed
from assay.package.supercop.outside import listed_in_folder

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="it is AMD64 assembly")
MESSAGE, FNV1A_64 = b"foobar", 0x85944171F73967E8  # of FNV's published test values


def test_a_hash_is_called_by_libjades_name(
    tmp_path: Path, recipe: Callable[..., Recipe], builder: Builder, speaking: Speaking
) -> None:
    """The header stands in a folder below the code."""
    package = load_listed(listed_in_folder(write_libjade(tmp_path))[1])
    assert isinstance(package, Package), package
    with speaking(builder.build(recipe(package, "gcc", "-O1", ""))) as session:
        agent = session.agent
        out = agent.buffer("out", 8, modulus=1)
        message = agent.buffer("message", len(MESSAGE), modulus=1)
        script = Script()
        script.write(message, MESSAGE)
        script.call(session.number(""), [out, message, len(MESSAGE)])
        script.read(out, 8)
        assert session.run(script)[-8:] == FNV1A_64.to_bytes(8, "little")
    assert dict(session.subject.constants)["BYTES"] == 8


def test_random_bytes_of_jasmin_are_the_harnesses(
    tmp_path: Path, recipe: Callable[..., Recipe], builder: Builder, speaking: Speaking
) -> None:
    """`__jasmin_syscall_randombytes__` returns the place that it was given."""
    files = {"toy1/api.h": KEM, "toy1/toy1.s": RANDOM_KEYS}
    (listed,) = listed_in_folder(write_files(tmp_path, files))
    package = load_listed(listed)
    assert isinstance(package, Package), package
    with speaking(builder.build(recipe(package, "gcc", "-O1", ""))) as session:
        keys = [session.agent.buffer("key", 4, modulus=1, number=n) for n in (1, 2)]
        script = Script()
        script.seed()
        script.call(session.number("_keypair"), keys)
        for key in keys:
            script.read(key, 4)
        assert session.run(script) == bytes(8) + RANDOM + RANDOM
