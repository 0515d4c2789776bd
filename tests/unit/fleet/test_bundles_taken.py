# SPDX-License-Identifier: MIT
"""Bundles that are imported: who signed them stays, and nobody else replaces them."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay
from tests.unit.cli.test_archived import measured
from tests.unit.fleet.sealing import allow, bundled, members, new_key, sped_up

from assay.fleet.bundle import TamperedError, make_bundle, open_bundle, signed_by
from assay.fleet.signing import fingerprint
from assay.store import FILE_NAME

pytestmark = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen on this machine"
)


def test_a_bundle_is_imported_with_who_signed_it(assay: Assay) -> None:
    """What was signed stays byte by byte, so that it can be verified at any time."""
    new_key("key")
    bundle = bundled(assay, "alpha", "--key", "key")
    done = assay("import", str(bundle), "--results", "here")
    assert done.code == 0
    assert "signed by ssh key ED25519 SHA256:" in done.out
    (taken,) = Path("here/machines").iterdir()
    files = members(bundle)
    assert {one.name: one.read_bytes() for one in taken.iterdir()} == files
    assert assay("show", "here").code == 0
    signature = signed_by(taken)
    assert signature is not None
    assert signature.key.endswith(fingerprint(Path("key.pub").read_text()))
    (taken / FILE_NAME).write_bytes(sped_up(files)[FILE_NAME])
    with pytest.raises(TamperedError, match="not those that were signed"):
        signed_by(taken)


def _later(folder: Path) -> None:
    """Make a machine's results later ones."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as file:
        file.execute(
            "UPDATE launch SET record = json_set(record, '$.started_at', '2026-11-30T10:00:00Z')"
        )
        file.commit()


@pytest.mark.parametrize("key", [(), ("--key", "other")], ids=["unsigned", "another key"])
def test_signed_results_give_way_only_to_what_the_same_key_signed(
    assay: Assay, key: tuple[str, ...]
) -> None:
    """Else anybody could put later figures in the place of a machine's."""
    new_key("key")
    new_key("other")
    bundle = bundled(assay, "alpha", "--key", "key")
    assert assay("import", str(bundle), "--results", "here").code == 0
    _later(Path("alpha"))
    assert assay("bundle", "alpha", "-o", "later.tar.gz", *key).code == 0
    done = assay("import", "later.tar.gz", "--results", "here")
    assert done.code == 2
    assert "are signed by ssh key" in done.err
    (taken,) = Path("here/machines").iterdir()
    assert (taken / FILE_NAME).read_bytes() == members(bundle)[FILE_NAME]
    assert assay("bundle", "alpha", "-o", "own.tar.gz", "--key", "key").code == 0
    assert assay("import", "own.tar.gz", "--results", "here").code == 0
    assert (taken / FILE_NAME).read_bytes() == members(Path("own.tar.gz"))[FILE_NAME]
    assert signed_by(taken) is not None


def test_a_worker_makes_and_a_server_opens_a_bundle(assay: Assay, tmp_path: Path) -> None:
    """By the two functions, without a command."""
    del assay
    key = new_key("key")
    measured(tmp_path / "alpha", "alpha").close()
    path, what = make_bundle(tmp_path / "alpha", key)
    assert path.name == "alpha-20261121.bundle.tar.gz"
    assert "1 cell on alpha" in what
    found = open_bundle(path, tmp_path / "into", allow("lab", key))
    assert found.host == "alpha"
    assert found.signature is not None
    assert found.signature.signer == "lab"
    assert [one.name for one in found.results.iterdir()] == [FILE_NAME]


def test_the_page_of_a_machine_says_who_signed_its_results(assay: Assay) -> None:
    """By the name in the list, or by the key; and it says if what lies there is something else."""
    key = new_key("key")
    bundle = bundled(assay, "alpha", "--key", "key")
    assert assay("import", str(bundle), "--results", "here").code == 0
    measured(Path("beta"), "beta").close()
    words = ("site", "here", "beta", "--to", "out")

    def page_of(host: str) -> str:
        (page,) = Path("out/machines").glob(f"{host}.*/index.html")
        return page.read_text()

    assert assay(*words).code == 0
    assert fingerprint(Path("key.pub").read_text()) in page_of("alpha")
    assert "Signed by" not in page_of("beta")
    allowed = str(allow("<b>lab@example.org", key))
    assert assay(*words, "--allowed-signers", allowed).code == 0
    assert "&lt;b&gt;lab@example.org" in page_of("alpha")
    (taken,) = Path("here/machines").iterdir()
    (taken / FILE_NAME).write_bytes(sped_up(members(bundle))[FILE_NAME])
    assert assay(*words).code == 0
    assert "nobody: the results in" in page_of("alpha")
