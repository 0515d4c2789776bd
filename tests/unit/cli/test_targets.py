# SPDX-License-Identifier: MIT
"""`assay targets`: the table, the line of packages, and what is missing."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.cli.main import main
from assay.targets.catalogue import catalogue

Assay = Callable[..., tuple[int, str, str]]
USERS = """
[[target]]
name = "desk"
base = "qemu-cortex-m3"
runner = "serial"
line = "/dev/ttyACM0"
"""


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Assay:
    """Give a function that calls the command line: exit code, output, errors."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["assay", *arguments])
        with pytest.raises(SystemExit) as caught:
            main()
        out, err = capsys.readouterr()
        return int(caught.value.code or 0), out, err

    return call


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this a machine on which nothing is installed."""
    monkeypatch.setenv("PATH", str(tmp_path))


def test_every_target_has_a_row(assay: Assay) -> None:
    """In the order of the catalogue."""
    code, out, err = assay("targets")
    rows = [line.split()[0] for line in out.splitlines() if line.strip()]
    names = [one.name for one in catalogue()]
    assert (code, err) == (0, "")
    assert names == [row for row in rows if row in names]


@pytest.mark.usefixtures("bare")
def test_what_is_missing_is_shown_with_the_line_that_installs_it(assay: Assay) -> None:
    """Below the table, and with --missing the exit code says so."""
    code, out, _ = assay("targets", "--missing")
    assert code == 1
    assert "no: mips-linux-gnu-gcc, qemu-mips" in out
    (line,) = [one for one in out.splitlines() if "apt-get install" in one]
    assert {name for one in catalogue() for name in one.packages} == set(line.split()[4:])


@pytest.mark.usefixtures("bare")
def test_the_install_line_is_packages_only(assay: Assay) -> None:
    """For scripts; never the one that throws out every cross compiler."""
    code, out, _ = assay("targets", "--install-line")
    packages = out.split()
    assert code == 0
    assert packages == sorted({name for one in catalogue() for name in one.packages})
    assert "gcc-multilib" not in packages


def test_json_has_the_fields_of_each_target(assay: Assay) -> None:
    """And whether it is installed."""
    code, out, _ = assay("targets", "--json")
    records = json.loads(out)["targets"]
    assert code == 0
    assert [one["name"] for one in records] == [one.name for one in catalogue()]
    assert all(one["installed"] == (not one["missing"]) for one in records)
    mips = next(one for one in records if one["name"] == "qemu-mips")
    assert (mips["endian"], mips["bits"], mips["architecture"]) == ("big", 32, "mips-be")


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("form", ["csv", "json", "latex", "markdown", "html"])
def test_the_table_has_every_format(assay: Assay, form: str) -> None:
    """As the tables of results have; `--install-line` has the line for other programs."""
    code, out, _ = assay("targets", "--format", form)
    assert code == 0
    assert "qemu-mips" in out
    assert "mips-be" in out
    assert ("apt-get install" in out) is (form == "json")
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(out)))
        assert [row["name"] for row in rows] == [one.name for one in catalogue()]
        mips = next(row for row in rows if row["name"] == "qemu-mips")
        assert (mips["bits"], mips["missing"]) == ("32", "mips-linux-gnu-gcc, qemu-mips")


def test_a_users_targets_stand_below_the_others(assay: Assay, tmp_path: Path) -> None:
    """With --targets-file."""
    path = tmp_path / "mine.toml"
    path.write_text(USERS)
    code, out, _ = assay("targets", "--targets-file", str(path))
    assert code == 0
    names = [line.split()[0] for line in out.splitlines() if line.strip()]
    assert [name for name in names if name in ("native", "desk")] == ["native", "desk"]


def test_a_file_with_a_mistake_is_an_error_with_a_cure(assay: Assay, tmp_path: Path) -> None:
    """Exit code 2, the file, and where the form is described."""
    path = tmp_path / "mine.toml"
    path.write_text(USERS.replace("line", "lime"))
    code, out, err = assay("targets", "--targets-file", str(path))
    assert (code, out) == (2, "")
    assert "mine.toml" in err
    assert "docs/reference/targets.md" in err


def test_a_target_that_nobody_knows_is_an_error(assay: Assay) -> None:
    """Every command that takes one says where they are listed."""
    code, _, err = assay("check", "rc4", "--target", "qemu-mpis")
    assert code == 2
    assert "unknown target 'qemu-mpis'" in err
    assert "qemu-mips" in err
