# SPDX-License-Identifier: MIT
"""`assay vectors` for hashes: what is written is right by others' word, and differences show."""

import hashlib
import shutil
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay, Done, calling

from assay.check.answers.digests import lengths
from assay.check.answers.vector_text import Vector, read_vectors
from assay.targets.catalogue import catalogue, look_for

ROOT = Path(__file__).parents[4]
RATE_BITS = {224: 1152, 256: 1088, 384: 832, 512: 576}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a tree with the portable hashes and a folder to work in."""
    root = tmp_path / "tree"
    for name in ("sha256", "keccak", "blake2s"):
        shutil.copytree(ROOT / "submissions" / name, root / "submissions" / name)
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    monkeypatch.setenv("ASSAY_ROOT", str(root))
    return root


@pytest.fixture
def assay(
    tree: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Give a function that calls the command line."""
    assert tree.is_dir()
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))

    return calling(monkeypatch, capsys)


def written(assay: Assay, package: str, *options: str) -> tuple[Vector, ...]:
    """Write the vectors of a package and read them."""
    assert assay("vectors", package, "-o", package[:4], *options) == Done(0, "", "")
    return read_vectors(Path(package[:4]).absolute())


def test_sha256_is_that_of_hashlib(assay: Assay) -> None:
    """Both sizes, every message of whole bytes; the file says that nobody has verified it."""
    vectors = written(assay, "sha256/portable")
    assert {one.out_bits for one in vectors} == {224, 256}
    whole = [one for one in vectors if one.bits % 8 == 0]
    assert len(whole) == 2 * len(lengths(bits=False))
    for one in whole:
        assert one.digest == hashlib.new(f"sha{one.out_bits}", one.whole).digest()
    first = Path("sha2").read_text().partition("\n")[0]
    assert first.startswith("# sha256: made by sha256/portable, not verified")


def test_blake2s_has_whole_bytes_only(assay: Assay) -> None:
    """All 32 sizes as hashlib has them."""
    vectors = written(assay, "blake2s/portable")
    assert {one.out_bits for one in vectors} == set(range(8, 257, 8))
    for one in vectors:
        assert one.bits % 8 == 0
        assert one.digest == hashlib.blake2s(one.whole, digest_size=one.out_bits // 8).digest()


def test_sha3_is_that_of_hashlib_and_of_fips_202(assay: Assay) -> None:
    """Whole bytes by hashlib; bits by a model of the standard that is as simple as can be."""
    vectors = written(assay, "keccak/portable")
    assert {one.out_bits for one in vectors} == set(RATE_BITS)
    for one in vectors:
        if one.bits % 8 == 0:
            assert one.digest == hashlib.new(f"sha3_{one.out_bits}", one.whole).digest()
    for one in vectors[::17]:
        assert one.digest == sha3(one), one


def sha3(one: Vector) -> bytes:
    """Compute SHA-3 bit by bit; the last byte's bits count from its top here (Annex A)."""
    bits = [byte >> i & 1 for byte in one.whole for i in range(8)]
    byte, count = one.rest
    bits += [byte >> (7 - i) & 1 for i in range(count)]
    rate = RATE_BITS[one.out_bits]
    bits += [0, 1, 1]
    bits += [0] * (-(len(bits) + 1) % rate) + [1]
    state = 0
    for start in range(0, len(bits), rate):
        block = bits[start : start + rate]
        state = keccak_f(state ^ sum(bit << i for i, bit in enumerate(block)))
    return state.to_bytes(200, "little")[: one.out_bits // 8]


def keccak_f(state: int) -> int:
    """Apply Keccak-f[1600] to lanes of 64 bits, lane (x, y) at 64 (x + 5 y)."""
    full = (1 << 64) - 1
    lanes = {(x, y): state >> 64 * (x + 5 * y) & full for x in range(5) for y in range(5)}

    def turn(value: int, by: int) -> int:
        return (value << by | value >> (64 - by)) & full if by else value

    register = 1
    for _ in range(24):
        parity = [lanes[x, 0] ^ lanes[x, 1] ^ lanes[x, 2] ^ lanes[x, 3] ^ lanes[x, 4]
                  for x in range(5)]  # fmt: skip
        for x, y in lanes:
            lanes[x, y] ^= parity[(x - 1) % 5] ^ turn(parity[(x + 1) % 5], 1)
        (x, y), moved = (1, 0), {(0, 0): lanes[0, 0]}
        for t in range(24):
            moved[y, (2 * x + 3 * y) % 5] = turn(lanes[x, y], (t + 1) * (t + 2) // 2 % 64)
            x, y = y, (2 * x + 3 * y) % 5
        for x, y in lanes:
            lanes[x, y] = moved[x, y] ^ (~moved[(x + 1) % 5, y] & moved[(x + 2) % 5, y] & full)
        for j in range(7):
            lanes[0, 0] ^= (register & 1) << ((1 << j) - 1)
            register = register << 1 ^ (0x171 if register & 0x80 else 0)
    return sum(lane << 64 * (x + 5 * y) for (x, y), lane in lanes.items())


def test_what_was_written_agrees(assay: Assay) -> None:
    """A line for each size, here and on an emulated machine with the bytes the other way round."""
    written(assay, "sha256/portable")
    done = assay("vectors", "sha256/portable", "--answers", "sha2")
    count = len(lengths())
    says = "".join(f"{size}: {count} of {count} vectors agree\n" for size in (224, 256))
    assert done == Done(0, says, "")
    mips = next(one for one in catalogue() if one.name == "qemu-mips")
    if not look_for(mips).ok:
        pytest.skip(look_for(mips).reason)
    assert (
        assay("vectors", "sha256/portable", "--answers", "sha2", "--target", "qemu-mips") == done
    )


def test_long_files_have_every_length(assay: Assay) -> None:
    """From nothing to two of the longest blocks."""
    vectors = written(assay, "sha256/portable", "--long")
    assert [one.bits for one in vectors if one.out_bits == 256] == list(range(2305))


def test_known_answers_in_the_form_of_the_competition_serve(assay: Assay) -> None:
    """Len, Msg and MD, here by hashlib."""
    kat = "".join(
        f"\nLen = {8 * n}\nMsg = {bytes(n).hex() or '00'}\n"
        f"MD = {hashlib.sha3_256(bytes(n)).hexdigest().upper()}\n"
        for n in range(300)
    )
    Path("kat").write_text("# ShortMsgKAT_256.txt\n" + kat)
    done = assay("vectors", "keccak/portable", "--answers", "kat")
    assert done == Done(0, "256: 300 of 300 vectors agree\n", "")


def test_the_first_difference_is_shown(assay: Assay) -> None:
    """Counts of every size, place, message, both digests; exit code 1."""
    text = "".join(
        f"out=256 len={8 * n} msg={'61' * n or '-'} md={hashlib.sha256(b'a' * n).hexdigest()}\n"
        for n in range(5)
    )
    good = hashlib.sha256(b"aaa").hexdigest()
    bad = ("0" if good[0] != "0" else "1") + good[1:]
    Path("bad").write_text(text.replace(good, bad))
    done = assay("vectors", "sha256/portable", "--answers", "bad")
    assert done.code == 1
    assert done.out == (
        "256: 4 of 5 vectors agree\n  first difference: bad:4, a message of 24 bits:\n"
        f"   message 616161\n  expected {bad}\n    actual {good}\n"
    )


def test_sizes_that_the_package_does_not_have_are_named(assay: Assay) -> None:
    """A file of another function is no failure of this one, and no success either."""
    Path("other").write_text(f"out=384 len=0 msg=- md={'00' * 48}\n")
    done = assay("vectors", "sha256/portable", "--answers", "other")
    assert done.code == 1
    assert done.out == "384: the package writes no digest of this size\n"
    assert "no vectors for any size of the package" in done.err


@pytest.mark.parametrize(
    ("text", "says"), [("out=256\n", "bad:1 is no vector"), (None, "'bad' does not exist")]
)
def test_a_file_that_cannot_be_read_is_told(assay: Assay, text: str | None, says: str) -> None:
    """Exit code 2, and no trace."""
    if text is not None:
        Path("bad").write_text(text)
    done = assay("vectors", "sha256/portable", "--answers", "bad")
    assert done.code == 2
    assert says in done.err
    assert "Traceback" not in done.err


def test_a_package_that_does_not_conform_gets_no_vectors(assay: Assay, tree: Path) -> None:
    """One that keeps state outside of its context fails the rules of calls: no file is made."""
    source = tree / "submissions/sha256/portable/sha256.c"
    text = source.read_text()
    head, begin, rest = text.partition("sha256_close(")
    body = rest.replace("{", "{\n\tstatic unsigned calls; ub ^= ++calls; n |= calls & 1;", 1)
    source.write_text(head + begin + body)
    done = assay("vectors", "sha256/portable", "-o", "out")
    assert done.code == 1
    assert "FAIL " in done.err
    assert not Path("out").exists()
