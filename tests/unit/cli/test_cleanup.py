# SPDX-License-Identifier: MIT
"""`assay cleanup` and `assay list`, as a user types them."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.add import cleanup_command as cleanup
from assay.cli.list import command as list_packages
from assay.errors import PackageError

HEADER = """\
#ifndef ECRYPT_SYNC
#define ECRYPT_SYNC
#include "ecrypt-portable.h"
#define ECRYPT_NAME "Toy"
typedef struct { u32 k; } ECRYPT_ctx;
#define ECRYPT_encrypt_bytes(c, p, q, n) ECRYPT_process_bytes(0, c, p, q, n)
#define ECRYPT_encrypt_packet(c, v, p, q, n) ECRYPT_process_packet(0, c, v, p, q, n)
#define ECRYPT_encrypt_blocks(c, p, q, n) ECRYPT_encrypt_bytes(c, p, q, (n) * 4)
#endif
"""
SOURCE = '#include "ecrypt-sync.h"\nvoid ECRYPT_keysetup(ECRYPT_ctx *ctx)\n{\n}\n'


@pytest.fixture
def raw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a raw submission's folder, beside an empty tree."""
    folder = tmp_path / "raw"
    folder.mkdir()
    (folder / "Ecrypt-Sync.h").write_text(HEADER)
    (folder / "Toy.c").write_text(SOURCE)
    (folder / "notes.doc").write_bytes(bytes(range(256)))
    (tmp_path / "tree" / "submissions").mkdir(parents=True)
    monkeypatch.setenv("ASSAY_ROOT", str(tmp_path / "tree"))
    return folder


def test_an_archive_goes_to_submissions(raw: Path, tmp_path: Path) -> None:
    """Under its own name without the suffixes, lower-case."""
    archive = shutil.make_archive(str(tmp_path / "Toy-2.0"), "gztar", raw)
    result = CliRunner().invoke(cleanup, ["--yes", archive], catch_exceptions=False)
    assert result.exit_code == 0
    place = tmp_path / "tree" / "submissions" / "toy-2.0"
    assert f"{place}: ecrypt-sync, toy.c, -ansi" in result.output
    assert "Should I move to unused/: notes.doc? yes" in result.output
    assert "quirk/no-profile" in result.output


def test_a_folder_is_changed_only_after_asking(raw: Path) -> None:
    """Answering no leaves it alone."""
    before = sorted(path.name for path in raw.iterdir())
    result = CliRunner().invoke(cleanup, [str(raw)], input="n\n")
    assert result.exit_code == 1
    assert sorted(path.name for path in raw.iterdir()) == before


def test_every_question_can_be_answered(raw: Path) -> None:
    """Return means yes, as in the HOWTO's prompts."""
    result = CliRunner().invoke(cleanup, [str(raw)], input="\n\n\n", catch_exceptions=False)
    assert result.exit_code == 0
    assert "in place? [Y/n]" in result.output
    assert sorted(path.name for path in raw.iterdir()) == [
        "Makefile",
        "ecrypt-sync.h",
        "toy.c",
        "unused",
    ]


def test_a_name_that_is_no_name_is_refused(raw: Path, tmp_path: Path) -> None:
    """It would end in a Makefile."""
    with pytest.raises(PackageError, match="no name for a cipher"):
        CliRunner().invoke(
            cleanup,
            ["--yes", "--name", "a b", "--into", str(tmp_path / "x"), str(raw)],
            catch_exceptions=False,
        )


def test_list_shows_sound_and_broken_packages(raw: Path, tmp_path: Path) -> None:
    """A broken package is listed with its reason."""
    submissions = tmp_path / "tree" / "submissions"
    shutil.copytree(raw, submissions / "toy" / "ref")
    (submissions / "toy" / "empty").mkdir()
    (submissions / "toy" / "empty" / "ecrypt-sync.h").write_text(HEADER)
    result = CliRunner().invoke(list_packages, [], catch_exceptions=False)
    broken, sound = result.output.splitlines()
    assert broken.split()[:3] == ["toy/empty", "-", "broken"]
    assert sound.split()[:3] == ["toy/ref", "ecrypt-sync", "submission"]
    assert "quirk/no-makefile" in sound


def test_list_writes_json(raw: Path, tmp_path: Path) -> None:
    """Sizes are null, since nothing has been built."""
    shutil.copytree(raw, tmp_path / "tree" / "submissions" / "toy")
    result = CliRunner().invoke(list_packages, ["--json", "toy"], catch_exceptions=False)
    (record,) = json.loads(result.output)
    assert (record["selector"], record["broken"], record["sizes"]) == ("toy", False, None)
    assert "quirk/no-vectors" in [quirk["name"] for quirk in record["quirks"]]
