# SPDX-License-Identifier: MIT
"""The version of a library: Debian's, a build id, or a digest; and whether it has changed."""

import shutil
import subprocess
from pathlib import Path

import pytest

from assay.compile.installed import GONE, library_file, unchanged


def test_an_archive_has_a_digest_and_is_known_to_have_changed(tmp_path: Path) -> None:
    """The first digits of SHA-256("abc") are those of FIPS 180-4's example."""
    archive = tmp_path / "libmine.a"
    archive.write_bytes(b"abc")
    known = library_file(archive)
    assert str(known) == "libmine.a (SHA-256 ba7816bf8f01)"
    assert unchanged(known)
    archive.write_bytes(b"another one")
    assert not unchanged(known)
    archive.unlink()
    assert library_file(archive).version == GONE
    assert not unchanged(known)


def test_a_shared_library_outside_of_debian_has_its_build_id(tmp_path: Path) -> None:
    """As its linker was told to write it; a link is followed to the file."""
    library = tmp_path / "libmine.so.1"
    identity = "-Wl,--build-id=0x00112233445566778899"
    line = ("gcc", "-shared", "-x", "c", "/dev/null", identity, "-o", str(library))
    subprocess.run(line, check=True)
    (tmp_path / "libmine.so").symlink_to(library.name)
    told = str(library_file(tmp_path / "libmine.so"))
    assert told == "libmine.so.1 (build id 001122334455)"


def test_a_library_of_debian_has_its_packages_version() -> None:
    """As the command that lists packages says it."""
    if shutil.which("dpkg-query") is None:
        pytest.skip("not Debian")
    program = Path("/usr/bin/dpkg-query")
    told = subprocess.run(
        ("dpkg-query", "--show", "--showformat", "${Version}", "dpkg"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert library_file(program).version == f"dpkg {told.stdout}"
