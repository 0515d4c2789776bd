# SPDX-License-Identifier: MIT
"""The tables of the slides in every form but HTML."""

import csv
import io
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console
from tests.unit.report.operations.conftest import (
    CLANG,
    EXPECTED,
    GCC,
    HOSTILE,
    OWN,
    PUBLISHED,
    aead,
    hashes,
    hostile,
    kems,
    measured,
    records_of,
    streams,
    subject,
)

from assay.errors import UsageError
from assay.model.supercop import Attempt
from assay.report.curves import Choice, Records
from assay.report.formats.forms import WRITERS
from assay.report.formats.latex import escaped
from assay.report.formats.terminal import render
from assay.report.operations import operation_report
from assay.report.quantities import Part, parse_size
from assay.report.table import Report

SUFFIXES = {"csv": "csv", "json": "json", "latex": "tex"}


def export_operation(
    records: Records, operation: str, form: str, choice: Choice | None = None
) -> str:
    """Write the tables of an operation in a form."""
    return WRITERS[form](operation_report(records, [operation], choice, form))


def show_operation(
    records: Records, operation: str, size: int | str | None = None, **options: object
) -> Report:
    """Make the tables of an operation for a terminal."""
    return operation_report(records, [operation], Choice(size, **options))  # type: ignore[arg-type]


def shown(records: Records, operation: str, *size: int | str, **options: object) -> str:
    """Print as a terminal of 160 columns would."""
    console = Console(width=160, file=io.StringIO(), highlight=False)
    report = show_operation(records, operation, *size, **options)  # type: ignore[arg-type]
    console.print(render(report, console))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def lines(
    records: Records, operation: str, *size: int | str, **options: object
) -> list[list[str]]:
    """Give the words of each line."""
    return [line.split() for line in shown(records, operation, *size, **options).splitlines()]


def test_the_table_of_the_slides() -> None:
    """Medians are those of the published run, divided by 576 by hand."""
    found = lines(hashes(), "crypto_hash", 576)
    assert found[2][:3] == ["25%", "50%", "75%"]
    table = [(line[1], line[3], line[4]) for line in (*found[3:6], found[7])]
    assert table == [
        ("1.69", "sha256", "ref"),
        ("3.01", "blake2b", "regs"),
        ("3.48", "sha512", "ref"),
        ("3.93", "T:md5", "openssl"),
    ]


@pytest.mark.parametrize("size", ["576", "long", ""])
def test_the_terminal_shows_what_is_expected(size: str) -> None:
    """The whole text, read by eye once."""
    chosen = [parse_size(size)] if size else []
    expected = (EXPECTED / f"terminal-{size or 'all'}.txt").read_text()
    assert shown(hashes() + streams(), "crypto_hash", *chosen) == expected


@pytest.mark.parametrize("form", list(SUFFIXES))
def test_the_exports_are_what_is_expected(form: str) -> None:
    """The whole text, read by eye once; two machines, one in ticks."""
    records = hashes() + hashes(OWN, 1.25, "ticks")
    text = export_operation(records, "crypto_hash", form)
    assert text == (EXPECTED / f"tables.{SUFFIXES[form]}").read_text()


def test_every_form_says_which_way_is_better() -> None:
    """Nobody has to know it."""
    texts = [export_operation(hashes(), "crypto_hash", form) for form in WRITERS]
    texts.append(shown(hashes(), "crypto_hash", 576))
    assert all("lower is better" in text for text in texts)


def test_ticks_and_cycles_are_never_in_one_table() -> None:
    """Not even where all machines stand in one."""
    records = hashes() + hashes(OWN, 1.25, "ticks")
    text = shown(records, "crypto_hash", 576, together=True)
    cycles, ticks = text.split("crypto_hash, ")[1:]
    assert "cycles/byte" in cycles
    assert "ticks/byte" in ticks
    assert (cycles.count("sha256"), ticks.count("sha256")) == (1, 1)


def test_machines_may_share_a_table() -> None:
    """In one unit they are sorted together, with a column that tells them apart."""
    records = hashes() + hashes(replace(PUBLISHED, machine="other"), 2.0)
    found = lines(records, "crypto_hash", 576, together=True)
    assert found[2][-1] == "machine"
    medians = [float(line[1]) for line in found[3:9]]
    assert medians == sorted(medians)
    assert [line[-3] for line in found[3:7]] == ["vm", "vm", "other", "vm"]


def test_what_failed_its_tests_is_in_no_table() -> None:
    """avx2-1 is the fastest of all and has other checksums."""
    assert "avx2-1" not in shown(hashes(), "crypto_hash", 576)


def test_a_failure_on_another_machine_excludes_nothing() -> None:
    """Nor does one of another configuration."""
    whose = subject("crypto_hash", "sha256/ref")
    for attempt in (
        Attempt(OWN, whose, "fails"),
        Attempt(PUBLISHED, replace(whose, compiler=CLANG), "fails"),
    ):
        assert " sha256 " in shown(hashes() + Records(attempts=(attempt,)), "crypto_hash", 576)


def test_the_newest_of_two_measurements_counts() -> None:
    """Whichever comes first."""
    whose = subject("crypto_hash", "sha256/ref")
    old = measured(whose, "cycles", 576, 5760, replace(PUBLISHED, date="20250101"))
    new = measured(whose, "cycles", 576, 1152)
    for pair in ((old, new), (new, old)):
        assert lines(records_of(pair), "crypto_hash", 576)[2][1] == "2.00"


def test_three_measurements_of_one_day_are_pooled() -> None:
    """SUPERCOP's three passes: 16 values with 10, 20 and 30 per byte; one pass of an older day.

    Of the second and third eighth of 48 values, ten are 10 and two are 20: 140 / 12.
    """
    whose = subject("crypto_hash", "sha256/ref")
    passes = [
        replace(measured(whose, "cycles", 576, 576 * cost), values=(576 * cost,) * 16)
        for cost in (30, 10, 20)
    ]
    old = replace(passes[0], source=replace(PUBLISHED, date="20250101"), values=(1,) * 16)
    found = lines(records_of((passes[0], old, *passes[1:])), "crypto_hash", 576)
    assert found[2][:3] == ["11.67", "20.00", "28.33"]


def test_both_directions_of_associated_data_count_all_bytes() -> None:
    """5 cycles per byte of message, 2.5 per byte of associated data, 5 per byte of both."""
    medians = {part: lines(aead(), "crypto_aead", 576, part=part)[2][1] for part in Part}
    assert medians == {Part.MESSAGE: "5.00", Part.OTHER: "2.50", Part.BOTH: "5.00"}


def test_the_output_of_an_xof_grows_beside_a_message_of_32_bytes() -> None:
    """SUPERCOP's sizes: 1000000 times the output's length, and the message's."""
    whose = subject("crypto_xof", "shake128/ref")
    records = records_of((
        measured(whose, "cycles", 32_000_576, 5760),
        measured(whose, "cycles", 576_000_032, 1152),
    ))  # fmt: skip
    assert lines(records, "crypto_xof", 576)[2][1] == "10.00"
    assert lines(records, "crypto_xof", 576, part=Part.OTHER)[2][1] == "2.00"


def test_public_key_operations_are_per_call() -> None:
    """Encapsulation first, then decapsulation and key pair."""
    text = shown(kems(), "crypto_kem")
    assert text.count("cycles/call, lower is better") == 3
    assert "16684" in text
    assert "randombytes" not in text


def test_random_bytes_are_shown_to_whom_asks() -> None:
    """Their unit is bytes."""
    text = shown(kems(), "crypto_kem", measure="keypair_randombytes")
    assert "bytes/call" in text
    assert "64.00" in text


def test_signatures_show_messages_of_59_bytes() -> None:
    """Per call, not per byte, as eBATS does."""
    whose = subject("crypto_sign", "ed25519/amd64-64-24k")
    records = records_of((measured(whose, "cycles", 59, 33018), measured(whose, "cycles", 8, 1)))
    found = lines(records, "crypto_sign")
    assert found[2][1] == "33018"


def test_long_is_a_stated_fit() -> None:
    """25 cycles per block of 64 bytes; the range stands below the table."""
    text = shown(streams(), "crypto_stream", "long")
    assert " 0.39 " in text
    assert "through the lengths 2048..4096" in text
    assert "How eBACS extrapolates is not published." in text


def test_a_size_that_was_not_measured_is_named_with_its_neighbours() -> None:
    """The cure lists lengths that were."""
    with pytest.raises(UsageError, match="500 bytes: not measured") as caught:
        show_operation(hashes(), "crypto_hash", 500)
    assert caught.value.cure == "Lengths nearby that were measured: 576, 1536, 4096."


@pytest.mark.parametrize(
    ("operation", "options", "message"),
    [
        ("crypto_nothing", {}, "there is no operation"),
        ("crypto_hash", {"measure": "speed"}, "has no measure 'speed'"),
        ("crypto_hash", {"part": Part.OTHER}, "crypto_hash has no ad"),
        ("crypto_kem", {"size": 576}, "has no length"),
    ],
)
def test_what_does_not_exist_is_refused(
    operation: str, options: dict[str, object], message: str
) -> None:
    """Each with a cure."""
    with pytest.raises(UsageError, match=message) as caught:
        show_operation(hashes() + kems(), operation, **options)  # type: ignore[arg-type]
    assert caught.value.cure


@pytest.mark.parametrize("text", ["", "-5", "5.5", "short", "²"])
def test_only_numbers_and_long_are_sizes(text: str) -> None:
    """The message gives what was said."""
    with pytest.raises(UsageError, match="is no size"):
        parse_size(text)


def test_a_table_fits_a_narrow_terminal() -> None:
    """Long command lines are folded; nothing is cut off."""
    console = Console(width=60, file=io.StringIO())
    console.print(render(show_operation(hashes(), "crypto_hash", 576), console))
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= 60
    assert "".join(GCC.split()) in "".join(text.split()) or "-fwrapv" in text


def test_hostile_names_stay_text() -> None:
    """No formula in a spreadsheet, no escape sequence on a terminal, valid JSON."""
    records = hostile()
    whose = replace(subject("crypto_hash", "x/ref"), primitive="=1+1", compiler="\x1b[2J")
    records += records_of((measured(whose, "cycles", 576, 4.0),))
    table = list(csv.DictReader(io.StringIO(export_operation(records, "crypto_hash", "csv"))))
    assert {row["primitive"] for row in table} == {HOSTILE, "'=1+1"}
    names = {
        row["primitive"]
        for each in json.loads(export_operation(records, "crypto_hash", "json"))["tables"]
        for row in each["rows"]
    }
    assert names == {HOSTILE, "=1+1"}
    assert "\x1b" not in shown(records, "crypto_hash", 576)


def test_latex_escapes_everything_that_means_something() -> None:
    """Also two hyphens, which would become a dash, and what LaTeX may not know."""
    assert escaped(r"\a{b}$c&d#e%f_g^h~i") == (
        r"\textbackslash{}a\{b\}\$c\&d\#e\%f\_g\textasciicircum{}h\textasciitilde{}i"
    )
    assert escaped("--param é\n") == "-{}-param ??"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_latex_compiles(tmp_path: Path) -> None:
    """Hostile names and all forms of tables, in a document of the packages named."""
    records = hashes() + hashes(OWN, 1.25, "ticks") + hostile()
    whose = replace(subject("crypto_hash", "x/ref"), compiler="".join(map(chr, range(32, 127))))
    records += records_of((measured(whose, "cycles", 576, 1),))
    tables = export_operation(records, "crypto_hash", "latex", Choice(together=True))
    (tmp_path / "tables.tex").write_text(tables)
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\\usepackage{array}\n"
        "\\usepackage[T1]{fontenc}\n"
        "\\begin{document}\\input{tables}\\end{document}\n"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
