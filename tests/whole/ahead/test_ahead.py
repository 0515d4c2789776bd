# SPDX-License-Identifier: MIT
"""`./scripts/ahead`: the tree that it makes, and the ratios that it prints."""

import subprocess
from pathlib import Path

import pytest
from tests.whole.ahead.contests import CONTESTS, Contest
from tests.whole.ahead.ratios import ratios
from tests.whole.ahead.tree import ROOT, present

from assay.model import Configuration, PackageKind
from assay.model.series import Implementation, Point, Series
from assay.model.supercop import Source

SHIPPED = ROOT / "submissions" / "supercop"
LAUNCHES = 8


def contest(primitive: str) -> Contest:
    """Return the contest of a primitive."""
    return next(one for one in CONTESTS if one.primitive == primitive)


def series(implementation: str, ticks: float, size: int = 576) -> Series:
    """Make figures that differ by a little from launch to launch."""
    points = tuple(Point(ticks + number / 1000) for number in range(LAUNCHES))
    name = f"crypto_stream/hc128/{implementation}"
    whose = Implementation(PackageKind.OPERATION, "crypto_stream", "hc128", name)
    configuration = Configuration("gcc", "gcc", "", "-O3", "gcc_native_O3", "gcc_native_O3")
    source = Source("vm", "amd64", "20261126", "assay-0.1.0")
    return Series(
        whose, configuration, "native", source, f"xor_cycles/{size}", size, "ticks",
        ticks, ticks, ticks, LAUNCHES, points,
    )  # fmt: skip


@pytest.mark.parametrize("one", CONTESTS, ids=lambda one: one.primitive)
def test_every_contest_has_a_package_that_takes_its_sizes(one: Contest) -> None:
    """A package that was renamed would leave its primitive out of the comparison."""
    header = (ROOT / one.folder / "ref" / "ecrypt-sync.h").read_text()
    assert f"#define ECRYPT_MAXKEYSIZE {one.key_bytes * 8}" in header or "KEYSIZE(i)" in header
    assert [folder for folder in (ROOT / one.folder).iterdir() if folder.name != "ref"]


@pytest.mark.slow
def test_a_wrapped_cipher_has_the_checksums_of_supercop(tmp_path: Path) -> None:
    """The two functions around our code compute what `crypto_stream` of SUPERCOP does."""
    (name,) = present(contest("hc128"), SHIPPED, tmp_path)
    command = [str(ROOT / "scripts/assay"), "check", name, "--tree", str(tmp_path), "--all"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pass checksum/small" in done.stdout
    assert "pass checksum/big" in done.stdout


def test_slow_implementations_do_not_compete(tmp_path: Path) -> None:
    """`ref` is there to be read."""
    names = present(contest("salsa20"), SHIPPED, tmp_path)
    assert names == ("crypto_stream/salsa20/assay-simd",)


def test_a_ratio_is_that_of_the_best_on_each_side() -> None:
    """Theirs takes 150 at best, ours 100: ours is faster by half of its time."""
    slow, fast = series("assay-fast", 130), series("assay-simd", 100)
    worse, best = series("e/hc-128/1", 190), series("e/hc-128/2", 150)
    (one,) = ratios([slow, fast, worse, best])
    assert round(one.ratio, 3) == 1.5
    assert one.low is not None
    assert one.high is not None
    assert one.low <= one.ratio <= one.high
    assert (one.ours, one.theirs) == (
        "hc128/assay-simd (gcc_native_O3)",
        "hc128/e/hc-128/2 (gcc_native_O3)",
    )


def test_a_size_that_one_side_lacks_has_no_ratio() -> None:
    """Theirs may fail to build."""
    sides = [series("assay-fast", 100), series("assay-fast", 400, 4096), series("e/x", 90, 4096)]
    assert [one.size_bytes for one in ratios(sides)] == [4096]


@pytest.mark.slow
def test_the_script_prints_a_ratio_for_each_size(tmp_path: Path) -> None:
    """With the tree that Assay brings, which is laid out as SUPERCOP's."""
    command = [str(ROOT / "scripts/ahead"), str(SHIPPED), "--only", "hc128", "--launches", "1"]
    done = subprocess.run(
        [*command, "--results", str(tmp_path)], check=False, capture_output=True, text=True
    )
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("hc128")]
    assert [float(cell) > 0 for cell in line.split()[1:]] == [True] * 3, done.stderr
    assert done.stdout.count("hc128/assay-fast") == 3
    assert done.returncode in {0, 1}
