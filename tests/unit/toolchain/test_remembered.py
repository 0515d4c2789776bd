# SPDX-License-Identifier: MIT
"""What was learned of a compiler is remembered for a day, unless it changes."""

import json
import os
from pathlib import Path

import pytest

from assay.model import Compiler
from assay.toolchain import remembered, survey


@pytest.fixture
def wrapper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a script on the path that runs the system's compiler; the cache is empty."""
    script = tmp_path / "bin" / "mycc"
    script.parent.mkdir()
    script.write_text('#!/bin/sh\nexec cc "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return script


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Count how often a compiler is run to learn what it is."""
    learned: list[str] = []
    learn = survey.examine

    def counted(command: str) -> Compiler | str:
        learned.append(command)
        return learn(command)

    monkeypatch.setattr(survey, "examine", counted)
    return learned


@pytest.mark.usefixtures("wrapper")
def test_a_compiler_is_run_once(runs: list[str]) -> None:
    """What is remembered is what was learned."""
    first, second = remembered.examine("mycc"), remembered.examine("mycc")
    assert isinstance(first, Compiler)
    assert first == second == survey.examine("mycc")
    assert runs == ["mycc"] * 2  # once for us, and once just now


def test_a_compiler_that_changed_is_run_again(wrapper: Path, runs: list[str]) -> None:
    """So is one that other variables lead to."""
    remembered.examine("mycc")
    wrapper.write_text('#!/bin/sh\nexec cc -O1 "$@"\n')
    remembered.examine("mycc")
    assert len(runs) == 2
    os.environ["PATH"] += ":/nowhere"
    remembered.examine("mycc")
    assert len(runs) == 3


@pytest.mark.usefixtures("wrapper")
@pytest.mark.parametrize("change", [{"learned_at": 0.0}, {"learned": {}}, {"files": [["gone"]]}])
def test_what_is_old_or_unreadable_is_learned_again(
    tmp_path: Path, runs: list[str], change: dict[str, object]
) -> None:
    """A record of a day ago, and what no version of Assay would write."""
    before = remembered.examine("mycc")
    (record,) = (tmp_path / "cache" / "assay" / "compilers").iterdir()
    record.write_text(json.dumps(json.loads(record.read_text()) | change))
    assert remembered.examine("mycc") == before
    assert len(runs) == 2


@pytest.mark.usefixtures("wrapper")
def test_what_is_no_compiler_is_asked_each_time(runs: list[str]) -> None:
    """It may have been installed meanwhile."""
    assert remembered.examine("no-compiler-of-that-name") == "it is not on the path"
    assert remembered.examine("no-compiler-of-that-name") == "it is not on the path"
    assert len(runs) == 2
