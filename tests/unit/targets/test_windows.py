# SPDX-License-Identifier: MIT
"""Packages of the SUPERCOP API on Windows, and code that breaks Microsoft's calling convention."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from assay.check.depth import Extent
from assay.check.engine.workshop import open_workshop
from assay.execute.jail import strongest_jail
from assay.model import CheckResult, Package, Target, Verdict
from assay.package.supercop.load import load
from assay.plan.spread import ConfigurationChoice, Spread
from assay.targets.catalogue import catalogue, look_for

SHIPPED = Path(__file__).parents[3] / "submissions/supercop"
CORPUS = Path(__file__).parents[2] / "whole/corpus/operations.toml"
PLACE = "crypto_verify/16/ref"


@pytest.fixture(params=["windows-amd64", "windows-i386"])
def target(request: pytest.FixtureRequest) -> Target:
    """Give each target on Windows."""
    return usable(request.param)


def usable(name: str) -> Target:
    """Give a target of the catalogue; skip without its tools."""
    (one,) = [one for one in catalogue() if one.name == name]
    found = look_for(one)
    if not found.ok:
        pytest.skip(f"{name}: {found.reason}; ./scripts/setup --windows")
    return one


def package(place: str, tree: Path = SHIPPED) -> Package:
    """Load a package."""
    found = load(tree, place)
    assert isinstance(found, Package)
    return found


def changed(folder: Path, *edits: tuple[str, str], place: str = PLACE) -> Package:
    """Load a copy of a shipped package with some texts replaced."""
    tree = folder / "tree"
    shutil.copytree(SHIPPED, tree, symlinks=True)
    (source,) = (tree / place).glob("*.c")
    text = source.read_text()
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    source.write_text(text)
    return package(place, tree)


def spoiling(folder: Path, code: str) -> Package:
    """Load a package whose function does something else before it returns, in assembly."""
    head = "int crypto_verify(const unsigned char *x, const unsigned char *y)\n"
    inner = head.replace("int crypto_verify", "static __attribute__((used, noinline)) int inner")
    text = f"subq $40, %rsp\n call inner\n addq $40, %rsp\n {code}\n ret"
    naked = f"__attribute__((naked)) {head}{{\n    __asm__({json.dumps(text)});\n}}\n"
    last = "    return (int)(1 & ((difference - 1) >> 8)) - 1;\n}\n"
    return changed(folder, (head, inner), (last, f"{last}\n{naked}"))


def examined(package: Package, target: Target, *only: str) -> dict[str, CheckResult]:
    """Examine a package on a target, by the checks whose names begin so; return them by name."""
    (place,) = Spread([target], ConfigurationChoice(Path("nowhere"))).places(package)
    with open_workshop(strongest_jail(), target=target) as workshop:
        (recipe,) = place.recipes
        found = workshop.examine(recipe, workshop.build(recipe), Extent(only=only or ("",)))
    return {one.check: one for one in found.checks}


def failed(checks: dict[str, CheckResult]) -> dict[str, str]:
    """Return the reasons of failures."""
    return {name: one.reason for name, one in checks.items() if one.verdict is Verdict.FAIL}


@pytest.mark.parametrize(
    "place",
    [
        "crypto_hash/sha256/ref",
        "crypto_sort/int32/ref",
        "crypto_aead/chacha20poly1305/ref",
        "crypto_kem/mlkem768/ref",
    ],
)
def test_an_operation_passes_on_windows(place: str, target: Target) -> None:
    """With subroutines, names with an underscore, and `long` of 32 bits; checksums agree."""
    checks = examined(package(place), target)
    assert failed(checks) == {}
    assert checks["checksum/small"].verdict is Verdict.PASS


def test_static_memory_is_found_on_windows(tmp_path: Path, target: Target) -> None:
    """Code that remembers its last message is caught, as on Linux; sections are sorted for it."""
    (entry,) = [
        one
        for one in tomllib.loads(CORPUS.read_text())["defect"]
        if one["name"] == "remembers-the-last-message"
    ]
    edits = [(old, new) for _, old, new in entry["edits"]]
    broken = changed(tmp_path, *edits, place=entry["base"])
    reasons = failed(examined(broken, target, "state/static-memory"))
    assert "which an earlier call has written" in reasons["state/static-memory"]


@pytest.mark.parametrize(
    ("code", "check", "named"),
    [
        ("incq %rdi", "abi/registers", "rdi"),
        ("incq %rsi", "abi/registers", "rsi"),
        ("pxor %xmm6, %xmm6", "abi/registers", "xmm6 to xmm15"),
        ("movq %xmm15, %xmm15", "abi/registers", "xmm6 to xmm15"),
        ("movq %r10, 104(%rsp)", "abi/registers", "the stack above its arguments"),
        ("std", "abi/flags", "the direction flag"),
        ("pushq $0x9f80\n ldmxcsr (%rsp)\n popq %rcx", "abi/flags", "the control bits of MXCSR"),
        ("pushq $0x0f7f\n fldcw (%rsp)\n popq %rcx", "abi/flags", "the control word of x87"),
    ],
)
def test_what_is_the_callers_on_windows_must_stay(
    tmp_path: Path, code: str, check: str, named: str
) -> None:
    """Registers that Linux gives to the callee, modes, and the stack above the arguments.

    Between the stub and the function is its adapter, with 48 bytes of stack.
    """
    reasons = failed(examined(spoiling(tmp_path, code), usable("windows-amd64"), "abi/"))
    assert reasons.keys() == {check}
    assert reasons[check].endswith(f" changes {named}")


def test_shadow_space_is_the_callees(tmp_path: Path) -> None:
    """Functions may write to the 32 bytes above their return address, and to xmm5."""
    places = "\n".join(f"movq %r10, {at}(%rsp)" for at in (8, 16, 24, 32))
    honest = spoiling(tmp_path, f"{places}\n pxor %xmm5, %xmm5")
    checks = examined(honest, usable("windows-amd64"), "abi/")
    assert failed(checks) == {}
    assert checks["abi/registers"].verdict is Verdict.PASS
