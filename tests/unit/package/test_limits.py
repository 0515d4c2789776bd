# SPDX-License-Identifier: MIT
"""What a stranger's files cost the bench: readers work in processes with little memory."""

import io
import os
import resource
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import PackageError, VectorFormatError
from assay.package.archive import unpack
from assay.package.quirks import text_quirks
from assay.package.text import VECTOR_BYTES, VECTOR_LINES, read_vector_text

ROOM_BYTES = 400 << 20
STREAM = "from assay.check.answers.vector_files import read_combinations as read"
HASH = "from assay.check.answers.vector_text import read_vectors as read"
TAR = (
    "import tempfile; from assay.package.archive import unpack\n"
    "def read(path): unpack(path, Path(tempfile.mkdtemp()))"
)


def confined(reader: str, path: Path) -> str:
    """Read a file in a process with little memory; return the error that it raises."""
    program = (
        "import sys; from pathlib import Path; from assay.errors import AssayError\n"
        f"{reader}\n"
        "try: read(Path(sys.argv[1]))\n"
        "except AssayError as error: print(error, '|', error.cure)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ROOM_BYTES, ROOM_BYTES)),
        env={**os.environ, "PYTHONPATH": "src"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("reader", [STREAM, HASH])
@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda file: file.write("Set 1, vector#  0:\n" * (VECTOR_LINES + 1)), "lines, and at"),
        (lambda file: file.write("\n" * 2_000_000), "2000000 lines, and at most"),
        (lambda file: file.write("0" * (60 << 20)), f"larger than {VECTOR_BYTES} bytes"),
    ],
)
def test_vector_files_of_millions_of_lines_or_bytes_are_refused(
    tmp_path: Path, reader: str, write: Callable[[io.TextIOBase], object], message: str
) -> None:
    """Before they are parsed, with the limit and the cure."""
    path = tmp_path / "verified.test-vectors"
    with path.open("w") as file:
        write(file)
    said = confined(reader, path)
    assert message in said
    assert "Keep fewer vectors" in said


def test_a_vector_file_that_is_none_is_an_error_of_vectors(tmp_path: Path) -> None:
    """A pipe is not waited for."""
    os.mkfifo(tmp_path / "verified.test-vectors")
    with pytest.raises(VectorFormatError, match="not a regular file"):
        read_vector_text(tmp_path / "verified.test-vectors")


def tar_of(path: Path, *infos: tarfile.TarInfo, **options: str) -> Path:
    """Write a tar file of empty members."""
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT, **options) as file:  # type: ignore[call-overload]
        for info in infos:
            file.addfile(info)
    return path


def test_a_pax_header_of_150_megabytes_is_refused(tmp_path: Path) -> None:
    """Packed it has 150 KB."""
    info = tarfile.TarInfo("a.c")
    info.pax_headers = {"comment": "0" * (150 << 20)}
    assert "headers of" in confined(TAR, tar_of(tmp_path / "a.tgz", info))


def test_a_million_pax_records_are_refused(tmp_path: Path) -> None:
    """In one header, or in the headers of many members."""
    one = tarfile.TarInfo("a.c")
    one.pax_headers = {f"k{n}": "v" for n in range(100_000)}
    assert "headers of" in confined(TAR, tar_of(tmp_path / "a.tgz", one))
    many = [tarfile.TarInfo(f"{n}.c") for n in range(200)]
    for each in many:
        each.pax_headers = {f"k{n}": "v" * 20 for n in range(1500)}
    assert "headers of" in confined(TAR, tar_of(tmp_path / "b.tgz", *many))


def test_what_gnu_tar_and_git_write_is_unpacked(tmp_path: Path) -> None:
    """A global comment, and names of a few hundred bytes."""
    path = tmp_path / "a.tgz"
    info = tarfile.TarInfo(f"{'d' * 150}/{'e' * 150}/toy.c")
    with tarfile.open(path, "w:gz", pax_headers={"comment": "0" * 40}) as file:
        file.addfile(info)
    assert unpack(path, tmp_path / "out") == (info.name,)


def test_a_size_of_all_ones_is_an_error_about_the_size(tmp_path: Path) -> None:
    """The library takes it for minus one and finds the end of the archive."""
    header = bytearray(tarfile.TarInfo("toy.c").tobuf(tarfile.GNU_FORMAT))
    header[124:136] = b"\xff" * 12
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    path = tmp_path / "a.tar"
    path.write_bytes(bytes(header) + bytes(1024))
    with pytest.raises(PackageError, match=r"'toy\.c' has -1 bytes"):
        unpack(path, tmp_path / "out")


def zip_of(path: Path, name: str) -> Path:
    """Write a zip file of one member, whose name is written as it stands."""
    with zipfile.ZipFile(path, "w") as file:
        info = zipfile.ZipInfo("x")
        info.filename = name
        file.writestr(info, "int x;")
    return path


@pytest.mark.parametrize(
    "name",
    [
        "toy/a\0../../x.c",
        "\uff0e\uff0e/x.c",
        "toy\u2215x.c",
        "toy\u2044x.c",
        "toy\uff0fx.c",
        "toy\uff3cx.c",
        "toy\u2025x.c",
        "c\uff1ax.c",
    ],
)
def test_names_that_others_read_otherwise_are_refused(tmp_path: Path, name: str) -> None:
    """Cut at a NUL, or with what looks like dots and slashes and may be made such."""
    with pytest.raises(PackageError, match="unsafe name"):
        unpack(zip_of(tmp_path / "a.zip", name), tmp_path / "out")


@pytest.mark.parametrize("name", ["größe.c", "été/x.h", "日本.c", "ﬁ.c"])
def test_names_in_other_scripts_are_taken(tmp_path: Path, name: str) -> None:
    """Only separators and dots matter."""
    assert unpack(zip_of(tmp_path / "a.zip", name), tmp_path / "out") == (name,)


def as_read(text: str) -> str:
    """Return text as it is read of a file: UTF-8 taken for Latin-1."""
    return text.encode().decode("latin-1")


@pytest.mark.parametrize(
    "char", "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
)
def test_characters_that_turn_text_around_are_a_quirk(char: str) -> None:
    """The line is named; other text is left alone."""
    texts = [
        ("a.c", as_read("/* été \u2013 \u201cx\u201d \u2026 € */\n")),
        ("b.h", as_read(f"\n/* {char} */")),
    ]
    assert [one.name for one in text_quirks(texts)] == ["quirk/bidi-controls"]
    assert "b.h:2 " in text_quirks(texts)[0].message
    assert not text_quirks(texts[:1])
