# SPDX-License-Identifier: MIT
"""What is left of `native` where the system hides features that a compiler takes for granted.

The compilers are scripts around the real ones, for which `native` is a processor of our choice;
what they compile is for any processor, so these tests run on all x86 machines.
"""

import shutil
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from assay.configure import compilers as search
from assay.configure.compilers import supported_compilers
from assay.configure.dialogue import Dialogue
from assay.model import Compiler
from assay.model.toolchains import left_out
from assay.toolchain import archs, probe, remembered
from assay.toolchain.archs import fit, richest
from assay.toolchain.configs import configurations
from assay.toolchain.features import lacking
from assay.toolchain.probe import Supported, stand_ins
from assay.toolchain.process import Finished
from assay.toolchain.shortlist import parse_shortlist, shortlist_text, standing_in
from assay.toolchain.survey import predefined_macros

PathWith = Callable[..., Path]
WriteScript = Callable[[Path, str, str], None]
REAL = {name: shutil.which(name) for name in ("gcc", "clang")}
# Macros are those of the processor; what is compiled gets no -march at all.
NATIVE_IS = """
macros=no
for word; do [ "$word" != -dM ] || macros=yes; done
for word; do
    shift
    case $macros$word in
        no-m*) [ {known} = yes ] || exit 1 ;;
        yes-m*=native) set -- "$@" -march={cpu} ;;
        *) set -- "$@" "$word" ;;
    esac
done
exec {real} "$@"
"""


def stand_in(name: str, cpu: str, *, known: bool = True) -> str:
    """Return the script of a compiler on a processor; an old one does not know it."""
    if REAL[name] is None:
        pytest.skip(f"not installed: {name}")
    return NATIVE_IS.format(real=REAL[name], cpu=cpu, known="yes" if known else "no")


def compiler(name: str) -> Compiler:
    """Describe a compiler on the path."""
    return Compiler(name, name, Path(name), f"{name} 0", "x86_64-linux-gnu", name)


@pytest.fixture
def on_zen(
    path_with: PathWith, write_script: WriteScript, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], tuple[Compiler, frozenset[str]]]:
    """Put a compiler on the path whose `native` is znver3; return it, and that one's flags."""
    monkeypatch.setattr(archs, "is_native", lambda _: True)
    monkeypatch.setattr(archs, "runner", lambda _: ())

    def made(name: str) -> tuple[Compiler, frozenset[str]]:
        write_script(path_with(), name, stand_in(name, "znver3"))
        tmp_path.joinpath("empty.c").touch()
        macros = predefined_macros([name, "-march=native"], tmp_path)
        flags = frozenset(flag for _, flag in lacking("x86", macros, frozenset()))
        if "vaes" not in flags:
            pytest.skip(f"{name} does not know znver3")
        return compiler(name), flags

    return made


OnZen = Callable[[str], tuple[Compiler, frozenset[str]]]


@pytest.mark.parametrize("name", ["gcc", "clang"])
def test_native_is_kept_as_it_is_where_nothing_is_hidden(on_zen: OnZen, name: str) -> None:
    """No word is added, and there is nothing to say."""
    one, flags = on_zen(name)
    assert fit(one, "-march=native", flags) == archs.ArchFit("-march=native", "-march=native")


@pytest.mark.parametrize("name", ["gcc", "clang"])
@pytest.mark.parametrize(
    ("hidden", "words"),
    [
        (("rdseed",), {"-mno-rdseed"}),
        (("sha_ni", "sse4a"), {"-mno-sha", "-mno-sse4a"}),
        (("abm", "cx16", "lahf_lm", "bmi1"), {"-mno-lzcnt", "-mno-cx16", "-mno-sahf", "-mno-bmi"}),
        (("pclmulqdq", "rdrand"), {"-mno-pclmul", "-mno-rdrnd"}),
    ],
)
def test_single_hidden_features_are_left_out_of_native(
    on_zen: OnZen, name: str, hidden: tuple[str, ...], words: set[str]
) -> None:
    """Linux hides rdseed on processors of families 25 and 26; `native` was dropped as a whole."""
    one, flags = on_zen(name)
    found = fit(one, "-march=native", flags - set(hidden))
    assert found.usable is not None
    first, *others = found.usable.split()
    assert (first, words <= set(others)) == ("-march=native", True)
    assert all(flag in found.reason for flag in hidden if flag != "abm" or name == "gcc")


@pytest.mark.parametrize("name", ["gcc", "clang"])
@pytest.mark.parametrize("hidden", ["avx2", "avx", "sse4_2", "ssse3", "aes", "fma", "popcnt"])
def test_what_depends_on_a_hidden_feature_goes_with_it(
    on_zen: OnZen, tmp_path: Path, name: str, hidden: str
) -> None:
    """A hypervisor that hides AVX2 alone: no code of AVX2 or of what needs it is made."""
    one, flags = on_zen(name)
    visible = flags - {hidden}
    found = fit(one, "-march=native", visible)
    assert found.usable is not None
    macros = predefined_macros([name, *found.usable.split()], tmp_path)
    assert "__SSE2__" in macros
    assert lacking("x86", macros, visible) == ()


def test_a_named_processor_is_not_trimmed(on_zen: OnZen) -> None:
    """It is used as it is, or not at all, and the reason names what the processor lacks."""
    one, flags = on_zen("gcc")
    found = fit(one, "-mavx512f", flags)
    assert (found.usable, found.reason) == (None, "the processor lacks avx512f")


def test_a_compiler_that_does_not_know_the_processor_gets_the_highest_level(
    path_with: PathWith, write_script: WriteScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason is the compiler's own, and the level is among those of the compiler."""
    monkeypatch.setattr(archs, "is_native", lambda _: True)
    monkeypatch.setattr(archs, "runner", lambda _: ())
    text = stand_in("gcc", "znver9").replace("no-m*)", "no-m*=native) exit 1 ;;\n        no-m*)")
    write_script(path_with(), "gcc", text)
    level = "-march=x86-64-v3 -maes -mpclmul -msha"
    flags = frozenset({*LEVEL_3, "aes", "pclmulqdq", "sha_ni"})
    monkeypatch.setattr(probe, "wanted_archs", lambda *_: ("", "-march=native"))
    monkeypatch.setattr(probe, "wanted_widths", lambda *_: ())
    one = compiler("gcc")
    assert richest(one, flags).usable == level
    supported = probe.probe(one, flags)
    assert supported.archs == ("", level)
    assert dict(supported.remarks)["-march=native"].startswith("gcc does not take it")
    assert stand_ins([supported]) == {"gcc": level}
    assert richest(one, flags - {"sha_ni"}).usable == "-march=x86-64-v3 -maes -mpclmul"


LEVEL_3 = (
    *("mmx", "sse", "sse2", "pni", "ssse3", "sse4_1", "sse4_2", "avx", "avx2", "fma", "bmi1"),
    *("bmi2", "abm", "popcnt", "movbe", "f16c", "lahf_lm", "cx16"),
)
AARCH64 = """
case "$*" in
    *nosve*-dM*) echo '#define __ARM_NEON 1' ;;
    *native*-dM*) printf '#define __ARM_NEON 1\\n#define __ARM_FEATURE_SVE 1\\n' ;;
    *-dM*) echo '#define __ARM_NEON 1' ;;
esac
"""


def test_arm_leaves_features_out_of_the_value(
    path_with: PathWith, write_script: WriteScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`-mcpu=native+nosve`, where the system does not list SVE; its name stays `native`."""
    monkeypatch.setattr(archs, "is_native", lambda _: True)
    monkeypatch.setattr(archs, "runner", lambda _: None)
    write_script(path_with(), "clang", AARCH64)
    one = Compiler("clang", "clang", Path("clang"), "", "aarch64-linux-gnu", "")
    found = fit(one, "-mcpu=native", frozenset({"asimd"}))
    assert found.usable == "-mcpu=native+nosve"
    assert richest(one, frozenset({"asimd"})).usable == "-mcpu=native+nosve"
    (made,) = configurations([Supported("clang", "clang", ("-mcpu=native+nosve",), ("-O3",))])
    assert (made.tag, made.name) == ("clang_native_O3", "clang_native_O3")
    assert left_out(made.arch) == ("sve",)


def test_the_name_of_native_does_not_change_with_what_is_left_out() -> None:
    """Shortlists made on other machines name it; the option itself is in the config file."""
    here = ("-march=native -mno-rdseed", "-march=native -m32 -mno-rdseed", "-march=k8 -mno-sse3")
    made = configurations([Supported("gcc", "gcc", here, ("-O3",))])
    assert [one.name for one in made] == [
        *("gcc_native_O3", "gcc_native-m32_O3", "gcc_k8-mno-sse3_O3"),
    ]
    assert [one.arch for one in made] == list(here)


def test_a_level_takes_the_place_of_native_in_a_shortlist() -> None:
    """Its tags have the scores, those of other compilers stay."""
    scores = parse_shortlist(shortlist_text("amd64"))
    changed = standing_in(scores, {"gcc": "-march=x86-64-v3 -maes"})
    assert changed["gcc_x86-64-v3-maes_O3-ofp"] == scores["gcc_native_O3-ofp"]
    assert changed["clang_native_O3-ofp"] == scores["clang_native_O3-ofp"]
    assert not any(tag.startswith("gcc_native") for tag in changed)


@pytest.mark.parametrize("family", ["gcc", "clang"])
def test_shortlists_offer_levels_with_the_instructions_for_ciphers(family: str) -> None:
    """AES and SHA with the third and the fourth level of x86-64, and the fourth alone."""
    tags = parse_shortlist(shortlist_text("amd64"))
    assert f"{family}_x86-64-v3-maes-mpclmul-msha_O3-ofp" in tags
    assert f"{family}_x86-64-v4-maes-mpclmul-msha-mvaes-mvpclmulqdq_O3-ofp" in tags
    assert "gcc_x86-64-v4_O3-ofp" in tags


def test_configure_says_what_was_left_out(
    on_zen: OnZen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the terminal, and as a comment in the file `compilers`."""
    _, flags = on_zen("gcc")
    monkeypatch.setattr(search, "cpu_flags", lambda: flags - {"rdseed"})
    told: list[str] = []
    dialogue = Dialogue(lambda _: "", lambda _: None, lambda _: nullcontext(), told.append)
    tags = ("gcc_native_O3-ofp",)
    found = supported_compilers(tmp_path / "reports", dialogue, cross=False, tags=tags)
    assert found is not None
    assert found[0].archs == ("-march=native -mno-rdseed",)
    (line,) = told
    assert line.startswith("gcc -march=native: without rdseed, which the system does not list")
    assert f"# {line}\n" in (tmp_path / "reports" / "compilers").read_text()


def test_the_richest_option_is_looked_for_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And again where the system lists other features."""
    if REAL["gcc"] is None:
        pytest.skip("not installed: gcc")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked: list[frozenset[str] | None] = []

    def counted(_: Compiler, flags: frozenset[str] | None) -> archs.ArchFit:
        asked.append(flags)
        return archs.ArchFit("-march=native", "-march=native -mno-sha", "why")

    monkeypatch.setattr(archs, "richest", counted)
    one = remembered.examine("gcc")
    assert isinstance(one, Compiler)
    assert remembered.richest(one) == remembered.richest(one)
    monkeypatch.setattr(remembered, "cpu_flags", lambda: frozenset({"sse"}))
    remembered.richest(one)
    assert len(asked) == 2


def test_a_processor_that_could_not_be_tried_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A disk that was full for a moment does not leave code without its instructions for a day."""
    if REAL["gcc"] is None:
        pytest.skip("not installed: gcc")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    full = archs.ArchFit("", "", "-march=native cannot be used: No space left", passing=True)
    native = archs.ArchFit("-march=native", "-march=native")
    answers = [full, full, native]
    monkeypatch.setattr(remembered, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(archs, "richest", lambda *_: answers.pop(0))
    one = remembered.examine("gcc")
    assert isinstance(one, Compiler)
    assert remembered.richest(one) == remembered.richest(one) == native
    assert not answers


def test_a_refusal_by_the_machine_is_remembered_by_the_process_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """All that a command prints agrees, and the next command tries again."""
    if REAL["gcc"] is None:
        pytest.skip("not installed: gcc")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    full = archs.ArchFit("", "", "-march=native cannot be used: No space left", passing=True)
    monkeypatch.setattr(remembered, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(archs, "richest", lambda *_: full)
    one = remembered.examine("gcc")
    assert isinstance(one, Compiler)
    assert remembered.richest(one) == full
    native = archs.ArchFit("-march=native", "-march=native")
    monkeypatch.setattr(archs, "richest", lambda *_: native)
    assert remembered.richest(one) == full
    monkeypatch.setattr(remembered, "_refused", {})
    assert remembered.richest(one) == native


def test_a_machine_short_of_processes_refuses_for_the_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a compiler does not take is refused for good, what could not be tried is not."""
    if REAL["gcc"] is None:
        pytest.skip("not installed: gcc")
    one = compiler("gcc")
    assert not fit(one, "-march=nonsense", None).passing
    fork = "gcc: fatal error: cannot execute 'cc1': vfork: Resource temporarily unavailable"
    monkeypatch.setattr(archs, "run", lambda *_: Finished(1, "", fork))
    assert fit(one, "-march=native", None).passing
