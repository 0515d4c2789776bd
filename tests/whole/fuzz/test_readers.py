# SPDX-License-Identifier: MIT
"""Whatever bytes a reader is given: it reads them, or says in an AssayError what is wrong."""

import contextlib
import faulthandler
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.whole.fuzz.readers import BY_NAME, READERS, FuzzedReader

from assay.errors import AssayError

EXAMPLES = 300
HANG_SECONDS = 120
LONG_RUNS = 1_000_000


def inputs(reader: FuzzedReader) -> st.SearchStrategy[bytes]:
    """Make bytes: any, or words of the format, or a good input with pieces changed."""
    good = st.sampled_from(reader.seeds())
    words = st.sampled_from(reader.words or (b"\n", b" ", b"0"))
    piece = st.one_of(words, st.binary(max_size=8), good)
    cut = st.tuples(st.integers(0, 1 << 14), st.integers(0, 12), piece)
    changed = st.tuples(good, st.lists(cut, min_size=1, max_size=6)).map(lambda x: edited(*x))
    return st.one_of(changed, changed, st.lists(piece, max_size=12).map(b"".join), st.binary())


def edited(data: bytes, cuts: list[tuple[int, int, bytes]]) -> bytes:
    """Replace pieces of some bytes by others."""
    for at, length, piece in cuts:
        start = at % (len(data) + 1)
        data = data[:start] + piece + data[start + length :]
    return data


@pytest.mark.parametrize("name", BY_NAME)
def test_good_inputs_are_read(name: str) -> None:
    """The fuzzing begins with what reaches deep; a reader that refuses all would hide."""
    reader = BY_NAME[name]
    took = 0
    for seed in reader.seeds():
        with contextlib.suppress(AssayError):
            reader.read(seed)
            took += 1
    assert took or name == "agent"


@pytest.mark.parametrize("reader", READERS, ids=lambda one: one.name)
def test_no_input_gives_anything_but_an_assay_error(reader: FuzzedReader) -> None:
    """A few hundred inputs each; one that takes minutes is a hang, and shown as one."""

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), database=None)
    @given(inputs(reader))
    @example(b"")
    def fuzz(data: bytes) -> None:
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
        try:
            with contextlib.suppress(AssayError):
                reader.read(data)
        finally:
            faulthandler.cancel_dump_traceback_later()

    fuzz()


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_NAME)
def test_a_million_inputs_give_no_crash_and_no_hang(name: str) -> None:
    """Coverage guides atheris, which `pip install atheris` brings where it has wheels."""
    pytest.importorskip("atheris")
    runs = os.environ.get("ASSAY_FUZZ_RUNS", str(LONG_RUNS))
    command = [sys.executable, "-m", "tests.whole.fuzz.long", name, runs]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert f"Done {runs} " in done.stderr
