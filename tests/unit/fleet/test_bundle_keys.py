# SPDX-License-Identifier: MIT
"""Keys that sign bundles: of ssh, with an agent or without, and of minisign."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay
from tests.unit.cli.test_archived import measured
from tests.unit.fleet.sealing import (
    STATEMENT,
    allow,
    bundled,
    members,
    new_key,
    repacked,
    told_otherwise,
)

pytestmark = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen on this machine"
)


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("locked", "ssh-add locked"),
        ("open", "chmod 600 open"),
        ("missing", "ssh-keygen -t ed25519 -f missing"),
        ("statement", "Name a private key"),
    ],
)
def test_a_key_that_cannot_be_used_is_said_with_a_cure(assay: Assay, key: str, says: str) -> None:
    """Nothing waits for a passphrase, and no bundle is written."""
    new_key("locked", "secret")
    new_key("open").chmod(0o644)
    Path("statement").write_text("no key")
    Path("statement.pub").write_text("no key")
    measured(Path("alpha"), "alpha").close()
    done = assay("bundle", "alpha", "-o", "out.tar.gz", "--key", key)
    assert done.code == 2
    assert says in done.err
    assert not Path("out.tar.gz").exists()


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch, assay: Assay) -> Iterator[Assay]:
    """Start an agent that has the key `locked`, whose passphrase nobody gives any more."""
    new_key("locked", "secret")
    Path("ask").write_text("#!/bin/sh\necho secret\n")
    Path("ask").chmod(0o755)
    with subprocess.Popen(
        ["ssh-agent", "-D", "-a", "agent"], stdout=subprocess.DEVNULL
    ) as process:
        try:
            while not Path("agent").is_socket():
                assert process.poll() is None
            monkeypatch.setenv("SSH_AUTH_SOCK", str(Path("agent").absolute()))
            asked = {**os.environ, "SSH_ASKPASS": "./ask", "SSH_ASKPASS_REQUIRE": "force"}
            subprocess.run(["ssh-add", "-q", "locked"], check=True, env=asked)
            yield assay
        finally:
            process.terminate()


def test_an_agent_signs_with_a_key_that_has_a_passphrase(agent: Assay) -> None:
    """Named by either half: the public one is enough."""
    for key in ("locked", "locked.pub"):
        bundle = bundled(agent, "alpha", "--key", key)
        allowed = str(allow("lab", Path("locked")))
        assert agent("verify", str(bundle), "--allowed-signers", allowed).code == 0
        shutil.rmtree("alpha")


def test_without_ssh_keygen_signing_and_verifying_say_what_to_install(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signature that nothing can verify is not taken for a good one."""
    new_key("key")
    bundle = bundled(assay, "alpha", "--key", "key")
    monkeypatch.setenv("PATH", str(Path("empty").absolute()))
    for words in (
        ("bundle", "alpha", "--key", "key", "-o", "out.tar.gz"),
        ("verify", str(bundle)),
        ("import", str(bundle), "--results", "here"),
    ):
        done = assay(*words)
        assert done.code == 2
        assert "there is no ssh-keygen" in done.err
        assert "openssh-client" in done.err
    assert not Path("here").exists()


@pytest.mark.skipif(shutil.which("minisign") is None, reason="there is no minisign here")
def test_minisign_signs_and_verifies_too(assay: Assay) -> None:
    """Its own program verifies the statement; without the public key nothing is believed."""
    words = ["minisign", "-G", "-W", "-p", "lab.pub", "-s", "lab.key"]
    subprocess.run(words, check=True, capture_output=True)
    bundle = bundled(assay, "alpha", "--key", "lab.key")
    assert assay("verify", str(bundle), "--allowed-signers", "lab.pub").code == 0
    done = assay("verify", str(bundle))
    assert done.code == 3
    assert "not verified" in done.out
    files = members(bundle)
    for name in (STATEMENT, f"{STATEMENT}.minisig"):
        Path(name).write_bytes(files[name])
    own = ["minisign", "-V", "-p", "lab.pub", "-m", STATEMENT]
    assert subprocess.run(own, check=False, capture_output=True).returncode == 0
    bad = repacked("bad.tar.gz", told_otherwise(files))
    assert assay("verify", str(bad), "--allowed-signers", "lab.pub").code == 1
