# SPDX-License-Identifier: MIT
"""Unpacking: whatever the archive, nothing is written outside of the folder."""

import contextlib
import io
import stat
import tarfile
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import PackageError
from assay.package.archive import ArchiveLimits, safe_name, unpack
from assay.package.members import is_archive

NAMES = st.one_of(
    st.text(max_size=20),
    st.lists(st.sampled_from(["a", "..", ".", "", "C:", "b\\c", "~", "\n"]), max_size=6).map(
        "/".join
    ),
)


def _tar(path: Path, *members: tarfile.TarInfo, data: bytes = b"x") -> Path:
    with tarfile.open(path, "w:gz") as file:
        for info in members:
            if info.isreg():
                info.size = len(data)
            file.addfile(info, io.BytesIO(data) if info.isreg() else None)
    return path


def _entry(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    return info


@given(NAMES)
def test_a_safe_name_stays_below(name: str) -> None:
    """A name is refused, or it is relative and does not climb."""
    try:
        safe = safe_name(name)
    except PackageError:
        return
    assert not safe.startswith("/")
    assert ".." not in safe.split("/")
    assert "\\" not in safe


@given(
    st.lists(st.tuples(NAMES, st.sampled_from(["file", "dir", "link", "hard"]), NAMES), max_size=5)
)
@settings(deadline=None, max_examples=150)
def test_no_tar_file_writes_outside(entries: list[tuple[str, str, str]]) -> None:
    """Names and links of any kind end inside, or in a PackageError."""
    kinds = {
        "file": tarfile.REGTYPE,
        "dir": tarfile.DIRTYPE,
        "link": tarfile.SYMTYPE,
        "hard": tarfile.LNKTYPE,
    }
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        try:
            members = [_entry(name, kinds[kind], target) for name, kind, target in entries]
            archive = _tar(folder / "a.tgz", *members)
        except UnicodeError:
            return
        try:
            names = unpack(archive, folder / "into")
        except PackageError:
            names = ()
        assert all((folder / "into" / name).is_file() for name in names)
        assert {"a.tgz", "into"} == {path.name for path in folder.iterdir()}
        assert not any(path.is_symlink() for path in folder.rglob("*"))


@given(st.binary(max_size=200), st.integers(0, 400), st.booleans())
@settings(deadline=None)
def test_damaged_archives_are_a_package_error(noise: bytes, at: int, as_zip: bool) -> None:
    """Bytes overwritten anywhere never give anything but a PackageError."""
    with TemporaryDirectory() as scratch:
        archive = Path(scratch) / "a"
        if as_zip:
            with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
                file.writestr("toy/toy.c", "int x;\n" * 50)
        else:
            _tar(archive, _entry("toy/toy.c"), data=b"int x;\n" * 50)
        good = archive.read_bytes()
        archive.write_bytes(good[:at] + noise + good[at + len(noise) :])
        is_archive(archive)
        with contextlib.suppress(PackageError):
            unpack(archive, Path(scratch) / "into")


@pytest.mark.parametrize(
    "name", ["/etc/x", "../x", "a/../../x", "..\\x", "C:\\x", "a\nb", "a" * 300]
)
def test_unsafe_names_are_refused(tmp_path: Path, name: str) -> None:
    """Absolute, climbing, of another system, unprintable or endless."""
    with pytest.raises(PackageError, match="unsafe name"):
        unpack(_tar(tmp_path / "a.tgz", _entry(name)), tmp_path / "into")


def test_links_inside_become_copies(tmp_path: Path) -> None:
    """A package needs the bytes, not the link."""
    archive = _tar(
        tmp_path / "a.tgz",
        _entry("p/ref/x.c"),
        _entry("p/fast/x.c", tarfile.SYMTYPE, "../ref/x.c"),
        _entry("p/hard.c", tarfile.LNKTYPE, "p/ref/x.c"),
    )
    assert unpack(archive, tmp_path / "into") == ("p/fast/x.c", "p/hard.c", "p/ref/x.c")
    assert (tmp_path / "into/p/fast/x.c").read_text() == "x"


@pytest.mark.parametrize("target", ["/etc/passwd", "../../etc/passwd", "nothing", "p/self"])
def test_links_out_of_the_archive_are_refused(tmp_path: Path, target: str) -> None:
    """Whatever they point to."""
    archive = _tar(tmp_path / "a.tgz", _entry("p/self", tarfile.SYMTYPE, target))
    with pytest.raises(PackageError, match=r"is no file in it"):
        unpack(archive, tmp_path / "into")


def test_a_zip_file_s_link_is_no_way_out(tmp_path: Path) -> None:
    """Links in zip files hide in the attributes."""
    info = zipfile.ZipInfo("x.h")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        file.writestr(info, "/etc/passwd")
    with pytest.raises(PackageError, match="is no file in it"):
        unpack(tmp_path / "a.zip", tmp_path / "into")


@pytest.mark.parametrize("kind", [tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE])
def test_devices_are_refused(tmp_path: Path, kind: bytes) -> None:
    """They have no place in a package."""
    with pytest.raises(PackageError, match="special file"):
        unpack(_tar(tmp_path / "a.tgz", _entry("x", kind)), tmp_path / "into")


def test_a_bomb_is_stopped(tmp_path: Path) -> None:
    """Bytes are counted as they come, not as announced."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("zeros", bytes(1 << 20))
    with pytest.raises(PackageError, match="too many bytes"):
        unpack(tmp_path / "a.zip", tmp_path / "into", ArchiveLimits(total_bytes=1 << 16))


def test_a_bomb_in_a_tar_header_is_stopped(tmp_path: Path) -> None:
    """An extended header of any size would be read into memory."""
    info = _entry("x")
    info.pax_headers = {"comment": "0" * (4 << 20)}
    archive = _tar(tmp_path / "a.tgz", info)
    with pytest.raises(PackageError, match="headers of 4194321 bytes"):
        unpack(archive, tmp_path / "into", ArchiveLimits(total_bytes=1 << 16, files=10))


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    """So are folders without end."""
    archive = _tar(tmp_path / "a.tgz", *(_entry(f"f{i}") for i in range(30)))
    with pytest.raises(PackageError, match="more than 10 files"):
        unpack(archive, tmp_path / "into", ArchiveLimits(files=10))
    folders = _tar(tmp_path / "b.tgz", *(_entry(f"d{i}", tarfile.DIRTYPE) for i in range(30)))
    with pytest.raises(PackageError, match="more than 10 files"):
        unpack(folders, tmp_path / "into2", ArchiveLimits(files=10))


def test_a_name_used_twice_is_refused(tmp_path: Path) -> None:
    """The second would replace the first after review."""
    with pytest.raises(PackageError, match="twice"):
        unpack(_tar(tmp_path / "a.tgz", _entry("x"), _entry("./x")), tmp_path / "into")
    with pytest.raises(PackageError, match="as a file and as a folder"):
        unpack(_tar(tmp_path / "b.tgz", _entry("x"), _entry("x/y")), tmp_path / "into2")


def test_a_folder_in_use_is_never_unpacked_into(tmp_path: Path) -> None:
    """Nothing is overwritten."""
    with pytest.raises(PackageError, match="not empty"):
        unpack(_tar(tmp_path / "a.tgz", _entry("x")), tmp_path)


def test_archives_are_told_from_other_files(tmp_path: Path) -> None:
    """By their bytes, not their names."""
    (tmp_path / "text.zip").write_text("no archive" * 100)
    assert not is_archive(tmp_path / "text.zip")
    assert not is_archive(tmp_path)
    assert is_archive(_tar(tmp_path / "x", _entry("y")))
