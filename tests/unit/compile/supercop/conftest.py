# SPDX-License-Identifier: MIT
"""Small packages of the SUPERCOP API, written by the test that needs them, and their agents."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from assay.check.operation.script import Script
from assay.check.operation.session import OperationSession, describe
from assay.compile.builder import Builder
from assay.compile.recipe import Recipe
from assay.execute.agent import Agent
from assay.execute.jail import AGENT_LIMITS, strongest_jail
from assay.execute.pipe import ProcessPipe
from assay.execute.staging import hand_over, staged_folder
from assay.model import Build, BuildStage, Package
from assay.package.supercop.load import load

OWN = "crypto_hash/toy/ref"
# ChaCha20 with key and nonce zero, bytes 32 to 35 (RFC 8439, A.1, test vector 1): SUPERCOP's
# generator keeps the 32 before them as its next key.
RANDOM = bytes.fromhex("da41597c")

Write = Callable[..., Path]
Loaded = Callable[[str], Package]
Built = Callable[..., Build]
Speaking = Callable[[Build], AbstractContextManager[OperationSession]]
Hashed = Callable[[Build], bytes]

API = "#define CRYPTO_BYTES 4\n"
OUTPUT = "int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)\n"


def hash_source(body: str, before: str = "") -> dict[str, str]:
    """Give the files of a hash of 4 bytes: what `crypto_hash` does, and what stands before it."""
    start = f'#include "crypto_hash.h"\n#include <string.h>\n{before}\n'
    body = f"{{ (void)in, (void)inlen; memset(out, 0, 4); {body} return 0; }}\n"
    return {"api.h": API, "hash.c": start + OUTPUT + body}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Give the folder that crypto_... stand in."""
    folder = tmp_path / "tree"
    folder.mkdir()
    return folder


@pytest.fixture
def write(tree: Path) -> Write:
    """Give the function that writes files into a folder of the tree."""

    def written(place: str, files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tree / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tree / place

    return written


@pytest.fixture
def loaded(tree: Path) -> Loaded:
    """Give the function that loads an implementation of the tree."""

    def package(place: str) -> Package:
        found = load(tree, place)
        assert isinstance(found, Package), found
        return found

    return package


@pytest.fixture
def built(loaded: Loaded, recipe: Callable[..., Recipe], builder: Builder) -> Built:
    """Give the function that builds an implementation, whatever comes of it."""

    def build(place: str, command: str = "gcc", opt: str = "-O1", arch: str = "") -> Build:
        return builder.build(recipe(loaded(place), command, opt, arch))

    return build


@pytest.fixture
def speaking() -> Speaking:
    """Give the function that starts an agent that was built."""

    @contextmanager
    def speak(build: Build) -> Iterator[OperationSession]:
        assert build.stage is BuildStage.DONE, f"{build.reason}\n{build.diagnostics}"
        assert build.agent is not None
        with staged_folder("assay-test-") as home:
            path = home / "agent"
            shutil.copyfile(build.agent, path)
            hand_over(path)
            with Agent(ProcessPipe([str(path)], home, strongest_jail(), AGENT_LIMITS)) as agent:
                yield OperationSession(agent, describe(agent))

    return speak


@pytest.fixture
def hashed(speaking: Speaking) -> Hashed:
    """Give the function that hashes `abc` with a hash of 4 bytes."""

    def digest(build: Build) -> bytes:
        with speaking(build) as session:
            out = session.agent.buffer("out", 4, modulus=1, number=1)
            text = session.agent.buffer("in", 3, modulus=1, number=2)
            script = Script()
            script.write(text, b"abc")
            script.seed()
            script.call(session.number(""), [out, text, 3])
            script.read(out, 4)
            answer = session.run(script)
            assert answer[:8] == bytes(8)
            return answer[8:]

    return digest
