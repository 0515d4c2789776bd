# SPDX-License-Identifier: MIT
"""An archive becomes a folder whole or not at all, and no link of it leads out."""

import contextlib
import io
import lzma
import os
import signal
import stat
import struct
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import AssayError, PackageError, UsageError
from assay.package.archive import ArchiveLimits
from assay.package.arrival import arrive

SMALL = ArchiveLimits(files=50, total_bytes=1 << 20, free_bytes=1 << 16)


def entry(name: str, target: str = "", kind: bytes = b"") -> tarfile.TarInfo:
    """Describe a file, or a link to `target`."""
    info = tarfile.TarInfo(name)
    info.type = kind or (tarfile.SYMTYPE if target else tarfile.REGTYPE)
    info.linkname = target
    return info


def packed(path: Path, members: Iterable[tarfile.TarInfo], mode: str = "w:gz") -> Path:
    """Write a tar file whose regular members hold their own names."""
    with tarfile.open(path, mode) as file:  # type: ignore[call-overload]
        for info in members:
            data = info.name.encode("utf-8", "replace")
            info.size = len(data) if info.isreg() else 0
            file.addfile(info, io.BytesIO(data) if info.isreg() else None)
    return path


def refused(archive: Path, into: Path, limits: ArchiveLimits = SMALL) -> str:
    """Unpack, expect a refusal with a cure and nothing on the disk, and give the message."""
    before = sorted(into.parent.iterdir())
    with pytest.raises(AssayError) as caught:
        arrive(archive, into, limits)
    assert caught.value.cure
    assert sorted(into.parent.iterdir()) == before
    return str(caught.value)


def test_links_that_stay_inside_stay_links(tmp_path: Path) -> None:
    """SUPERCOP's trees share files and folders by links, two of three paths are such."""
    members = [
        entry("top/crypto_hash/a/ref/api.h"),
        entry("top/crypto_hash/a/fast/api.h", "../ref/api.h"),
        entry("top/crypto_hash/a/same", "ref"),
        entry("top/crypto_hash/a/later", "missing"),
    ]
    arrived = arrive(packed(tmp_path / "a.tgz", members), tmp_path / "into")
    folder = tmp_path / "into/crypto_hash/a"
    assert (folder / "fast/api.h").readlink() == Path("../ref/api.h")
    assert (folder / "fast/api.h").read_text() == "top/crypto_hash/a/ref/api.h"
    assert (folder / "same/api.h").is_file()
    assert len(arrived.names) == 4


@pytest.mark.parametrize(
    "members",
    [
        [entry("p/a"), entry("p/x", "/etc/passwd")],
        [entry("p/a"), entry("p/x", "../../../etc/passwd")],
        [entry("p/a/b"), entry("p/up", "a/.."), entry("p/x", "up/../../../out")],
        [entry("p/a/b"), entry("p/c/d", "../.."), entry("p/x", "c/d/../../out")],
        [entry("p/a"), entry("p/x", "../p/a")],
        [entry("p/a"), entry("p/b"), entry("p/x", "../into/a")],
        [entry("p/a"), entry("p/x", "")],
        [entry("p/a"), entry("p/x", "b\\..\\..\\..\\out")],
        [entry("p/a"), entry("p/d", "../.."), entry("p/d/x")],
        [entry("p/a"), entry("p/d", "/usr"), entry("p/d/x")],
        [entry("p/a"), entry("p/x", "../../a", tarfile.LNKTYPE)],
    ],
)
def test_links_that_lead_out_are_refused(tmp_path: Path, members: list[tarfile.TarInfo]) -> None:
    """By an absolute name, by climbing, through another link, or by the folder's own name."""
    for info in members:
        if not info.linkname and info.name == "p/x":
            info.type = tarfile.SYMTYPE
    refused(packed(tmp_path / "a.tgz", members), tmp_path / "into")


NAMES = st.lists(st.sampled_from(["a", "b", "c", "..", ".", "A"]), min_size=1, max_size=4)


@given(st.lists(st.tuples(NAMES, st.booleans(), NAMES), min_size=1, max_size=8))
@settings(max_examples=150)
def test_no_set_of_links_leads_out(
    tmp_path_factory: pytest.TempPathFactory, listed: list[tuple[list[str], bool, list[str]]]
) -> None:
    """Whatever files and links there are: every one that is left ends below the folder."""
    base = tmp_path_factory.mktemp("links")
    members = [entry("/".join(n), "/".join(to) if link else "") for n, link, to in listed]
    archive = packed(base / "a.tgz", members)
    with contextlib.suppress(AssayError):
        arrive(archive, base / "into", SMALL)
    assert {one.name for one in base.iterdir()} <= {"a.tgz", "into"}
    for place, folders, files in os.walk(base / "into"):
        for name in (*folders, *files):
            real = os.path.realpath(os.path.join(place, name))  # noqa: PTH118 - as the kernel does
            assert f"{real}/".startswith(f"{base.resolve()}/into/")


@pytest.mark.parametrize(
    ("name", "other"), [("x", "x"), ("x", "./x"), ("caf\u00e9", "cafe\u0301"), ("x", "y/../x")]
)
def test_one_name_twice_is_refused(tmp_path: Path, name: str, other: str) -> None:
    """Spelled with other accents as well; the second could hide behind the first."""
    refused(packed(tmp_path / "a.tgz", [entry(name), entry(other)]), tmp_path / "into")


@pytest.mark.parametrize(
    "name", ["-o", "p/-fplugin=x", "\u202ec.x", "a\udcffb", "a\x00b/../../x", "p" * 201, "a/" * 13]
)
def test_names_that_deceive_are_refused(tmp_path: Path, name: str) -> None:
    """Options of compilers, text that runs backwards, bytes that are no text, endless ones."""
    info = entry("x")
    info.name = name + ("b" if name.endswith("/") else "")
    with tarfile.open(tmp_path / "a.tgz", "w:gz", format=tarfile.PAX_FORMAT) as file:
        try:
            file.addfile(info)
        except (UnicodeError, ValueError):
            pytest.fail("the test could not write its archive")
    if "\0" in name:  # tar cuts it there, and what is left is a plain name
        assert arrive(tmp_path / "a.tgz", tmp_path / "into", SMALL).names == ("a",)
    else:
        refused(tmp_path / "a.tgz", tmp_path / "into")


def test_names_that_differ_in_case_are_told(tmp_path: Path) -> None:
    """Genuine packages have them, so they are taken where the disk can hold them."""
    arrived = arrive(packed(tmp_path / "a.tgz", [entry("p.c"), entry("P.c")]), tmp_path / "into")
    assert arrived.alike == (("P.c", "p.c"),)


def test_modes_and_owners_are_not_taken_over(tmp_path: Path) -> None:
    """No set-user-id, no execution, no other owner."""
    info = entry("p/run")
    info.mode, info.uid, info.uname = 0o6777, 12345, "nobody"
    arrive(packed(tmp_path / "a.tgz", [info, entry("p/b")]), tmp_path / "into")
    made = (tmp_path / "into/run").stat()
    assert stat.S_IMODE(made.st_mode) & 0o7111 == 0
    assert made.st_uid == os.getuid()


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_devices_are_refused(tmp_path: Path, kind: bytes) -> None:
    """Also behind files that were already written."""
    archive = packed(tmp_path / "a.tgz", [entry("a"), entry("dev", kind=kind)])
    assert "special file" in refused(archive, tmp_path / "into")


def test_bombs_are_refused_without_reading_them_out(tmp_path: Path) -> None:
    """By what the header claims, by the ratio, by count, by a sparse file of terabytes."""
    zeros = tmp_path / "a.zip"
    with zipfile.ZipFile(zeros, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("zeros", bytes(900_000))
    assert "too many bytes" in refused(zeros, tmp_path / "into")
    many = packed(tmp_path / "b.tgz", [entry(f"f{i}") for i in range(60)])
    assert "more than 50 files" in refused(many, tmp_path / "into")
    sparse = entry("huge")
    sparse.size = 1 << 43
    (tmp_path / "c.tar").write_bytes(sparse.tobuf() + bytes(1024))
    assert "too many bytes" in refused(tmp_path / "c.tar", tmp_path / "into")
    gnu = entry("hole")
    gnu.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.map": "0,1",
                       "GNU.sparse.size": str(1 << 43)}  # fmt: skip
    holes = packed(tmp_path / "d.tar", [gnu], "w")
    assert "too many bytes" in refused(holes, tmp_path / "into")


def test_a_zip_file_that_lists_too_much_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """The library reads the list whole, and every entry costs half a kilobyte of memory."""
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for number in range(5000):
            file.writestr(f"f{number}", "")
    assert "lists too many files" in refused(archive, tmp_path / "into")


def test_an_xz_file_that_wants_much_memory_is_refused(tmp_path: Path) -> None:
    """A dictionary of 1.5 GB for a file of a few bytes."""
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}]
    raw = packed(tmp_path / "a.tar", [entry("x")], "w").read_bytes()
    good = bytearray(lzma.compress(raw, filters=filters))
    # The block header follows 12 bytes of stream header: size, flags, filter, length, dictionary.
    assert good[14:16] == bytes([0x21, 1])
    good[16] = 39  # 3 GiB, by the table of the xz format, section 5.3.1
    import zlib  # noqa: PLC0415

    size = (good[12] + 1) * 4
    good[12 + size - 4 : 12 + size] = struct.pack("<I", zlib.crc32(good[12 : 12 + size - 4]))
    (tmp_path / "a.tar.xz").write_bytes(good)
    assert "emory" in refused(tmp_path / "a.tar.xz", tmp_path / "into")


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_every_compression_is_unpacked(tmp_path: Path, mode: str) -> None:
    """And a file that is cut anywhere is refused, with nothing left."""
    archive = packed(tmp_path / "a", [entry("p/x.c"), entry("p/y.c")], mode)
    assert arrive(archive, tmp_path / "into").names == ("x.c", "y.c")
    data = archive.read_bytes()
    for cut in (7, 1024, 1500, 2048) if mode == "w" else (7, len(data) // 2):
        (tmp_path / "b").write_bytes(data[:cut])
        refused(tmp_path / "b", tmp_path / "cut")


def test_encrypted_zip_files_are_refused_with_a_cure(tmp_path: Path) -> None:
    """The flag in the headers suffices."""
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("x", "y")
    data = bytearray(archive.read_bytes())
    data[6] |= 1
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    archive.write_bytes(data)
    assert "encrypted" in refused(archive, tmp_path / "into")


def test_what_is_there_is_never_touched(tmp_path: Path) -> None:
    """A folder with files, a file, and a link to nothing."""
    archive = packed(tmp_path / "a.tgz", [entry("x")])
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine").touch()
    (tmp_path / "dangling").symlink_to("nowhere")
    for name in ("full", "a.tgz", "dangling"):
        with pytest.raises(UsageError, match="is there already"):
            arrive(archive, tmp_path / name)


KILLED = """
import os, signal, sys
from pathlib import Path
from assay.package import archive, arrival
copy, left = archive._copy, [int(sys.argv[3])]
def dies(*arguments):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return copy(*arguments)
archive._copy = dies
arrival.arrive(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.mark.parametrize("after", [1, 3])
def test_what_a_killed_call_left_is_removed_by_the_next(tmp_path: Path, after: int) -> None:
    """The folder is not there after kill -9, and nothing else is after the next call."""
    archive = packed(tmp_path / "a.tgz", [entry(f"f{i}") for i in range(4)])
    into = tmp_path / "into"
    command = [sys.executable, "-c", KILLED, str(archive), str(into), str(after)]
    done = subprocess.run(command, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not into.exists()
    assert len(list(tmp_path.iterdir())) == 2
    assert len(arrive(archive, into).names) == 4
    assert {one.name for one in tmp_path.iterdir()} == {"a.tgz", "into"}


def test_an_empty_archive_is_refused(tmp_path: Path) -> None:
    """There is nothing to check in it."""
    with pytest.raises(PackageError, match="has no files"):
        arrive(packed(tmp_path / "a.tgz", []), tmp_path / "into")


def test_a_zip_member_without_a_name_is_refused(tmp_path: Path) -> None:
    """What the fuzzing found: the library looks at the last letter of every name."""
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("x", "y")
    data = archive.read_bytes()
    archive.write_bytes(data.replace(b"x", b"\0"))
    refused(archive, tmp_path / "into")
