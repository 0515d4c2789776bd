# SPDX-License-Identifier: MIT
"""The corpus of operations that spoil registers, on architectures other than x86-64."""

import tomllib
from pathlib import Path

import pytest
from tests.whole.corpus.operations import CORPUS

from assay.check.depth import Extent
from assay.check.engine.workshop import open_workshop
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import CheckResult, Package, Verdict
from assay.package.places import TREE, shipped
from assay.package.supercop.load import load
from assay.plan.choice import target_configuration
from assay.targets.catalogue import catalogue, choose, look_for

CHECK, PLACE = "abi/registers", "crypto_verify/16/ref"
DEFECTS = [
    pytest.param(
        one["target"], one["instruction"], one["says"],
        id=f"{one['target']}-{one['says']}",
        marks=[pytest.mark.slow] if one.get("slow") else [],
    )
    for one in tomllib.loads((CORPUS.parent / "registers.toml").read_text())["defect"]
]  # fmt: skip
SPOILING = """
int crypto_verify(const unsigned char *x, const unsigned char *y)
{
    int result = verify(x, y);

    __asm__ volatile("%s");
    return result;
}
"""


def examined(tree: Path, target_name: str, instruction: str) -> CheckResult:
    """Put an instruction behind the work of a package, and ask about registers."""
    (target,) = choose([target_name], catalogue())
    if not look_for(target).ok:
        pytest.skip(look_for(target).reason)
    folder = tree / PLACE
    folder.mkdir(parents=True)
    for path in (shipped() / TREE / PLACE).iterdir():
        text = path.read_text()
        if path.suffix == ".c":
            text = text.replace("int crypto_verify(", "static int verify(")
            text += SPOILING % instruction
        (folder / path.name).write_text(text)
    package = load(tree, PLACE)
    assert isinstance(package, Package)
    configuration, compiler = target_configuration(target, "-O2", "gcc")
    recipe = Recipe(package, 1, configuration, compiler, target)
    with open_workshop(strongest_jail(), target=target) as workshop:
        build = workshop.build(recipe)
        assert build.ok, build.reason
        found = workshop.patient(recipe).examine(recipe, build, Extent(only=(CHECK,))).checks
    return next(one for one in found if one.check == CHECK)


@pytest.mark.parametrize(("target", "instruction", "register"), DEFECTS)
def test_a_register_that_is_spoilt_is_named(
    tmp_path: Path, target: str, instruction: str, register: str
) -> None:
    """The function and the register; with an instruction that does nothing all is well."""
    found = examined(tmp_path / "broken", target, instruction)
    assert found.verdict is Verdict.FAIL
    assert f"crypto_verify changes {register}" in found.reason
    assert examined(tmp_path / "sound", target, "nop").verdict is Verdict.PASS
