# SPDX-License-Identifier: MIT
"""`assay check`: verdicts, exit codes and the shape of --json."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay

from assay.cli.verdicts import EVIDENCE_LINES, FailuresAtOnce, show_checks
from assay.execute.lock import holders
from assay.model import CheckResult, Verdict
from assay.model.causes import WARNINGS, explained

ROOT = Path(__file__).parents[3]


@pytest.fixture
def clone(tree: Path) -> Path:
    """Work on the small clone."""
    return tree


def spoil(tree: Path, old: str, new: str, file: str = "rc4.c") -> None:
    """Change the package."""
    path = tree / "submissions/rc4/ref" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_good_package_passes_with_exit_code_0(assay: Assay) -> None:
    """One line of counts, and below it what was skipped, with why, and a remark."""
    done = assay("check", "rc4")
    assert (done.code, done.err) == (0, "")
    first, *rest = done.out.splitlines()
    assert first.startswith("pass  rc4/ref: ")
    assert " 0 failed, " in first
    *reasons, last = rest
    remarks = ("  skip ", "  pass calls/rare-failures: ")
    assert all(line.startswith(remarks) and ": " in line for line in reasons)
    assert last.startswith("Checked with ")


def test_all_shows_what_passed_as_well(assay: Assay) -> None:
    """--all has a line for every check."""
    done = assay("check", "--all", "rc4/ref")
    assert "  pass build/links" in done.out
    assert "  pass vectors/verified" in done.out


def test_only_what_is_named_is_asked_and_decides(assay: Assay, tree: Path) -> None:
    """A family of checks, or one: others neither pass nor fail, and stderr says so."""
    spoil(tree, "ctx->i + 1", "ctx->i + 2")
    done = assay("check", "--only", "buffers", "--only", "keystream/functions", "--all", "rc4")
    assert done.code == 0, done.out
    assert "  pass buffers/guard" in done.out
    assert "vectors/verified" not in done.out
    assert done.err.startswith("Asked only: buffers/")
    done = assay("check", "--only", "vectors/verified", "rc4")
    assert done.code == 1
    assert "  FAIL vectors/verified: " in done.out


def test_a_check_that_was_not_decided_is_no_success(assay: Assay) -> None:
    """One that is slow, and one of another kind: exit code 3, and a line for the package."""
    for name in ("secrets/timing", "digest"):
        done = assay("check", "--only", name, "rc4")
        assert done.code == 3
        assert "none of these checks was decided for rc4/ref" in done.err
    done = assay("check", "--only", "bufers/guard", "rc4")
    assert done.code == 2
    assert "The nearest are buffers/guard" in done.err


def test_a_wrong_package_fails_with_reason_cure_and_exit_code_1(assay: Assay, tree: Path) -> None:
    """The failed check is named; below it the evidence and how to mend it."""
    spoil(tree, "ctx->i + 1", "ctx->i + 2")
    done = assay("check", "rc4")
    assert done.code == 1
    assert done.out.startswith("FAIL  rc4/ref: ")
    assert "  FAIL vectors/verified: " in done.out


def test_a_package_that_does_not_compile_fails_with_the_compilers_words(
    assay: Assay, tree: Path
) -> None:
    """The one check is the build's."""
    spoil(tree, "u32 i, j = 0;", "u32 i, j = nothing;")
    done = assay("check", "rc4")
    assert done.code == 1
    assert "FAIL  rc4/ref: 0 passed, 1 failed, 0 skipped" in done.out
    assert "  FAIL build/compiles: compilation failed" in done.out
    assert "nothing" in done.out


def test_a_package_that_cannot_be_loaded_fails(assay: Assay, tree: Path) -> None:
    """A Makefile without a header: one failed check, with a cure."""
    (tree / "submissions/rc4/ref/ecrypt-sync.h").unlink()
    done = assay("check", "rc4")
    assert done.code == 1
    assert "  FAIL package/loads: " in done.out


def test_json_has_the_same_verdicts_for_machines(assay: Assay, tree: Path) -> None:
    """A list with a record for each package and variant."""
    spoil(tree, "void ECRYPT_init", "void init")
    done = assay("check", "--json", "rc4", "--conf", "gcc_default_O1", "--jail", "limits")
    assert done.code == 1
    (record,) = json.loads(done.out)
    (check,) = record.pop("checks")
    assert record == {
        "package": "rc4/ref",
        "variant": 1,
        "configuration": "gcc_default_O1",
        "compiler": record["compiler"],
        "target": "native",
        "object_hash": record["object_hash"],
        "jail": "limits only",
        "verdict": "fail",
        "passed": False,
        "compared": True,
        "goals": [],
        "goals_examined": None,
        "warnings": [],
    }
    assert set(check) == {"check", "verdict", "reason", "cure", "evidence", "follows"}
    assert (check["check"], check["verdict"]) == ("build/links", "fail")
    assert check["reason"] == "the code does not define ECRYPT_init"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("check", "rc5"), "Did you mean rc4"),
        (("check", "nothing-like-it"), "`assay list` shows all names"),
        (("check", "empty"), "there is no package in"),
        (("check",), "Missing argument"),
        (("check", "rc4", "--conf", "gcc_default_O9"), "such as gcc_default_O1"),
        (("check", "rc4", "--jail", "none"), "'none' is not one of"),
        (("chek", "rc4"), "No such command 'chek'. Did you mean check?"),
    ],
)
def test_wrong_usage_is_exit_code_2_with_a_cure(
    assay: Assay, arguments: tuple[str, ...], says: str
) -> None:
    """Nothing is printed as a result; the message says what would be right."""
    Path("empty").mkdir()
    done = assay(*arguments)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_a_variant_that_stops_with_an_error_of_its_own_is_skipped(
    assay: Assay, tree: Path
) -> None:
    """The README of the original recommends it; the other variant is judged as ever."""
    refuse(tree, "ECRYPT_VARIANT == 2", "#error not yet")
    done = assay("check", "--json", "rc4")
    records = json.loads(done.out)
    assert [(one["variant"], one["verdict"]) for one in records] == [(1, "pass"), (2, "skipped")]
    assert [(one["check"], one["reason"]) for one in records[1]["checks"]] == [
        ("build/fits", "the code stops with #error: not yet")
    ]
    assert done.code == 0


def test_a_variant_that_does_not_compile_fails_by_name(assay: Assay, tree: Path) -> None:
    """Only #error says that an author meant it."""
    refuse(tree, "ECRYPT_VARIANT == 2", "int = 3;")
    done = assay("check", "rc4")
    assert done.code == 1
    assert "FAIL  rc4/ref (variant 2)" in done.out
    assert "pass  rc4/ref (variant 1)" in done.out


def test_a_package_none_of_whose_variants_builds_fails(assay: Assay, tree: Path) -> None:
    """Nothing is left that could be judged."""
    refuse(tree, "ECRYPT_VARIANT", "#error not yet")
    done = assay("check", "--json", "rc4")
    assert [one["verdict"] for one in json.loads(done.out)] == ["fail", "fail"]
    assert done.code == 1


def refuse(tree: Path, condition: str, line: str) -> None:
    """Give the package two variants; where the condition holds there is `line` in its code."""
    spoil(tree, "MAXVARIANT 1", "MAXVARIANT 2", "ecrypt-sync.h")
    begin = "void ECRYPT_init"
    spoil(tree, begin, f"#if {condition}\n{line}\n#endif\n{begin}")


def test_a_goal_that_nobody_asked_about_is_in_the_first_line(assay: Assay, tree: Path) -> None:
    """It is declared, not examined: the package passes what was asked, and the line says so."""
    (tree / "submissions/rc4/ref/goal-constbranch").touch()
    done = assay("check", "rc4")
    first = done.out.splitlines()[0]
    assert first.startswith("pass  rc4/ref: ")
    assert first.endswith("; declared goals not examined, `--deep` examines them")
    assert done.code == 0
    (record,) = json.loads(assay("check", "rc4", "--json").out)
    assert (record["goals"], record["goals_examined"]) == (["constbranch"], False)


def test_without_a_goal_nothing_is_said_of_goals(assay: Assay) -> None:
    """Neither in the line nor as something to be examined."""
    assert "goals" not in assay("check", "rc4").out
    (record,) = json.loads(assay("check", "rc4", "--json").out)
    assert (record["goals"], record["goals_examined"]) == ([], None)


def test_the_compiler_and_the_configuration_are_named(assay: Assay) -> None:
    """Its version, as the compiler itself has it."""
    says = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=True)
    named = f"gcc {says.stdout.strip()}"
    done = assay("check", "rc4", "--conf", "gcc_default_O1")
    assert done.out.splitlines()[-1] == f"Checked with {named}, gcc_default_O1."
    (record,) = json.loads(assay("check", "rc4", "--conf", "gcc_default_O1", "--json").out)
    assert (record["compiler"], record["configuration"]) == (named, "gcc_default_O1")


def test_long_evidence_is_cut_on_the_terminal_and_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """All of it is shown with --all, and in the records."""
    evidence = "\n".join(f"place {n}" for n in range(EVIDENCE_LINES + 7))
    checks = [CheckResult("secrets/timing", Verdict.FAIL, "a leak", "mend it", evidence)]
    show_checks(checks)
    shown = capsys.readouterr().out
    assert f"place {EVIDENCE_LINES - 1}\n" in shown
    assert f"place {EVIDENCE_LINES}\n" not in shown
    assert "(and 7 more lines: --all, --json)" in shown
    show_checks(checks, show_all=True)
    assert evidence.splitlines()[-1] in capsys.readouterr().out


def test_a_command_that_fails_while_it_shows_gives_the_machine_up(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while the exception is kept, as a debugger would; others wait for the machine."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("cannot show it")

    monkeypatch.setattr("assay.cli.verdicts.show_examination", broken)
    with pytest.raises(RuntimeError) as kept:
        assay("check", "rc4")
    mine = [one for one in holders() if one.process == os.getpid()]
    assert mine == [], kept


def test_a_warning_that_explains_a_crash_comes_before_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Who reads the first lines learns the cause; the crash is named as what follows."""
    warned = CheckResult(WARNINGS, Verdict.FINDING, "a.c:5: implicit declaration of function 'f'")
    crashed = CheckResult("supercop/returns", Verdict.FAIL, "SIGSEGV in step 1")
    show_checks(explained((crashed, warned)))
    lines = capsys.readouterr().out.splitlines()
    assert "note build/warnings: a.c:5: implicit declaration" in lines[0]
    assert any("supercop/returns: follows from build/warnings" in line for line in lines)
    assert not any("SIGSEGV" in line for line in lines)


def test_failures_are_told_at_once_with_the_warning_that_explains_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The warning is told once, and only when something follows from it."""
    hear = FailuresAtOnce()
    hear(CheckResult(WARNINGS, Verdict.FINDING, "a.c:5: implicit declaration of function 'f'"))
    assert not capsys.readouterr().err
    for name in ("supercop/returns", "buffers/guard"):
        hear(CheckResult(name, Verdict.FAIL, "SIGSEGV in step 1"))
    (line,) = capsys.readouterr().err.splitlines()
    assert "note build/warnings: a.c:5" in line
