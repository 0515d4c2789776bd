# SPDX-License-Identifier: MIT
"""Learning options by trying them on the compilers of this machine."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from assay.machine.cpuinfo import cpu_flags
from assay.model import Compiler
from assay.toolchain import archs
from assay.toolchain import probe as module
from assay.toolchain.configs import configurations
from assay.toolchain.probe import probe
from assay.toolchain.process import Finished, run
from assay.toolchain.search import candidates
from assay.toolchain.survey import examine, survey

PathWith = Callable[..., Path]
X86_64_FLAGS = frozenset({"mmx", "sse", "sse2", "cx16", "lahf_lm"})


def _compiler(command: str) -> Compiler:
    """Examine a compiler that must work."""
    found = examine(command)
    assert isinstance(found, Compiler), found
    if not found.target.startswith("x86_64"):
        pytest.skip("the options of this test are for x86")
    return found


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wish for a few options only, some of which no compiler has."""
    archs = ("", "-march=x86-64", "-march=x86-64-v4", "-march=i386", "-march=nonsense")
    opts = ("-O0", "-O2 -fomit-frame-pointer", "-O2 -fnonsense")
    monkeypatch.setattr(module, "wanted_archs", lambda *_: archs)
    monkeypatch.setattr(module, "wanted_opts", lambda *_: opts)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("command", ["gcc", "clang"])
def test_options_are_kept_if_compiler_and_processor_take_them(
    path_with: PathWith, command: str
) -> None:
    """x86-64-v4 needs AVX-512, which the flags do not have; i386 needs -m32."""
    path_with(**{command: command})
    found = probe(_compiler(command), X86_64_FLAGS)
    wide = [arch for arch in found.archs if "-m32" not in arch]
    assert wide == ["", "-march=x86-64"]
    assert found.opts == ("-O0", "-O2 -fomit-frame-pointer")
    narrow = {arch for arch in found.archs if "-m32" in arch}
    assert narrow in (set(), {"-m32", "-march=x86-64 -m32", "-march=i386 -m32"})


@pytest.mark.usefixtures("few")
def test_only_options_that_tags_name_are_tried(
    path_with: PathWith, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a slow machine the others cost minutes; tags of other families do not count."""
    path_with(gcc="gcc")
    compiler = _compiler("gcc")
    tried: list[list[str]] = []

    def counting(command: Sequence[str], folder: Path) -> Finished:
        tried.append(list(command))
        return run(command, folder)

    monkeypatch.setattr(module, "run", counting)
    monkeypatch.setattr(archs, "run", counting)
    tags = ("gcc_x86-64_O2-ofp", "gcc_nonsense_O2-ofp", "clang_default_O0")
    found = probe(compiler, X86_64_FLAGS, tags)
    assert (found.archs, found.opts) == (("-march=x86-64",), ("-O2 -fomit-frame-pointer",))
    words = {word for command in tried for word in command}
    assert "-march=nonsense" in words
    assert not words & {"-march=x86-64-v4", "-march=i386", "-m32", "-O0", "-fnonsense"}


@pytest.mark.usefixtures("few")
def test_all_options_are_tried_where_no_tag_is_of_the_family(path_with: PathWith) -> None:
    """A compiler that the shortlist does not know would be left out otherwise."""
    path_with(gcc="gcc")
    compiler = _compiler("gcc")
    assert probe(compiler, X86_64_FLAGS, ("clang_default_O0",)) == probe(compiler, X86_64_FLAGS)


@pytest.mark.usefixtures("few")
def test_a_program_that_computes_wrongly_drops_the_option(
    path_with: PathWith, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The conftest's exit code says so."""
    path_with(gcc="gcc")
    compiler = _compiler("gcc")
    monkeypatch.setattr(archs, "conftest", lambda: "int main(void) { return 1; }\n")
    assert probe(compiler, X86_64_FLAGS).archs == ()


@pytest.mark.usefixtures("few")
def test_an_illegal_instruction_drops_the_option(
    path_with: PathWith, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal is no success."""
    path_with(gcc="gcc")
    compiler = _compiler("gcc")
    monkeypatch.setattr(archs, "conftest", lambda: "int main(void) { __builtin_trap(); }\n")
    assert probe(compiler, None).archs == ()


def test_tcc_has_few_options(path_with: PathWith) -> None:
    """It takes any option that looks like one, so only known ones are tried."""
    path_with(tcc="tcc")
    found = probe(_compiler("tcc"), cpu_flags())
    assert (found.archs, found.opts) == (("",), ("", "-O2"))


@pytest.mark.slow
def test_gcc_clang_and_tcc_have_more_than_1200_configurations() -> None:
    """The full matrix of an x86 machine with the usual compilers."""
    found = survey(candidates())
    if {"gcc", "clang", "tcc"} - {each.family for each in found.compilers}:
        pytest.skip("needs gcc, clang and tcc")
    supported = [probe(each, cpu_flags()) for each in found.compilers]
    made = configurations(supported)
    assert len(made) > 1200
    assert len(made) == len({each.name for each in made})
