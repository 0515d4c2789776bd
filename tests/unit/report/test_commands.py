# SPDX-License-Identifier: MIT
"""`assay show`, `collect` and `tabulate`, called as a user does."""

import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assay.cli import collect, show
from assay.errors import UsageError
from assay.store import Store
from assay.summary.cells import Results


@pytest.fixture
def folder(store: Store, results: Results) -> Path:
    """Give the folder of a filled and closed store, with a shortlist of its own."""
    assert results.cells
    store.close()
    (store.path.parent / "shortlist").write_text("      9 gcc_default_O3\n      4 gcc_old\n")
    return store.path.parent


def call(command: object, *arguments: str | Path) -> Result:
    """Call a command and expect it to succeed."""
    result = CliRunner().invoke(command, [str(each) for each in arguments])  # type: ignore[arg-type]
    assert result.exit_code == 0, result.output
    return result


def test_show_prints_the_best_of_every_package(folder: Path) -> None:
    """Sorted by stream, unit stated, failures named and below, benchmarks marked."""
    answer, *lines = call(show.command, folder).stdout.splitlines()
    assert answer.startswith("Stream ciphers: hc-128/fast is the fastest: 2.76 cycles/byte, 67")
    assert lines[0].startswith("Stream ciphers: cycles/byte, setups cycles/setup; lower is better")
    firsts = [line.split()[1] for line in lines[2:6]]
    assert firsts == ["HC-128", "SALSA20", "AES-CTR", "<SCRIPT>ALERT(1)<"]
    assert "FAILED" in lines[5]
    assert any("FAILED: context/interleaved: calls with another" in line for line in lines)
    assert "(benchmark)" in lines[4]
    assert any("mosquito/ref: not loaded: there is no ecrypt-sync.h" in line for line in lines)


def test_show_all_prints_every_configuration(folder: Path) -> None:
    """HC-128 was built twice and SALSA20 measured three times."""
    text = call(show.command, folder, "--all").stdout
    assert (text.count("HC-128"), text.count("SALSA20")) == (2, 3)


def test_the_name_of_a_cipher_shows_its_packages(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the folder at hand or a named one; a folder of that name comes first."""
    monkeypatch.chdir(folder)
    text = call(show.command, "salsa20").stdout
    assert "SALSA20" in text
    assert "HC-128" not in text
    assert "mosquito" not in text
    monkeypatch.chdir("/")
    assert call(show.command, "salsa20", folder).stdout == text
    assert call(show.command, "salsa20", "--results", folder).stdout == text
    with pytest.raises(UsageError, match="no results in trivium"):
        CliRunner().invoke(show.command, ["trivium", str(folder)], catch_exceptions=False)
    (tmp_path / "salsa20").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="no results in salsa20"):
        CliRunner().invoke(show.command, ["salsa20"], catch_exceptions=False)


def test_show_json_has_everything(folder: Path) -> None:
    """Failed builds and verdicts are there too."""
    document = json.loads(call(show.command, folder, "--json").stdout)
    assert document["direction"] == "lower is better"
    assert len(document["cells"]) == 8
    states = sorted(cell["state"] for cell in document["cells"])
    assert states == ["broken", "fail", "fail", "pass", "pass", "pass", "pass", "pass"]


def test_show_csv_has_the_rows_of_the_table(folder: Path) -> None:
    """Units stand in every line; the figures are those of JSON."""
    rows = list(csv.DictReader(io.StringIO(call(show.command, folder, "--csv").stdout)))
    (table,) = json.loads(call(show.command, folder, "--json").stdout)["tables"]
    assert [row["package"] for row in rows] == [row["package"] for row in table["rows"]]
    hc = next(row for row in rows if row["package"] == "hc-128/fast")
    assert (hc["unit"], hc["launches"]) == ("cycles/byte, setups cycles/setup", "5")
    known = next(row for row in table["rows"] if row["package"] == "hc-128/fast")
    assert float(hc["stream/long"]) == known["stream/long"]


def test_show_without_results_says_what_to_do(tmp_path: Path) -> None:
    """The error is the user's to cure."""
    with pytest.raises(UsageError, match="no results in"):
        CliRunner().invoke(show.command, [str(tmp_path)], catch_exceptions=False)


def test_collect_writes_pages_and_text_files(folder: Path) -> None:
    """It prints the path of the first page; each cell has its text file."""
    result = call(collect.command, folder)
    assert result.stdout.splitlines()[0] == str(folder / "index.html")
    salsa = sorted(path.name for path in (folder / "submissions/salsa20/ref").iterdir())
    assert salsa == [
        "errors_1_gcc-12_O9",
        "errors_1_gcc-12_default_Os",
        "speed_1_gcc-12_default_O2",
        "speed_1_gcc-12_default_O3",
    ]


def test_collect_asks_nobody_when_nobody_is_there(folder: Path) -> None:
    """Without a terminal and without --yes the shortlist stays."""
    before = (folder / "shortlist").read_text()
    result = call(collect.command, folder)
    assert "Should I update" not in result.output
    assert (folder / "shortlist").read_text() == before


def test_collect_yes_raises_the_winners(folder: Path) -> None:
    """Three packages were won by -O3; what did not win stays listed."""
    call(collect.command, folder, "--yes")
    assert (folder / "shortlist").read_text() == "      4 gcc_old\n      3 gcc_default_O3\n"


def test_collect_asks_on_a_terminal_and_return_means_yes(folder: Path) -> None:
    """The HOWTO's question, with its default."""
    main, side = pty.openpty()
    os.write(main, b"\n")
    call_main = "from assay.cli.collect import command; command()"
    done = subprocess.run(
        [sys.executable, "-c", call_main, str(folder)], stdin=side, capture_output=True, check=True
    )
    os.close(main)
    os.close(side)
    assert b"Should I update the shortlist? [Y/n] " in done.stdout
    assert "3 gcc_default_O3" in (folder / "shortlist").read_text()


def test_collect_makes_a_page_of_text_reports_alone(folder: Path, tmp_path: Path) -> None:
    """A folder of the original framework has speed files and no store."""
    call(collect.command, folder)
    old = tmp_path / "old"
    (folder / "submissions").rename(tmp_path / "moved")
    (tmp_path / "moved").rename(old)
    result = call(collect.command, old)
    assert result.stdout.strip() == str(old / "index.html")
    assert 'href="salsa20/ref/speed_1_gcc-12_default_O3"' in (old / "index.html").read_text()


def test_tabulate_prints_the_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are sorted by stream; links are relative to where one stands."""
    call(collect.command, folder)
    monkeypatch.chdir(folder)
    files = sorted(Path("submissions").rglob("speed_*"))
    text = call(collect.tabulate_command, *files).stdout
    assert text.index("HC-128") < text.index("SALSA20")
    assert 'href="submissions/hc-128/fast/speed_1_gcc-12_default_O3"' in text
