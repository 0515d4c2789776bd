# SPDX-License-Identifier: MIT
"""`assay check --all-configs`: what is wrong in one configuration only is found, and named."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, ParamSpec

import pytest
from tests.caches import new_cache
from tests.unit.cli.calling import Assay, calling

from assay.check.engine.cells import Examination
from assay.check.engine.workshop import Workshop
from assay.compile.recipe import Recipe
from assay.configure.folder import write_configurations
from assay.model import Configuration
from assay.plan import recipes
from assay.toolchain import shortlist

How = ParamSpec("How")
Examine = Callable[Concatenate[Workshop, Recipe, How], Examination]
ROOT = Path(__file__).parents[3]
PLAIN, SPOILED, TWIN = "gcc_default_O1", "gcc_default_O1-spoiled", "gcc_default_O1-twin"
OPTIONS = {PLAIN: "-O1", SPOILED: "-O1 -DSPOILED", TWIN: "-O1 -DNOBODY_ASKS"}
SPOIL = "#ifdef SPOILED\n    j = 1;\n#endif\n"
BRANCH = """    int i;
#ifdef __OPTIMIZE_SIZE__
    if (x[0] != y[0])
        return -1;
#endif
"""


@pytest.fixture
def assay(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Assay:
    """Give a function that calls the command line on a tree with RC4 and three configurations."""
    root = tmp_path / "tree"
    shutil.copytree(ROOT / "benchmarks/rc4/ref", root / "submissions/rc4/ref")
    shutil.copy(ROOT / "benchmarks/rc4/verified.test-vectors", root / "submissions/rc4")
    listed = [Configuration("gcc", "gcc", "", opt, name, name) for name, opt in OPTIONS.items()]
    write_configurations(root / "reports-tester", listed)
    monkeypatch.setenv("ASSAY_ROOT", str(root))
    monkeypatch.setenv("HOSTNAME", "tester")
    monkeypatch.setenv("XDG_CACHE_HOME", str(new_cache(tmp_path_factory)))
    monkeypatch.setattr(os, "cpu_count", lambda: 1)

    return calling(monkeypatch, capsys)


@pytest.fixture
def spoiled(tmp_path: Path, assay: Assay) -> Path:
    """Make RC4 give another keystream in one configuration."""
    assert callable(assay)
    path = tmp_path / "tree/submissions/rc4/ref/rc4.c"
    text = path.read_text()
    assert text.count("    (void)ivsize;\n") == 1
    path.write_text(text.replace("    (void)ivsize;\n", "    (void)ivsize;\n" + SPOIL))
    return path


def telling(examine: Examine[How], hear: Callable[[str], None]) -> Examine[How]:
    """Return what examines, and tells the name of each configuration before."""

    def call(
        self: Workshop, recipe: Recipe, /, *given: How.args, **how: How.kwargs
    ) -> Examination:
        hear(recipe.configuration.name)
        return examine(self, recipe, *given, **how)

    return call


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the configurations whose code is examined."""
    noted: list[str] = []
    monkeypatch.setattr(Workshop, "examine", telling(Workshop.examine, noted.append))
    return noted


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_branch_on_a_secret_at_one_level_of_optimisation_is_caught_and_named(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str
) -> None:
    """Under valgrind, with each compiler; the level without the branch passes."""
    if not shutil.which(compiler) or not shutil.which("valgrind"):
        pytest.skip(f"no {compiler} or no valgrind")
    shutil.copytree(
        ROOT / "submissions/supercop/crypto_verify/32",
        tmp_path / "submissions/supercop/crypto_verify/32",
    )
    code = next((tmp_path / "submissions/supercop/crypto_verify/32/ref").glob("*.c"))
    text = code.read_text()
    assert text.count("    int i;\n") == 1
    code.write_text(text.replace("    int i;\n", BRANCH))
    monkeypatch.setattr(shortlist, "COMMANDS", (compiler,))
    monkeypatch.setattr(shortlist, "LEVELS", ("-O2", "-Os"))
    monkeypatch.setattr(recipes, "LEVELS", ())  # of secrets/compilers, which asks the same
    line = (
        "check",
        "crypto_verify/32/ref",
        "--tree",
        str(tmp_path / "submissions/supercop"),
        "--all-configs",
    )
    done = assay(*line, "--deep")
    assert done.code == 1
    assert "2 configurations, 2 object codes: 1 passed, 1 failed, 0 skipped" in done.out
    failures = [one for one in done.out.splitlines() if one.startswith("  FAIL")]
    (failure,) = failures
    assert failure.startswith(f"  FAIL secrets/timing: in {compiler}_native_Os: conditional jump")
    assert "skip secrets/timing" not in done.out
    assert "skip memory/initialised" not in done.out


@pytest.mark.usefixtures("spoiled")
def test_every_configuration_has_a_record_and_identical_code_is_examined_once(
    assay: Assay, asked: list[str]
) -> None:
    """The same macro that nobody asks for changes nothing; the one that somebody does is found."""
    done = assay("check", "rc4", "--all-configs", "--json")
    records = {one["configuration"]: one for one in json.loads(done.out)}
    assert done.code == 1
    assert {name: one["passed"] for name, one in records.items()} == {
        PLAIN: True,
        SPOILED: False,
        TWIN: True,
    }
    assert records[PLAIN]["object_hash"] == records[TWIN]["object_hash"]
    assert records[PLAIN]["object_hash"] != records[SPOILED]["object_hash"]
    assert records[PLAIN]["checks"] == records[TWIN]["checks"]
    failed = [one["check"] for one in records[SPOILED]["checks"] if one["verdict"] == "fail"]
    assert "vectors/verified" in failed
    assert asked == [PLAIN, SPOILED]


@pytest.mark.usefixtures("spoiled")
def test_an_interrupted_check_goes_on_and_a_finished_one_asks_anew(
    assay: Assay, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was examined before the interrupt is not examined again; after the end all is."""

    def interrupt(name: str) -> None:
        if name == SPOILED:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Workshop, "examine", telling(Workshop.examine, interrupt))
        assert assay("check", "rc4", "--all-configs").code == 130
    assert asked == [PLAIN]
    first = assay("check", "rc4", "--all-configs")
    assert first.code == 1
    assert asked == [PLAIN, SPOILED]
    assert "3 configurations, 2 object codes: 2 passed, 1 failed, 0 skipped" in first.out
    assert f"FAIL vectors/verified: in {SPOILED}: " in first.out
    assert assay("check", "rc4", "--all-configs").code == 1
    assert asked == [PLAIN, SPOILED, PLAIN, SPOILED]


def test_best_takes_the_first_ones_only(assay: Assay) -> None:
    """As many as are asked for, in the order of `run`."""
    done = assay("check", "rc4", "--all-configs", "--best", "1", "--json")
    assert [one["configuration"] for one in json.loads(done.out)] == [PLAIN]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--best", "2"), "Add --all-configs"),
        (("--all-configs", "--conf", PLAIN), "Leave out --conf"),
    ],
)
def test_options_that_contradict_each_other_are_exit_code_2_with_a_cure(
    assay: Assay, options: tuple[str, ...], says: str
) -> None:
    """Nothing is checked."""
    done = assay("check", "rc4", *options)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_a_package_that_cannot_be_loaded_fails_here_too(assay: Assay, tmp_path: Path) -> None:
    """It has one failed check, as without --all-configs."""
    (tmp_path / "tree/submissions/rc4/ref/ecrypt-sync.h").unlink()
    done = assay("check", "rc4", "--all-configs")
    assert done.code == 1
    assert "  FAIL package/loads: " in done.out
