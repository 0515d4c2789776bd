# SPDX-License-Identifier: MIT
"""What compilers warn of in code that they compile, in the words of real compilers."""

from collections.abc import Callable

import pytest

from assay.check.engine.cells import build_verdict, with_warnings
from assay.compile.builder import Builder
from assay.compile.reasons import Danger, warnings_of
from assay.compile.recipe import Recipe
from assay.model import Build, CheckResult, Package, Verdict
from assay.model.causes import WARNINGS

COMPILERS = ("gcc", "clang", "tcc")
CASES = {
    "char *made(void) { return (char *)getpid(); }": (
        *(Danger.CUT, "implicit declaration of function 'getpid'; its pointer is cut to int"),
    ),
    "int made(void) { return getpid(); }": (
        *(Danger.UNDECLARED, "implicit declaration of function 'getpid'; its result is taken"),
    ),
    "char *made(int x) { return x; }": (Danger.CUT, "a pointer does not fit into an int"),
    "u32 *made(u64 *x) { return x; }": (Danger.WRONG_TYPE, "incompatible"),
    "int made(int x) { if (x) return 3; }": (Danger.WRONG_TYPE, "function"),
}
FAILED = CheckResult("supercop/returns", Verdict.FAIL, "SIGSEGV in step 1")


@pytest.fixture
def built(
    builder: Builder,
    write_package: Callable[..., Package],
    recipe: Callable[..., Recipe],
    texts: tuple[str, str],
) -> Callable[[str, str], Build]:
    """Give what builds the package with another line at the end of its source."""

    def build(line: str, command: str) -> Build:
        package = write_package(source=f"{texts[1]}\n{line}\n")
        return builder.build(recipe(package, command))

    return build


def told(build: Build, *more: CheckResult) -> list[CheckResult]:
    """Return what is noted of the compiler's warnings beside other verdicts."""
    checks = with_warnings((build_verdict(build), *more), build)
    return [one for one in checks if one.check == WARNINGS]


@pytest.mark.parametrize("command", COMPILERS)
@pytest.mark.parametrize("line", CASES)
def test_a_grave_warning_is_told_with_its_place(
    built: Callable[[str, str], Build], line: str, command: str
) -> None:
    """Each compiler has its own words; file, line and name are the package's."""
    found = warnings_of(built(line, command).diagnostics)[0]
    danger, says = CASES[line]
    assert found.danger is danger
    assert says in found.text
    assert found.place.startswith("toy.c:")


def test_a_function_without_a_declaration_is_noted_even_if_all_passes(
    built: Callable[[str, str], Build],
) -> None:
    """Its result is cut wherever addresses are longer than an int; it is never a failure."""
    (found,) = told(built("char *made(void) { return (char *)getpid(); }", "gcc"))
    assert found.verdict is Verdict.FINDING
    assert "'getpid'" in found.reason
    assert "before it is called" in found.cure


@pytest.mark.parametrize("command", COMPILERS)
@pytest.mark.parametrize(
    "line", ["u32 *made(u64 *x) { return x; }", "int made(int x) { if (x) return 3; }"]
)
def test_other_warnings_are_told_where_something_fails(
    built: Callable[[str, str], Build], line: str, command: str
) -> None:
    """A package that passes gets no remark for what compilers often warn of."""
    build = built(line, command)
    assert not told(build)
    assert told(build, FAILED)


@pytest.mark.parametrize("command", COMPILERS)
def test_harmless_warnings_are_never_told(
    built: Callable[[str, str], Build], command: str
) -> None:
    """An unused variable says nothing of why code fails."""
    assert not told(built("void made(void) { int unused; }", command), FAILED)


def test_long_lists_of_warnings_are_cut(built: Callable[[str, str], Build]) -> None:
    """Ten lines show where to look; the rest is counted."""
    lines = "\n".join(f"u32 *made{n}(u64 *x) {{ return x; }}" for n in range(40))
    (found,) = told(built(lines, "gcc"), FAILED)
    assert found.reason.endswith("(and 39 more such warnings)")
    assert len(found.evidence.splitlines()) == 10
