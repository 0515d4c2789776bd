# SPDX-License-Identifier: MIT
"""One package, two results: builds of one source are compared, whatever made them differ."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from assay.check.depth import Depth, Extent
from assay.check.engine.examine import open_engine
from assay.check.engine.verdict import PackageVerdict, judged
from assay.check.engine.wanted import Wanted
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import CheckResult, Package, Verdict
from assay.model.compared import CONFIGURATIONS, TARGETS
from assay.model.progress import Silence
from assay.package.estream import load_estream
from assay.package.supercop.load import load
from assay.plan.choice import target_configuration
from assay.plan.spread import TargetCells
from assay.targets.catalogue import catalogue, choose, look_for, native
from assay.toolchain.shortlist import supercop_configurations

ROOT = Path(__file__).resolve().parents[4]
SHIPPED = ROOT / "submissions/supercop"
SMALL = "#ifdef __OPTIMIZE_SIZE__\n{}\n#endif\n"
Compare = Callable[..., PackageVerdict]
Written = Callable[[str, str], Package]


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    """Give a function that looks at a package's outputs with -O2 and -Os, or on targets."""
    listed, compilers = supercop_configurations()
    base = listed[0]
    pairs = [
        (replace(base, opt=level, name=f"gcc_{level[1:]}"), compilers[base.command])
        for level in ("-O2", "-Os")
    ]

    def verdict(package: Package, *targets: str) -> PackageVerdict:
        recipes = tuple(Recipe(package, 1, *pair) for pair in pairs[: 1 if targets else 2])
        places = [TargetCells(native(), recipes)]
        for name in targets:
            target = choose((name,), catalogue())[0]
            recipe = Recipe(package, 1, *target_configuration(target), target)
            places.append(TargetCells(target, (recipe,)))
        wanted = Wanted(Extent(Depth.GLANCE), outputs=True)
        with open_engine(strongest_jail(), tmp_path, Silence(), lasting=False) as engine:
            (found,) = judged(engine, [(package, tuple(places))], wanted)
        return found

    return verdict


def said(found: PackageVerdict, name: str = CONFIGURATIONS) -> CheckResult:
    """Return what is said of all cells alike."""
    (one,) = {replace(check, outputs=()) for check in found.checks if check.check == name}
    return one


def changed(tmp_path: Path, folder: str, file: str, old: str, new: str) -> Package:
    """Load a shipped package with a change, where nothing is known of its primitive."""
    place = f"{Path(folder).parts[0]}/unknown/ref"
    shutil.copytree(SHIPPED / folder, tmp_path / "tree" / place)
    source = tmp_path / "tree" / place / file
    text = source.read_text()
    assert text.count(old) == 1
    source.write_text(text.replace(old, new))
    found = load(tmp_path / "tree", place)
    assert isinstance(found, Package), found
    return found


def test_a_hash_that_differs_from_1000_bytes_on_fails_in_all_configurations(
    compare: Compare, hashes: Written
) -> None:
    """The evidence has the smallest input, and names both."""
    found = said(compare(hashes("two", SMALL.format("h += inlen >= 1000;"))))
    assert found.verdict is Verdict.FAIL
    assert found.reason == "different outputs for the same inputs: gcc_O2 / gcc_Os disagree"
    assert "crypto_hash with m of 1000 bytes" in found.evidence
    assert re.search(r"^gcc_Os\[0\.\.\] = ", found.evidence, re.MULTILINE)


def test_code_that_crashes_is_not_said_to_agree(compare: Compare, hashes: Written) -> None:
    """It computed nothing; other checks fail it, and what works is accused of nothing."""
    crash = SMALL.format("*(volatile char *)0 = 1;")
    found = compare(hashes("crash", crash))
    assert [one for one in found.checks if one.check == CONFIGURATIONS] == []


def test_two_ways_to_the_same_outputs_are_no_difference(compare: Compare, hashes: Written) -> None:
    """Code for one configuration alone is honest where it computes the same."""
    found = said(compare(hashes("ways", SMALL.format("h ^= 1; h ^= inlen; h ^= inlen ^ 1;"))))
    assert found.verdict is Verdict.PASS
    assert "2 object codes give the same outputs" in found.reason


def test_a_key_pair_that_differs_fails(compare: Compare, tmp_path: Path) -> None:
    """Both draw the same bytes, and make another key of them: neither fails by itself."""
    package = changed(
        tmp_path,
        "crypto_kem/mlkem768/ref",
        "kem.c",
        "    generate(pk, sk, d_z);",
        f"\n{SMALL.format('    d_z[0] ^= 1;')}    generate(pk, sk, d_z);",
    )
    found = said(compare(package))
    assert found.verdict is Verdict.FAIL
    assert "gcc_O2 / gcc_Os disagree" in found.reason


def test_another_order_of_draws_is_a_note(compare: Compare, tmp_path: Path) -> None:
    """What is made of other random bytes cannot be compared."""
    package = changed(
        tmp_path,
        "crypto_kem/mlkem768/ref",
        "kem.c",
        "    randombytes(d_z, 64);",
        "#ifdef __OPTIMIZE_SIZE__\n    randombytes(d_z + 32, 32); randombytes(d_z, 32);\n"
        "#else\n    randombytes(d_z, 64);\n#endif",
    )
    found = said(compare(package))
    assert found.verdict is Verdict.FINDING
    assert "draw random bytes differently" in found.reason


def test_a_stream_cipher_that_differs_from_78_bytes_on_fails(
    compare: Compare, tmp_path: Path
) -> None:
    """Its known answers are taken away, so that nothing else sees it."""
    folder = tmp_path / "toy"
    shutil.copytree(ROOT / "tests/whole/corpus/sync", folder)
    source = folder / "toy.c"
    last = "        add(ctx, in + whole, out + whole, length - whole);\n"
    text = source.read_text()
    assert text.count(last) == 1
    small = SMALL.format("    if (length > 77) out[0] ^= 1;")
    source.write_text(text.replace(last, last + small))
    found = said(compare(load_estream(folder)))
    assert found.verdict is Verdict.FAIL


@pytest.mark.targets
def test_machines_that_disagree_are_named(compare: Compare, hashes: Written) -> None:
    """A word is read as the machine has it."""
    if not look_for(choose(("qemu-s390x",), catalogue())[0]).ok:
        pytest.skip("qemu-s390x is not installed")
    own = "{ const unsigned n = 1; h += *(const unsigned char *)&n; }"
    found = said(compare(hashes("own", own), "qemu-s390x"), TARGETS)
    assert found.verdict is Verdict.FAIL
    assert "native / qemu-s390x disagree" in found.reason
    assert "crypto_hash with m of 0 bytes" in found.evidence
