# SPDX-License-Identifier: MIT
"""Importing raw submissions: what is kept, renamed, moved and written."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import PackageError
from assay.package.cleanup import Helper, cleanup, compiles_by_text
from assay.package.intake import is_framework_name, own_additions


class Script:
    """A helper that answers every question alike and remembers what was said."""

    def __init__(self, answer: bool = True) -> None:
        """Set the answer."""
        self.answer = answer
        self.asked: list[str] = []
        self.told: list[str] = []

    def ask(self, question: str) -> bool:
        """Answer a question."""
        self.asked.append(question)
        return self.answer

    def helper(self, compiles: Callable[[Path, str], bool] = compiles_by_text) -> Helper:
        """Give what cleanup takes."""
        return Helper(self.ask, self.told.append, compiles)


@pytest.fixture
def raw(tmp_path: Path, make_header: Callable[..., str], make_source: Callable[..., str]) -> Path:
    """Give a folder as a submitter would pack it: shouting, with copies and test programs."""
    folder = tmp_path / "raw" / "TOY-v1"
    folder.mkdir(parents=True)
    (folder / "ECRYPT-SYNC.H").write_text(make_header())
    (folder / "CIPHER.C").write_text(make_source() + '#include "Tables.h"\n')
    (folder / "Tables.h").write_text("static const int table[1] = { 1 };\n")
    (folder / "ecrypt-portable.h").write_text(
        '#ifndef ECRYPT_PORTABLE\n#define ECRYPT_PORTABLE\n#include "ecrypt-config.h"\n'
        "typedef unsigned char u8;\n#define ROTL32(v, n) (v)\n#endif\n"
    )
    (folder / "ecrypt-sync.c").write_text("void ECRYPT_encrypt_packet(void) { }\n")
    (folder / "main.c").write_text("int main(void) { return 0; }\n")
    (folder / "README.TXT").write_text("hello\n")
    return folder


EXPECTED = {"Makefile", "Tables.h", "cipher.c", "ecrypt-sync.h"}


def _files(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("kind", ["zip", "gztar", "xztar", "folder"])
def test_a_raw_submission_becomes_a_package(raw: Path, tmp_path: Path, kind: str) -> None:
    """From an archive with a folder around it, or from a folder."""
    source = raw
    if kind != "folder":
        source = Path(shutil.make_archive(str(tmp_path / "a"), kind, raw.parent))
    script = Script()
    package = cleanup(source, tmp_path / "out" / "toy", script.helper())
    assert set(package.files) == EXPECTED
    assert package.sources == ("cipher.c",)
    assert package.std == ("-ansi",)
    assert [quirk.name for quirk in package.quirks] == ["quirk/no-vectors"]
    assert _files(package.root / "unused") == {"main.c", "readme.txt"}
    assert any("ecrypt-portable.h, ecrypt-sync.c" in question for question in script.asked)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["toy"]


def test_the_archive_in_a_folder_is_unpacked_there(raw: Path, tmp_path: Path) -> None:
    """As the original does it, with the archive kept in unused/."""
    work = tmp_path / "work"
    work.mkdir()
    shutil.make_archive(str(work / "Toy"), "zip", raw.parent)
    package = cleanup(work, work, Script().helper(), name="toy")
    assert package.sources == ("toy.c",)
    assert "unused/Toy.zip" in _files(work)


def test_no_deletes_and_moves_nothing(raw: Path) -> None:
    """Answers are obeyed."""
    cleanup(raw, raw, Script(answer=False).helper())
    assert {"ecrypt-portable.h", "ecrypt-sync.c", "main.c", "readme.txt"} <= _files(raw)


def test_a_second_cleanup_changes_nothing(raw: Path) -> None:
    """The result is in the framework's form."""
    cleanup(raw, raw, Script().helper())
    before = {name: (raw / name).read_bytes() for name in _files(raw)}
    script = Script()
    cleanup(raw, raw, script.helper())
    assert {name: (raw / name).read_bytes() for name in _files(raw)} == before
    assert script.asked == []


def test_a_changed_copy_of_a_framework_file_is_kept(raw: Path) -> None:
    """The cipher may need what its author added."""
    with (raw / "ecrypt-portable.h").open("a") as file:
        file.write("#define MY_ROTATE(x) (x)\n")
    script = Script()
    cleanup(raw, raw, script.helper())
    assert (raw / "ecrypt-portable.h").exists()
    assert any("MY_ROTATE" in text for text in script.told)


def test_sources_that_the_cipher_calls_are_kept_and_listed(raw: Path) -> None:
    """Linking needs them; the original's one-file rule is widened by a `sources` line."""
    (raw / "mixer.c").write_text("int mixer(int x)\n{\n    return x;\n}\n")
    (raw / "stray.c").write_text("int stray(int x)\n{\n    return x;\n}\n")
    with (raw / "CIPHER.C").open("a") as file:
        file.write("int mixer(int x);\nint use(void) { return mixer(1); }\n")
    package = cleanup(raw, raw, Script().helper())
    assert package.sources == ("cipher.c", "mixer.c")
    assert "unused/stray.c" in _files(raw)


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        ({"-ansi", "-std=c99", "-std=gnu99"}, "-ansi"),
        ({"-std=c99", "-std=gnu99"}, "-std=c99"),
        ({"-std=gnu99"}, "-std=gnu99"),
        (set(), "-std=gnu99"),
    ],
)
def test_the_strictest_standard_that_compiles_is_written(
    raw: Path, accepted: set[str], expected: str
) -> None:
    """The compiler is asked with the Makefile in place."""
    seen: list[str] = []

    def compiles(folder: Path, std: str) -> bool:
        assert f"std = {std}\n" in (folder / "Makefile").read_text()
        seen.append(std)
        return std in accepted

    package = cleanup(raw, raw, Script().helper(compiles))
    assert package.std == (expected,)
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize(
    ("code", "std", "expected"),
    [
        ("int x; /* u64 */\n", "-ansi", True),
        ("int x; // y\n", "-ansi", False),
        ("u64 x;\n", "-ansi", False),
        ("u64 x;\n", "-std=c99", True),
        ('void f(void) { asm("nop"); }\n', "-std=c99", False),
        ('void f(void) { __asm__("nop"); }\n', "-ansi", True),
    ],
)
def test_the_text_tells_which_standard_it_needs(
    package: Path, code: str, std: str, expected: bool
) -> None:
    """The default when no compiler is at hand."""
    with (package / "toy.c").open("a") as file:
        file.write(code)
    assert compiles_by_text(package, std) is expected


def test_a_submission_without_key_setup_is_refused_and_leaves_nothing(
    raw: Path, tmp_path: Path
) -> None:
    """So that it can be tried again."""
    (raw / "CIPHER.C").write_text("int x;\n")
    with pytest.raises(PackageError, match="ECRYPT_keysetup"):
        cleanup(raw, tmp_path / "out" / "toy", Script().helper())
    assert list((tmp_path / "out").iterdir()) == []


def test_of_two_implementations_one_must_be_named(raw: Path, tmp_path: Path) -> None:
    """The message offers the option."""
    shutil.copy(raw / "CIPHER.C", raw / "fast.c")
    with pytest.raises(PackageError, match=r"cipher\.c, fast\.c") as caught:
        cleanup(raw, tmp_path / "toy", Script().helper())
    assert "--name cipher" in caught.value.cure
    package = cleanup(raw, tmp_path / "toy", Script().helper(), name="fast")
    assert package.sources == ("fast.c",)
    assert "unused/cipher.c" in _files(tmp_path / "toy")


def test_two_names_that_differ_in_case_are_refused(raw: Path) -> None:
    """Lower-casing would lose one."""
    (raw / "MAIN.C").write_text("int x;\n")
    with pytest.raises(PackageError, match=r"both MAIN\.C and main\.c"):
        cleanup(raw, raw, Script().helper())


def test_a_foreign_makefile_is_set_aside(raw: Path) -> None:
    """It builds something else."""
    (raw / "makefile").write_text("all:\n\tgcc main.c\n")
    package = cleanup(raw, raw, Script().helper())
    assert "name = cipher\n" in (package.root / "Makefile").read_text()
    assert "gcc main.c" in (raw / "unused" / "Makefile").read_text()


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    """The message says what is accepted."""
    (tmp_path / "x.zip").write_text("nothing")
    with pytest.raises(PackageError, match="neither a folder nor an archive"):
        cleanup(tmp_path / "x.zip", tmp_path / "toy", Script().helper())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ecrypt-portable.h", True),
        ("ECRYPT-CONFIG.H", True),
        ("ecrypt-sync.c", True),
        ("ecrypt-ssyn-ae.c", True),
        ("ecrypt-test.c", True),
        ("ecrypt-sync.h", False),
        ("ecrypt-toy.c", False),
        ("config.h", False),
    ],
)
def test_framework_files_are_known_by_name(name: str, expected: bool) -> None:
    """The API header is the package's own."""
    assert is_framework_name(name) is expected


def test_default_code_with_a_key_setup_is_the_cipher() -> None:
    """Somebody wrote the cipher into the framework's file."""
    text = "void ECRYPT_keysetup(void)\n{ }\n"
    assert own_additions("ecrypt-sync.c", text) == ("ECRYPT_keysetup",)
