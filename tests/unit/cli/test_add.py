# SPDX-License-Identifier: MIT
"""`assay add`, as a user types it: from files and from a web server."""

import hashlib
import shutil
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.unit.cli.calling import calling

from assay.cli.add import command
from assay.errors import AssayError, MachineError, UsageError
from assay.package import download

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def packed(tmp_path: Path, place: str, name: str, kind: str = "gztar") -> Path:
    """Pack a folder of the repository's."""
    folder = ROOT / place
    made = shutil.make_archive(str(tmp_path / name), kind, folder.parent, folder.name)
    return Path(made)


def add(*arguments: str) -> Result:
    """Call the command."""
    return CliRunner().invoke(command, arguments, catch_exceptions=False, standalone_mode=False)


def test_a_folder_is_named_like_the_archive_whatever_the_case_of_its_ending(
    tmp_path: Path, here: Path
) -> None:
    """DOS wrote `.ZIP`."""
    archive = packed(tmp_path, "benchmarks/rc4/ref", "Mine", "zip")
    shutil.move(archive, tmp_path / "Mine.ZIP")
    assert add(str(tmp_path / "Mine.ZIP")).return_value == 0
    assert (here / "Mine").is_dir()


@pytest.mark.parametrize(
    ("place", "kind", "says", "then"),
    [
        ("benchmarks/rc4/ref", "gztar", "ecrypt-sync, 1 implementation", "assay check NAME"),
        ("benchmarks/rc4", "xztar", "ecrypt-sync, 2 implementations", "assay check NAME"),
        ("submissions/shabal", "zip", "compact-hash", "assay check NAME"),
        (
            "submissions/supercop/crypto_hash",
            "gztar",
            "a tree in SUPERCOP's layout",
            "assay check crypto_hash --tree NAME",
        ),
        (
            "submissions/supercop/crypto_hash/sha256/ref",
            "zip",
            "the SUPERCOP API, 1 ",
            "assay check NAME",
        ),
    ],
)
def test_every_sort_of_package_is_recognised(
    tmp_path: Path, place: str, kind: str, says: str, then: str
) -> None:
    """It says where it is, what it is, and what to type next."""
    archive = packed(tmp_path, place, "sent", kind)
    result = add(str(archive))
    assert result.return_value == 0
    assert f"sha256 {hashlib.sha256(archive.read_bytes()).hexdigest()}" in result.output
    assert says in result.output
    assert f"Next: {then.replace('NAME', 'sent')}" in result.output
    assert Path("sent").is_dir()


def test_a_submission_for_nist_is_recognised(tmp_path: Path) -> None:
    """Folders called Reference_Implementation and so on, and known answers beside them."""
    for way in ("Reference_Implementation", "Optimized_Implementation"):
        shutil.copytree(
            ROOT / "submissions/supercop/crypto_hash/sha256/ref",
            tmp_path / f"foo/{way}/crypto_hash/foo256",
        )
    (tmp_path / "foo/KAT").mkdir()
    (tmp_path / "foo/KAT/ShortMsg.rsp").write_text("Len = 0\n")
    archive = shutil.make_archive(str(tmp_path / "foo v1"), "zip", tmp_path, "foo")
    result = add(archive)
    assert "a submission as NIST asks, 2 implementations" in result.output
    assert "Known answers: foo_v1/KAT/ShortMsg.rsp" in result.output


def test_an_archive_without_a_package_is_exit_code_1(tmp_path: Path) -> None:
    """It is unpacked, since somebody may want to look."""
    (tmp_path / "x").mkdir()
    (tmp_path / "x/notes").touch()
    result = add(shutil.make_archive(str(tmp_path / "notes"), "zip", tmp_path / "x"))
    assert result.return_value == 1
    assert "no package" in result.output
    assert Path("notes/notes").is_file()


def test_another_sha256_is_refused(tmp_path: Path) -> None:
    """Nothing is unpacked, and the right one is taken in either case of letters."""
    archive = packed(tmp_path, "benchmarks/rc4/ref", "rc4")
    with pytest.raises(UsageError, match="is another one"):
        add(str(archive), "--sha256", "0" * 64)
    assert not list(Path.cwd().iterdir())
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert add(str(archive), "--sha256", digest.upper()).return_value == 0


class Handler(BaseHTTPRequestHandler):
    """Serves one archive, and what goes wrong with servers."""

    archive = b""

    def do_GET(self) -> None:
        """Answer by path."""
        body = self.archive
        if self.path.startswith("/to-file"):
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()
            return
        if self.path.startswith("/gone"):
            self.send_error(404)
            return
        self.send_response(200)
        announced = {"/liar.zip": len(body) + 10, "/huge.zip": 1 << 40}.get(self.path, len(body))
        if self.path != "/endless.zip":
            self.send_header("Content-Length", str(announced))
        self.end_headers()
        self.wfile.write(body if self.path != "/endless.zip" else bytes(1 << 20))

    def log_message(self, *arguments: object) -> None:
        """Stay silent."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """Serve RC4 on this machine."""
    Handler.archive = packed(tmp_path, "benchmarks/rc4/ref", "rc4", "zip").read_bytes()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as web:
        thread = threading.Thread(target=web.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{web.server_port}"
        web.shutdown()
        thread.join()


def test_an_address_is_fetched_and_unpacked(server: str) -> None:
    """The folder is named after the address, without its query."""
    result = add(f"{server}/rc4%20ref.zip?download=1")
    assert result.return_value == 0
    assert "http does not protect" in result.output
    assert "rc4_ref: " in result.output
    assert {one.name for one in Path.cwd().iterdir()} == {"rc4_ref"}


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/gone.zip", "404"),
        ("/to-file.zip", "not allowed"),
        ("/liar.zip", "cannot be fetched|bytes"),
        ("/huge.zip", "larger than"),
        ("/endless.zip", "larger than"),
    ],
)
def test_servers_that_misbehave_leave_nothing(
    server: str, monkeypatch: pytest.MonkeyPatch, path: str, says: str
) -> None:
    """A redirection off the web, a false length, an endless answer."""
    monkeypatch.setattr("assay.cli.add.LIMIT_BYTES", 1 << 19)
    with pytest.raises(AssayError, match=says) as caught:
        add(f"{server}{path}")
    assert caught.value.cure
    assert not list(Path.cwd().iterdir())


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://x/y.zip", "data://x,y"])
def test_other_addresses_are_refused(address: str) -> None:
    """A file is named by its path."""
    with pytest.raises(UsageError, match="are not fetched"):
        add(address, "--into", "x")


def test_a_silent_server_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nobody listens there."""
    monkeypatch.setattr(download, "SILENCE_SECONDS", 1.0)
    with pytest.raises(MachineError, match="cannot be fetched"):
        download.download("http://127.0.0.1:1/x.zip", tmp_path / "x", lambda *_: None)


@pytest.mark.parametrize(
    ("start", "what", "command"),
    [(b"Rar!\x1a\x07\x01\x00", ".rar", "unar"), (b"7z\xbc\xaf\x27\x1c\x00\x04", ".7z", "7z x")],
)
def test_other_archives_are_named_with_the_command_that_unpacks_them(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    start: bytes,
    what: str,
    command: str,
) -> None:
    """Whatever the file is called; the message says which formats are unpacked here."""
    (tmp_path / "design").write_bytes(start + bytes(100))
    done = calling(monkeypatch, capsys)("add", str(tmp_path / "design"))
    assert done.code == 2
    assert f"is a {what} archive; .zip and .tar" in done.err
    assert f"`{command} {tmp_path}/design`" in done.err


@pytest.mark.parametrize("text", ["int x;\n", "\ufeff<html>404</html>"])
def test_a_text_is_called_a_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str
) -> None:
    """Before anything is said of the folder that it would become."""
    (tmp_path / "hash.c").write_text(text)
    monkeypatch.chdir(tmp_path)
    done = calling(monkeypatch, capsys)("add", "hash.c")
    assert done.code == 2
    assert "is a text, and no archive" in done.err
    assert "assay wrap" in done.err
    assert not (tmp_path / "hash").exists()


def test_the_archive_in_an_archive_is_the_next_one_to_add(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """It is named with its place, and nothing is a package yet: exit code 1."""
    (tmp_path / "hash.c").write_text("int x;\n")
    with tarfile.open(tmp_path / "inner.tar.gz", "w:gz") as inner:
        inner.add(tmp_path / "hash.c", "toy/hash.c")
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as outer:
        outer.write(tmp_path / "inner.tar.gz", "Design/inner.tar.gz")
        outer.writestr("Design/README", "the design")
    monkeypatch.chdir(tmp_path)
    done = calling(monkeypatch, capsys)("add", "outer.zip")
    assert done.code == 1
    assert "archives: inner.tar.gz" in done.out
    assert "Next: assay add outer/inner.tar.gz" in done.out


def test_a_folder_gets_the_command_that_takes_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is nothing to unpack."""
    folder = Path(__file__).parents[3] / "benchmarks/rc4/ref"
    done = calling(monkeypatch, capsys)("add", str(folder))
    assert done.code == 2
    assert "is a folder" in done.err
    assert f"`assay check {folder}`" in done.err


def test_a_name_that_cannot_be_loaded_is_no_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The next step is to rename it, and the exit code is 1."""
    with zipfile.ZipFile(tmp_path / "design.zip", "w") as file:
        file.writestr("Reference_Implementation/m\u00fcller128/api.h", "#define CRYPTO_BYTES 32\n")
        file.writestr("Reference_Implementation/m\u00fcller128/hash.c", "int x;\n")
        file.writestr("README", "the design")
    monkeypatch.chdir(tmp_path)
    done = calling(monkeypatch, capsys)("add", "design.zip")
    assert "cannot be loaded" in done.err
    assert done.code == 1
    assert "Next: rename" in done.out
