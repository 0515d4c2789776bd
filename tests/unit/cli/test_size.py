# SPDX-License-Identifier: MIT
"""`assay size`: one row where a package belongs, as table, CSV, JSON and page."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.cli.main import main
from assay.targets.catalogue import catalogue, choose, look_for

ROOT = Path(__file__).parents[3]
Assay = Callable[..., tuple[int, str, str]]
TARGET = "qemu-mips"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Make a tree with one hash for MIPS."""
    (target,) = choose([TARGET], catalogue())
    if not look_for(target).ok:
        pytest.skip(look_for(target).reason)
    root = tmp_path / "tree"
    shutil.copytree(ROOT / "submissions/shabal/mips-be", root / "submissions/shabal/mips-be")
    for name in ("verified.vectors", "published.toml"):
        shutil.copy(ROOT / "submissions/shabal" / name, root / "submissions/shabal")
    return root


@pytest.fixture
def assay(
    tree: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Give a function that calls the command line: exit code, output, errors."""
    monkeypatch.setenv("ASSAY_ROOT", str(tree))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["assay", *arguments])
        with pytest.raises(SystemExit) as caught:
            main()
        out, err = capsys.readouterr()
        return int(caught.value.code or 0), out, err

    return call


def test_the_table_has_size_steps_and_the_published_bytes(assay: Assay) -> None:
    """952 bytes is what the paper states for big-endian MIPS."""
    code, out, _ = assay("size", "shabal", "--target", TARGET)
    (row,) = [line.split() for line in out.splitlines() if "shabal/mips-be" in line]
    assert code == 0
    assert row[:2] == [TARGET, "shabal/mips-be"]
    assert row[2:4] == ["vectors", "equal"]
    assert int(row[4]) < 952
    assert row[5] == "952"


def test_assembly_is_measured_on_its_own_architecture_only(assay: Assay) -> None:
    """Elsewhere there is not even an empty row."""
    code, out, _ = assay("size", "shabal", "--target", "qemu-mipsel", "--csv")
    assert code == 0
    assert "mips-be" not in out


def test_csv_and_json_have_the_same_figures(assay: Assay) -> None:
    """Machine-readable, on the standard output alone."""
    _, text, _ = assay("size", "shabal", "--target", TARGET, "--csv")
    _, document, _ = assay("size", "shabal", "--target", TARGET, "--json")
    (row,) = csv.DictReader(text.splitlines())
    (record,) = json.loads(document)["packages"]
    assert (row["package"], row["target"]) == ("shabal/mips-be", TARGET)
    assert record["published_bytes"] == 952
    for name in ("bytes", "dec", "context", "stack", "long_per_byte", "short", "published_bytes"):
        assert row[name] == str(record[name])


def test_speed_is_compared_with_the_unrolled_form(assay: Assay, tree: Path) -> None:
    """Where one ships; it is measured for that if nobody names it, and has no row then."""
    _, before, _ = assay("size", "shabal", "--target", TARGET, "--json")
    assert json.loads(before)["packages"][0]["unrolled_percent"] is None
    shutil.copytree(ROOT / "submissions/shabal/unrolled", tree / "submissions/shabal/unrolled")
    _, document, _ = assay("size", "shabal/mips-be", "--target", TARGET, "--json")
    (alone,) = json.loads(document)["packages"]
    _, document, _ = assay("size", "shabal", "--target", TARGET, "--json")
    rows = {one["package"]: one for one in json.loads(document)["packages"]}
    compact, unrolled = rows["shabal/mips-be"], rows["shabal/unrolled"]
    percent = 100 * unrolled["long_per_byte"] / compact["long_per_byte"]
    assert alone["unrolled_percent"] == pytest.approx(percent, abs=0.1)
    assert compact["unrolled_percent"] == alone["unrolled_percent"]
    assert unrolled["unrolled_percent"] is None


def test_a_page_is_written_beside_the_table(assay: Assay, tmp_path: Path) -> None:
    """With --output, and with what the bytes are."""
    page = tmp_path / "page.html"
    code, out, _ = assay("size", "shabal", "--target", TARGET, "--output", f"html:{page}")
    assert code == 0
    assert "shabal/mips-be" in out
    assert "shabal/mips-be on qemu-mips: " in page.read_text()
    assert ".MIPS.abiflags" in page.read_text()


def test_a_wrong_digest_is_exit_code_1(assay: Assay, tree: Path) -> None:
    """The figure is shown, and that it is worth nothing."""
    path = tree / "submissions/shabal/verified.vectors"
    lines = path.read_text().splitlines()
    lines[1] = lines[1][:-8] + ("0" * 8 if not lines[1].endswith("0" * 8) else "1" * 8)
    path.write_text("\n".join(lines) + "\n")
    code, out, _ = assay("size", "shabal", "--target", TARGET)
    assert code == 1
    assert "vectors equal" not in out


def test_a_package_that_cannot_be_loaded_is_an_error(assay: Assay, tree: Path) -> None:
    """Exit code 2, with the reason and a cure."""
    (tree / "submissions/shabal/mips-be/shabal.S").unlink()
    code, out, err = assay("size", "shabal", "--target", TARGET)
    assert (code, out) == (2, "")
    assert "has a header and no source" in err


def test_a_device_that_is_too_small_is_said_to_be_by_how_much(assay: Assay) -> None:
    """Some 460 bytes do not fit 400: exit code 1; they fit 16 KiB with any stack of its size."""
    at = ("size", "shabal", "--target", TARGET)
    code, out, _ = assay(*at, "--flash", "400", "--json")
    (row,) = json.loads(out)["packages"]
    assert (code, row["fits"]) == (1, False)
    assert row["missing"] == {"flash": row["bytes"] - 400}
    code, out, _ = assay(*at, "--flash", "16K", "--ram", "4K", "--json")
    (row,) = json.loads(out)["packages"]
    assert (code, row["fits"], row["missing"]) == (0, True, {})
    assert row["ram_bytes"] == row["context"] + row["stack"]


def test_a_size_with_another_unit_is_refused(assay: Assay) -> None:
    """The message shows how to write it."""
    code, _, err = assay("size", "shabal", "--flash", "16 kB")
    assert code == 2
    assert "16 kB" in err
    assert "16K" in err
