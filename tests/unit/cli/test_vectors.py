# SPDX-License-Identifier: MIT
"""`assay vectors`: writes the file that was verified, and tells where another differs."""

import shutil
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay, Done

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


@pytest.fixture
def verified(tree: Path) -> Path:
    """Give the verified file."""
    return tree / "submissions/rc4/verified.test-vectors"


def test_the_file_written_is_the_one_that_was_verified(assay: Assay, verified: Path) -> None:
    """Byte for byte, and nothing else is printed or left."""
    done = assay("vectors", "rc4", "-o", "out")
    assert done == Done(0, "", "")
    assert Path("out").read_bytes() == verified.read_bytes()
    assert [path.name for path in Path.cwd().iterdir()] == ["out"]


def test_the_terminal_gets_the_same_text(assay: Assay, verified: Path) -> None:
    """`-o -` writes to standard output."""
    assert assay("vectors", "rc4", "-o", "-").out == verified.read_text()


def test_verifying_the_verified_file_agrees(assay: Assay, verified: Path) -> None:
    """A line for each size, and exit code 0."""
    done = assay("vectors", "rc4", "--answers", str(verified))
    assert (done.code, done.err) == (0, "")
    assert [line.partition(":")[0] for line in done.out.splitlines()] == ["128/0", "256/0"]
    assert done.out.count("vectors agree") == 2


def test_the_first_difference_is_shown_with_its_line(assay: Assay, verified: Path) -> None:
    """One digit changed: set, vector, label, byte, line and both values."""
    lines = verified.read_text().splitlines(keepends=True)
    number = next(i for i, line in enumerate(lines) if "stream[192..255] = " in line)
    wrong = "0" if lines[number][31] != "0" else "1"
    lines[number] = lines[number][:31] + wrong + lines[number][32:]
    Path("wrong").write_text("".join(lines))
    done = assay("vectors", "rc4", "--answers", "wrong")
    assert done.code == 1
    assert "128/0: differs: Set 1, vector# 0" in done.out
    assert "stream[192..255], byte 0; line " in done.out
    assert f"expected [{wrong}" in done.out


@pytest.mark.parametrize("profile", ["", "Profile: SW\n", "Profile: S3___\n"])
def test_other_profile_lines_are_tolerated(assay: Assay, verified: Path, profile: str) -> None:
    """Older files have none, or another one."""
    text = verified.read_text()
    assert "Profile: bench\n" in text
    Path("older").write_text(text.replace("Profile: bench\n", profile))
    done = assay("vectors", "rc4", "--answers", "older")
    assert done.code == 0, done
    assert done.out.count("vectors agree") == 2


def test_a_wrong_package_differs_from_the_file(assay: Assay, tree: Path, verified: Path) -> None:
    """It conforms to its API, so it is compared, and fails."""
    spoil(tree, "ctx->i + 1", "ctx->i + 3")
    done = assay("vectors", "rc4", "--answers", str(verified))
    assert done.code == 1
    assert "differs: Set 1, vector# 0" in done.out


@pytest.mark.parametrize("cut", [0.3, 0.7, 0.999])
def test_a_file_cut_short_is_told_with_the_line(assay: Assay, verified: Path, cut: float) -> None:
    """Half a file is not a smaller whole one."""
    text = verified.read_text().rstrip("\n")
    Path("cut").write_text(text[: int(len(text) * cut)])
    done = assay("vectors", "rc4", "--answers", "cut")
    assert done.code == 2
    assert "line " in done.err


@pytest.mark.parametrize(
    ("old", "new"),
    [("stream[0..63] = ", "stream[0..63] = XY"), ("Key size: 128 bits", "Key size: many bits")],
)
def test_a_damaged_file_is_told_with_the_line(
    assay: Assay, verified: Path, old: str, new: str
) -> None:
    """What is no vector is named by its line."""
    text = verified.read_text()
    number = text[: text.index(old)].count("\n") + 1
    Path("damaged").write_text(text.replace(old, new, 1))
    done = assay("vectors", "rc4", "--answers", "damaged")
    assert done.code == 2
    assert f"line {number}" in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("rc4",), 2, "either -o FILE or --answers FILE is needed"),
        (("rc4", "-o", "x", "--answers", "."), 2, "--output and --answers do not go together"),
        (("rc4", "--answers", "nowhere"), 2, "nowhere' does not exist"),
        (("rc4", "-o", "no/such/folder/file"), 2, "no/such/folder"),
        (("*", "-o", "x"), 2, "one package is needed"),
        (("rc4", "-o", "x", "--variant", "0"), 2, "--variant"),
        (("rc4", "-o", "x", "--variant", "7"), 2, "rc4/ref has no variant 7"),
        (("rc5", "-o", "x"), 2, "Did you mean rc4"),
    ],
)
def test_what_cannot_be_done_is_told(
    assay: Assay, tree: Path, arguments: tuple[str, ...], code: int, says: str
) -> None:
    """Exit code 2 for wrong usage, 1 for a package that fails; no file is made."""
    shutil.copytree(tree / "submissions/rc4/ref", tree / "submissions/rc4/other")
    done = assay("vectors", *(("rc4/ref",) if arguments[0] == "rc4" else arguments[:1]),
                 *arguments[1:])  # fmt: skip
    assert done.code == code
    assert says in done.err
    assert not list(Path.cwd().iterdir())


def test_a_package_that_does_not_conform_gets_no_vectors(assay: Assay, tree: Path) -> None:
    """As in the original: state outside of the context fails, and no file is made."""
    spoil(tree, "static u8 next_byte(ECRYPT_ctx *ctx)\n{", "static u8 next_byte(ECRYPT_ctx *ctx)\n"
          "{\n    static u8 calls; ctx->j = U8V(ctx->j + ++calls);")  # fmt: skip
    done = assay("vectors", "rc4", "-o", "out")
    assert done.code == 1
    assert "FAIL state/" in done.err
    assert not Path("out").exists()
