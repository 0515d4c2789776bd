# SPDX-License-Identifier: MIT
"""No option is ignored: what a command cannot use for what was named, it refuses.

Options say where they apply (`cli/applies.py`). Every refusal is tried on the command line.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from tests.unit.cli.calling import Assay, calling

from assay.cli.applies import (
    ADDRESS,
    CLOCK,
    COUNTS,
    FOLDER,
    FOREIGN,
    HASH,
    LOCAL,
    MIXED,
    OPERATION,
    SEVERAL,
    STREAM,
    SUMMARY,
    Option,
)
from assay.cli.applies import (
    NAMED as BESIDES,
)
from assay.cli.main import COMMANDS as NAMES
from assay.cli.main import assay as group
from assay.errors import UsageError
from assay.model import Package
from assay.package.resolve import resolve
from assay.store import Store

ROOT = Path(__file__).parents[3]
NAMED = {
    STREAM: ["rc4/ref"],
    HASH: ["sha256/portable"],
    OPERATION: ["crypto_verify/16/ref"],
    MIXED: ["rc4/ref", "crypto_verify/16/ref"],
    SUMMARY: ["crypto_verify", "--sample", "1"],
    FOREIGN: ["rc4/ref", "--target", "qemu-cortex-m0"],
    COUNTS: ["rc4/ref", "--target", "qemu-cortex-m0"],
    ADDRESS: ["https://example.org/package.zip", "--to", "https://example.org"],
    LOCAL: ["rc4", "--to", "https://example.org"],
    CLOCK: ["rc4/ref", "--engine", "timing"],
}
VALUES = {
    "precision": "1%",
    "most_launches": "9",
    "sizes": "128/64",
    "size": "576",
    "target_names": "qemu-cortex-m0",
    "outputs": "junit:file",
}
COMPARED = ["crypto_verify/16/ref", "crypto_verify/16/ref", "--measure"]


def command_of(name: str) -> click.Command:
    """Import a command."""
    command = group.get_command(click.Context(group), name)
    assert command is not None
    return command


def option_of(command: str, name: str) -> click.Parameter:
    """Give the parameter of a command that is called `name`."""
    (found,) = [one for one in command_of(command).params if one.name == name]
    return found


def words(command: str, name: str, folder: Path) -> list[str]:
    """Spell an option with a value that its type takes."""
    option = option_of(command, name)
    if isinstance(option, click.Argument):
        return ["rc4/ref"]
    if getattr(option, "is_flag", False):
        return [_spelled(option)]
    value = VALUES.get(name, "1")
    if isinstance(option.type, click.Choice):
        value = str(option.type.choices[0])
    elif isinstance(option.type, click.Path):
        value = str(folder / "file" if not option.type.dir_okay else ROOT / "submissions/supercop")
    return [_spelled(option), value]


def _spelled(option: click.Parameter) -> str:
    """Return the first long spelling of an option: older ones come behind it."""
    return next(each for each in option.opts if each.startswith("--"))


def entries() -> Iterator[tuple[str, str, Option]]:
    """Give command, name and rules of every option that has some."""
    for command in sorted(NAMES):
        for one in command_of(command).params:
            if isinstance(one, Option):
                yield command, one.name or "", one


REFUSED = [(c, name, each) for c, name, one in entries() for each in one.refused]
SOME = [(c, name) for c, name, one in entries() if one.some]
NEEDS = [(c, name, one.needs) for c, name, one in entries() if one.needs]
EXCLUDES = [(c, name, other) for c, name, one in entries() for other in one.excludes]


def ruled(command: str, name: str) -> Option:
    """Give an option that has rules."""
    option = option_of(command, name)
    assert isinstance(option, Option)
    return option


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a small clone: a package of each kind."""
    root = tmp_path_factory.mktemp("clone")
    for place in ("benchmarks/rc4", "submissions/sha256", "submissions/supercop/crypto_verify/16"):
        shutil.copytree(ROOT / place, root / place)
    return root


@pytest.fixture
def assay(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Give a function that calls the command line in a folder with a file and two stores."""
    monkeypatch.setenv("ASSAY_ROOT", str(tree))
    monkeypatch.setenv("HOSTNAME", "nowhere")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    for kind in (STREAM, OPERATION):
        (tmp_path / kind).mkdir()
        with Store.create(tmp_path / kind) as store:
            for one in resolve(NAMED[kind], tree):
                assert isinstance(one, Package)
                store.put_package(one)
    return calling(monkeypatch, capsys)


def arguments(command: str, situation: str) -> list[str]:
    """Give what puts a command into a situation."""
    if situation == SEVERAL:
        return [STREAM, OPERATION]
    if command in {"show", "collect"}:
        names = {STREAM: STREAM, FOLDER: OPERATION, OPERATION: "crypto_verify", BESIDES: STREAM}
        return [names[situation]]
    if command == "compare":
        return COMPARED
    return NAMED[situation]


@pytest.mark.parametrize(("command", "name", "other"), [*NEEDS, *EXCLUDES])
def test_rules_name_options_of_their_command(command: str, name: str, other: str) -> None:
    """Else the rule would never apply; and a command is called as its module is."""
    assert other in {one.name for one in command_of(command).params} - {name}
    assert command_of(command).name == command


@pytest.mark.parametrize(("command", "name", "situation"), REFUSED)
def test_an_option_is_refused_where_it_would_be_ignored(
    assay: Assay, tmp_path: Path, command: str, name: str, situation: str
) -> None:
    """The message names the option, the reason and the cure; nothing is done."""
    given = words(command, name, tmp_path)
    needed = ruled(command, name).needs
    if needed:
        given += words(command, needed, tmp_path)
    before = sorted(tmp_path.rglob("*"))
    done = assay(command, *arguments(command, situation), *given)
    assert done.code == 2
    assert done.out == ""
    assert any(f"{word} does not apply to" in done.err for word in given)
    assert ruled(command, name).refused[situation] in done.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(("command", "name"), SOME)
def test_an_option_for_operations_is_refused_without_one(
    assay: Assay, tmp_path: Path, command: str, name: str
) -> None:
    """--tree and --sample say nothing about a cipher; nor --shortlist-only, --long elsewhere."""
    situation = {
        "shortlist_only": OPERATION,
        "sizes": HASH,
        "long": OPERATION,
        "slower_than": OPERATION,
    }.get(name, STREAM)
    needed = ruled(command, name).needs
    given = words(command, name, tmp_path) + (words(command, needed, tmp_path) if needed else [])
    done = assay(command, *NAMED[situation], *given)
    assert (done.code, done.out) == (2, "")
    assert "applies to" in done.err


@pytest.mark.parametrize(("command", "name", "needed"), NEEDS)
def test_an_option_is_refused_without_the_one_that_it_needs(
    assay: Assay, tmp_path: Path, command: str, name: str, needed: str
) -> None:
    """`--best` of `check` chooses among configurations that `--all-configs` brings, say."""
    given = words(command, name, tmp_path)
    if name == "targets_file":
        given[1] = str(ROOT / "src/assay/targets/catalogue.toml")
        (tmp_path / "none.toml").write_text("")
        given[1] = str(tmp_path / "none.toml")
    named = {"compare": COMPARED[:2], "size": NAMED[STREAM]}.get(command, NAMED[OPERATION])
    done = assay(command, *named, *given)
    assert (done.code, done.out) == (2, "")
    assert f"{given[0]} means nothing without {option_of(command, needed).opts[0]}" in done.err


@pytest.mark.parametrize(("command", "name", "other"), EXCLUDES)
def test_two_options_are_refused_of_which_one_would_be_ignored(
    assay: Assay, tmp_path: Path, command: str, name: str, other: str
) -> None:
    """Both are named."""
    named = {"show": ["crypto_verify"], "compare": COMPARED[:2]}
    if command in {"selftest", "export", "collect", "targets", "start", "doctor", "work"}:
        named[command] = []
    given = [*words(command, name, tmp_path), *words(command, other, tmp_path)]
    done = assay(command, *named.get(command, NAMED[STREAM]), *given)
    assert done.code == 2
    assert "do not go together" in done.err


@pytest.mark.parametrize("options", [["--precision", "banana"], ["--sizes", "x"]])
def test_a_wrong_value_is_refused_before_anything_is_done(
    assay: Assay, tmp_path: Path, options: list[str]
) -> None:
    """Even where the option would not apply: the folder of results is not made."""
    done = assay("run", "crypto_verify/16/ref", "rc4/ref", "--results", "made", *options)
    assert done.code == 2
    assert options[1] in done.err
    assert not (tmp_path / "made").exists()


def test_configurations_are_looked_up_before_the_first_campaign(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Operations are not measured first, to find then that the ciphers cannot be."""

    def none() -> Path:
        raise UsageError("there is no compiler here")

    monkeypatch.setattr("assay.cli.run.configured", none)
    done = assay("run", "crypto_verify/16/ref", "rc4/ref", "--results", "made")
    assert done.code == 2
    assert "no compiler" in done.err
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("command", sorted(NAMES))
def test_older_spellings_work_and_are_not_shown(command: str) -> None:
    """Whoever has them in a script need not change it; a reader learns one spelling."""
    shown = command_of(command).get_help(click.Context(command_of(command)))
    for option in command_of(command).params:
        if isinstance(option, Option) and option.older:
            assert _spelled(option) in shown
            assert not [each for each in option.older if f"{each} " in shown]
            assert set(option.older) < set(option.opts)


@pytest.mark.parametrize(
    ("command", "option"),
    [("run", "--results"), ("show", "--results"), ("compare", "--results"),
     ("collect", "--results"), ("export", "--results"), ("import", "--results"),
     ("run", "--all"), ("show", "--all"), ("compare", "--all"),
     ("check", "--answers"), ("vectors", "--answers"),
     ("show", "--metric"), ("compare", "--metric"),
     ("show", "--format"), ("size", "--format"), ("compare", "--format"),
     ("targets", "--format"), ("doctor", "--format"), ("selftest", "--format"),
     ("check", "--format")],
)  # fmt: skip
def test_one_thing_has_one_spelling(command: str, option: str) -> None:
    """The folder of results, all rows, known answers, a measure, and a format."""
    assert option in [each for one in command_of(command).params for each in one.opts]


def test_a_variant_that_there_is_not_is_refused(assay: Assay) -> None:
    """And not compiled as if it were there."""
    done = assay("vectors", "rc4/ref", "-o", "-", "--variant", "7")
    assert (done.code, done.out) == (2, "")
    assert "rc4/ref has no variant 7" in done.err


@pytest.mark.parametrize("value", ["nan", "inf", "1e999"])
@pytest.mark.parametrize(
    "words",
    [("run", "rc4/ref", "--slower-than"), ("run", "rc4/ref", "--precision"),
     ("configure", "--yes", "--mhz"), ("work", "--longest")],
)  # fmt: skip
def test_a_number_that_none_is_is_refused(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    value: str,
) -> None:
    """`nan` is in every range, and no precision reaches it: such a run would never end."""
    done = calling(monkeypatch, capsys)(*words, value)
    assert done.code == 2
    assert f"Invalid value for '{words[-1]}'" in done.err
