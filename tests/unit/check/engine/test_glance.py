# SPDX-License-Identifier: MIT
"""A glance at code that dies in its first call: it fails, and the true cause comes first."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.check.depth import Depth, Extent
from assay.check.engine.wanted import Wanted
from assay.check.engine.workshop import examined, open_workshop
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import CheckResult, Package, Verdict
from assay.model.causes import causes
from assay.package.supercop.load import load
from assay.toolchain.shortlist import supercop_configurations

CODE = """\
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include "crypto_hash.h"

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    FIRST
    (void)in;
    for (int i = 0; i < 8; i++)
        out[i] = (unsigned char)(inlen + i);
    return 0;
}
"""
Glance = Callable[[str], list[CheckResult]]


@pytest.fixture
def glance(tmp_path: Path) -> Glance:
    """Give a function that glances at a hash with these lines, and returns the causes."""

    def look(first: str) -> list[CheckResult]:
        folder = tmp_path / "crypto_hash/toy/ref"
        folder.mkdir(parents=True)
        (folder / "api.h").write_text("#define CRYPTO_BYTES 8\n")
        (folder / "hash.c").write_text(CODE.replace("FIRST", first))
        package = load(tmp_path, "crypto_hash/toy/ref")
        assert isinstance(package, Package)
        configurations, compilers = supercop_configurations()
        recipe = Recipe(package, 1, configurations[0], compilers[configurations[0].command])
        with open_workshop(strongest_jail()) as workshop:
            build = workshop.build(recipe)
            wanted = Wanted(Extent(Depth.GLANCE))
            found = examined(workshop, recipe, build, wanted, wanted.extent)
        return causes(found.checks)

    return look


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ('(void)!system("true");', "it calls system"),
        ("raise(SIGSEGV);", "it calls raise"),
        ("signal(SIGINT, SIG_IGN);", "it calls signal"),
        ("exit(0);", "it calls exit"),
        ("_exit(0);", "it calls exit"),
        ("abort();", "it calls abort"),
    ],
)
def test_a_call_that_ends_the_agent_is_named_first(
    glance: Glance, first: str, reason: str
) -> None:
    """What died of it follows, and is no cause of its own."""
    found = glance(first)
    assert [one.check for one in found] == ["object/calls"], found
    assert reason in found[0].reason


def test_a_crash_without_such_calls_fails_all_the_same(glance: Glance) -> None:
    """There is nothing to compare this hash with, and it must not be measured."""
    found = glance("*(volatile int *)8 = 1;")
    assert found
    assert found[0].verdict is Verdict.FAIL
    assert "SIGSEGV" in found[0].reason
