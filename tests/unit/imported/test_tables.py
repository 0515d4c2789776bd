# SPDX-License-Identifier: MIT
"""Published tables of microcontrollers: pqm4's and NIST's, as cut from the files themselves."""

from pathlib import Path

from click.testing import CliRunner

from assay.cli.export import import_command
from assay.imported.files import has_lines, lines, opened, reader_for
from assay.model.supercop import Measurement, ObjectSize, Record

DEC, OPEN = "1387984,1385144,1397397", "1421563,1416957,1424879"
PQM4 = f"""Speed Evaluation,,,,,,,,,,
Key Encapsulation Schemes,,,,,,,,,,
Scheme,Implementation,Key Generation [cycles] (mean),Key Generation [cycles] (min),,,,,,,
ml-kem-768 (10 executions),clean,988722,985880,998135,1138225,1135419,1147634,{DEC}
Signature Schemes,,,,,,,,,,
ml-dsa-44 (1000 executions),m4f,1426115,1280217,1483617,3757486,1813622,17020104,{OPEN}
Memory Evaluation,,,,,,,,,,
Key Encapsulation Schemes,,,,,,,,,,
ml-kem-768,clean,10136,13320,14408,,,,,,
Hashing Evaluation,,,,,,,,,,
Key Encapsulation Schemes,,,,,,,,,,
ml-kem-768,clean,78.2,74.4,62.9,,,,,,
Size Evaluation,,,,,,,,,,
Key Encapsulation Schemes,,,,,,,,,,
ml-kem-768,clean,5416,4,8,5428,,,,,
"""
NIST = """submission,variant,primary,implementation,config,flash,enc(0:8),dec(0:8),enc(16:0)
_reference_,aes-gcm,yes,felicsv01,o2,3156,15248,15272,-
ascon,ascon128v12,yes,opt8,os,2004,7000
"""


def read(path: Path) -> list[Record]:
    """Return all records of a file."""
    reader = reader_for(path)
    with opened(path) as stream:
        return [one for run in reader.runs(lines(stream)) for one in run.records]


def test_pqm4s_table_gives_cycles_stacks_and_sizes(tmp_path: Path) -> None:
    """Mean, least and largest stand for median and quartiles; names are SUPERCOP's."""
    path = tmp_path / "benchmarks.csv"
    path.write_text(PQM4)
    records = read(path)
    kem = [one for one in records if one.subject.implementation == "crypto_kem/mlkem768/clean"]
    timed = {
        one.key: (one.q1, one.median, one.q3, one.unit, one.launches)
        for one in kem
        if isinstance(one, Measurement)
    }
    assert timed == {
        "keypair_cycles": (985880, 988722, 998135, "cycles", 10),
        "enc_cycles": (1135419, 1138225, 1147634, "cycles", 10),
        "dec_cycles": (1385144, 1387984, 1397397, "cycles", 10),
        "keypair_stack_bytes": (10136, 10136, 10136, "bytes", None),
        "enc_stack_bytes": (13320, 13320, 13320, "bytes", None),
        "dec_stack_bytes": (14408, 14408, 14408, "bytes", None),
    }
    sizes = [(one.text, one.data, one.bss) for one in kem if isinstance(one, ObjectSize)]
    assert sizes == [(5416, 4, 8)]
    signed = {
        one.key: (one.size, one.median)
        for one in records
        if isinstance(one, Measurement) and one.subject.primitive == "mldsa44"
    }
    assert signed == {
        "keypair_cycles": (None, 1426115),
        "cycles": (59, 3757486),
        "open_cycles": (59, 1421563),
    }


def test_nists_microseconds_become_cycles_of_the_boards_clock(tmp_path: Path) -> None:
    """An Uno has 16 MHz and a timer in microseconds; a Nano 33 BLE counts cycles."""
    uno, nano = tmp_path / "uno-aead-summary.csv", tmp_path / "nano33ble-aead-summary.csv"
    for path in (uno, nano):
        path.write_text(NIST)
    found = {
        path: {
            (one.key, one.size): one.median for one in read(path) if isinstance(one, Measurement)
        }
        for path in (uno, nano)
    }
    assert found[uno] == {("encrypt_cycles", 8): 243968, ("decrypt_cycles", 8): 244352}
    assert found[nano] == {("encrypt_cycles", 8): 15248, ("decrypt_cycles", 8): 15272}
    (flash,) = (one for one in read(uno) if isinstance(one, ObjectSize))
    assert (flash.text, flash.subject.implementation, flash.subject.compiler) == (
        *(3156, "crypto_aead/aes128gcmv1/felicsv01"),
        "-O2",
    )


def test_a_row_that_is_cut_short_is_counted_and_the_others_are_taken(tmp_path: Path) -> None:
    """The import says where it is, and ends with 1."""
    (tmp_path / "uno-aead-summary.csv").write_text(NIST)
    results = tmp_path / "results"
    arguments = [str(tmp_path), "--results", str(results)]
    done = CliRunner().invoke(import_command, arguments, standalone_mode=False)
    assert done.return_value == 1
    assert "uno-aead-summary.csv:3: 7 cells, fewer than the heading has" in done.output
    assert "3 records" in done.output


def test_a_table_of_an_unknown_board_says_how_to_name_it(tmp_path: Path) -> None:
    """Its unit is not in it: nothing is taken."""
    path = tmp_path / "results.csv"
    path.write_text(NIST)
    reader = reader_for(path)
    with opened(path) as stream:
        assert not list(reader.runs(lines(stream)))
    assert not has_lines(path)
    assert "name the file BOARD-aead-summary.csv" in reader.tally.shown[0][1]
