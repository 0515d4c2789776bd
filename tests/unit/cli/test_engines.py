# SPDX-License-Identifier: MIT
"""Which engine of `assay ct` finds which kinds of leaks: the table in the guide, from a run."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.caches import new_cache
from tests.unit.cli.calling import Assay, calling

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs/guide/constant-time.md"
KINDS = {
    "branch": "a branch on a key's bit",
    "index": "a table that is indexed by the key",
    "comparison": "`memcmp` of the key",
    "carry": "a branch on a carry out of the key's bits",
    "bound": "a loop whose end is a byte of the key",
    "division": "a division by the key",
    "wide": "a division of double words by the key",
    "mask": "a mask whose two values the compiler sees",
    "shift": "a shift by the key",
}
ENGINES = {
    "gcc": ("valgrind, gcc", ("--compiler", "gcc")),
    "clang": ("valgrind, clang", ("--compiler", "clang")),
    "msan": ("msan, clang", ("--compiler", "clang", "--engine", "msan")),
    "arm": ("traces, Arm (`qemu-armv4`)", ("--target", "qemu-armv4")),
    "avr": ("traces, AVR (`simavr-atmega1281`)", ("--target", "simavr-atmega1281")),
    "avr clang": (
        "traces, AVR, clang",
        ("--target", "simavr-atmega1281", "--compiler", "clang"),
    ),
    "riscv": ("traces, RISC-V (`qemu-riscv64`)", ("--target", "qemu-riscv64")),
}


@pytest.fixture
def assay(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Assay:
    """Give a function that calls the command line on a tree with the package."""
    root = tmp_path / "submissions/kinds/ref"
    shutil.copytree(ROOT / "src/assay/harness/planted/leaks", root)
    (root / "planted.c").unlink()
    shutil.copy(Path(__file__).parent / "kinds_of_leaks.c", root)
    monkeypatch.setenv("ASSAY_ROOT", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(new_cache(tmp_path_factory)))
    return calling(monkeypatch, capsys)


@pytest.mark.slow
def test_the_guide_says_which_engine_finds_which_kind_of_leak(assay: Assay) -> None:
    """Every engine is run on the same code; none finds anything in honest code of its shape."""
    if not all(
        map(shutil.which, ("valgrind", "gcc", "clang", "qemu-arm", "avr-gcc", "qemu-riscv64"))
    ):
        pytest.skip("not all engines are here")
    found = {name: _found(assay, options) for name, (_, options) in ENGINES.items()}
    heads = [title for title, _ in ENGINES.values()]
    lines = [f"| planted | {' | '.join(heads)} |", "|---" * (1 + len(heads)) + "|"]
    for kind, text in KINDS.items():
        cells = (_cell(found[name], kind) for name in ENGINES)
        lines.append(f"| {text} | {' | '.join(cells)} |")
    counts = (f"{len(one)} of {len(KINDS)}" for one in found.values())
    lines.append(f"| found | {' | '.join(counts)} |")
    assert "\n".join(lines) in GUIDE.read_text(), "\n".join(lines)


@pytest.mark.slow
def test_clangs_code_for_an_avr_is_examined(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """It makes branches of short masks, so the honest code beside the planted leaks has none."""
    if not all(map(shutil.which, ("clang", "avr-gcc"))):
        pytest.skip("clang or avr-gcc is not here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(new_cache(tmp_path_factory)))
    called = calling(monkeypatch, capsys)
    words = ("--target", "simavr-atmega1281", "--compiler", "clang", "--level", "-O1")
    done = called("ct", "crypto_verify/16/ref", *words, "--no-cures", "--no-price")
    assert re.search(r"^clang [\d.]+ +clean$", done.out, re.MULTILINE), done.out


DIVIDED = "sum += LEAKS ? 65535u / (key[i] + 1u)"
SOMETIMES = "sum += LEAKS ? kind_sometimes(65535u, key[i] + 1u, i)"
CONDITIONAL = """
static APART u32 kind_sometimes(u32 value, u32 by, u32 wanted)
{
    return wanted & 4 ? value / by : value;
}

static APART u32 kind_division("""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "compiler"),
    [
        ("qemu-cortex-m3", "arm-none-eabi-gcc"),
        ("qemu-mipsel", "mipsel-linux-gnu-gcc"),
        ("qemu-ppc603e", "powerpc-linux-gnu-gcc"),
        ("qemu-s390x", "s390x-linux-gnu-gcc"),
    ],
)
def test_a_division_under_a_public_condition_is_found_where_the_processor_divides(
    target: str, compiler: str, assay: Assay, tmp_path: Path
) -> None:
    """On a Cortex-M3 it is a conditional instruction behind another; honest code multiplies."""
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    path = tmp_path / "submissions/kinds/ref/kinds_of_leaks.c"
    text = path.read_text()
    before = "\nstatic APART u32 kind_division("
    assert text.count(DIVIDED) == text.count(before) == 1
    path.write_text(text.replace(DIVIDED, SOMETIMES).replace(before, CONDITIONAL))
    found = _found(assay, ("--target", target))
    assert found["sometimes"] == ["division"]


HONEST = "(key[i] * 43691u) >> 17"
MULTIPLIED = "sum += kind_product(LEAKS ? key[i] * 65537u : i, LEAKS ? key[i] + 3u : i + 5)"
PRODUCT = """
static APART u32 kind_product(u32 one, u32 other)
{
    return (u32)((u64)one * other >> 32) ^ (u32)((u64)one * (one ^ other) >> 16);
}

static APART u32 kind_division("""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "compiler"),
    [
        ("qemu-armv4", "arm-linux-gnueabi-gcc"),
        ("qemu-cortex-m3", "arm-none-eabi-gcc"),
        ("qemu-ppc603e", "powerpc-linux-gnu-gcc"),
    ],
)
def test_a_multiplication_of_secrets_is_found_where_small_numbers_take_less_time(
    target: str, compiler: str, assay: Assay, tmp_path: Path
) -> None:
    """One of what is public is not, in the same function."""
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    path = tmp_path / "submissions/kinds/ref/kinds_of_leaks.c"
    text = path.read_text()
    before = "\nstatic APART u32 kind_division("
    line = f"{DIVIDED} : {HONEST}"
    assert text.count(line) == text.count(before) == 1
    path.write_text(text.replace(line, MULTIPLIED).replace(before, PRODUCT))
    places = [(place, variant) for place, _, variant in _places(assay, ("--target", target), True)]
    assert ("product", 1) in places
    assert ("product", 2) not in places


def _found(assay: Assay, options: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the kinds of places that an engine finds in each function of the leaking variant.

    Honest code multiplies in place of what the other does, and on some processors that is found.
    """
    found: dict[str, list[str]] = {}
    for function, kind, variant in _places(assay, options, False):
        assert variant == 1, (function, kind)
        found.setdefault(function, []).append(kind)
    return found


def _places(
    assay: Assay, options: tuple[str, ...], multiplications: bool
) -> Iterator[tuple[str, str, int]]:
    """Yield functions that leak, what, and in which variant; multiplications or all others."""
    done = assay("ct", "kinds/ref", *options, "--level", "-O2", "--no-cures", "--json")
    seen = (0, 3) if "msan" in options else (0,)  # it sees no dividends, and says so
    assert done.code in seen, done.err
    for table in json.loads(done.out)["tables"]:
        for row in table["rows"]:
            if "place" not in row:
                assert "not examined" not in row["-O2"], row
            elif (row["kind"] == "multiplication") is multiplications:
                function = re.search(r"\bkind_([a-z]+)", row["place"])  # or what it calls
                name = function[1] if function else row["place"]
                yield name, row["kind"], 2 if "(variant 2)" in table["title"] else 1


def _cell(found: dict[str, list[str]], kind: str) -> str:
    return " and ".join(sorted(set(found.get(kind, ())))) or "-"


@pytest.mark.slow
def test_a_branch_that_a_compiler_made_of_a_mask_is_cured_by_an_option(assay: Assay) -> None:
    """Clang's back end makes branches of conditional moves, as in PQClean's issue 608.

    What leaks without optimisation, too, is of the source, and no option is tried for it.
    """
    if not shutil.which("clang") or not shutil.which("valgrind"):
        pytest.skip("no clang or no valgrind")
    levels = ("--level", "-O0", "--level", "-O2")
    done = assay("ct", "kinds/ref", "--compiler", "clang", *levels, "--no-price", "--json")
    cures = [
        (row["place"].partition(" ")[0], row["option"])
        for table in json.loads(done.out)["tables"]
        for row in table["rows"]
        if "option" in row
    ]
    assert ("kind_mask", "-mllvm -x86-cmov-converter=false") in cures
    assert {place for place, _ in cures} == {"kind_mask"}
    assert "-fno-jump-tables" not in {option for _, option in cures}
