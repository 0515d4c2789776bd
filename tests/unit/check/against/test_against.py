# SPDX-License-Identifier: MIT
"""Two implementations on the same inputs: what differs in one rare case is found and shrunk."""

import re
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from assay.check.engine.wanted import siblings
from assay.model import CheckResult, Package, Verdict
from assay.package.supercop.load import load

ROOT = Path(__file__).resolve().parents[4]
CORPUS = ROOT / "tests/whole/corpus"
KEM = ROOT / "submissions/supercop"
Compare = Callable[..., CheckResult]
Written = Callable[[str, str], Package]
Changed = Callable[..., tuple[Package, Package]]


def given(found: CheckResult, name: str) -> bytes:
    """Return an input as the evidence shows it; nothing if it is empty."""
    line = re.search(rf"^{name} = ([0-9A-F]*)$", found.evidence, re.MULTILINE)
    return bytes.fromhex(line[1]) if line else b""


def test_implementations_that_agree_pass_and_the_count_is_named(
    compare: Compare, hashes: Written
) -> None:
    """FNV-1a, and the same with the bytes in another loop."""
    found = compare(hashes("one", ";"), hashes("other", "h ^= 0;"))
    assert (found.check, found.verdict) == ("against/given", Verdict.PASS), found
    count = re.search(r"same outputs as crypto_hash/fnv/other for (\d+) uses", found.reason)
    assert count
    assert int(count[1]) >= 500


def test_a_rare_length_is_found_and_all_its_bytes_are_zeros(
    compare: Compare, hashes: Written
) -> None:
    """Messages of 77 bytes alone differ, so nothing shorter can be shown."""
    found = compare(hashes("wrong", "h += inlen == 77;"), hashes("right", ";"))
    assert found.verdict is Verdict.FAIL
    assert "crypto_hash/fnv/wrong and crypto_hash/fnv/right" in found.reason
    assert given(found, "m") == bytes(77)
    assert found.evidence.startswith("crypto_hash with m of 77 bytes\n")


def test_a_difference_is_shrunk_to_the_shortest_message_and_the_one_byte(
    compare: Compare, hashes: Written
) -> None:
    """What matters is that some byte from the third on is FF: three bytes show it."""
    rare = "for (i = 2; i < inlen; i++) h += in[i] == 0xFF;"
    found = compare(hashes("wrong", rare), hashes("right", ";"))
    assert given(found, "m") == bytes.fromhex("0000FF")


def test_runs_of_equal_bytes_are_among_the_inputs(compare: Compare, hashes: Written) -> None:
    """Sixteen bytes of FF in a row are not drawn uniformly in the life of a bench."""
    rare = "unsigned run = 0; for (i = 0; i < inlen; i++) { run = in[i] == 0xFF ? run + 1 : 0; "
    found = compare(hashes("wrong", rare + "h += run == 16; }"), hashes("right", ";"))
    assert given(found, "m") == bytes([0xFF]) * 16


def test_a_call_that_fails_on_one_side_is_a_difference(compare: Compare, hashes: Written) -> None:
    """Return values are compared, too."""
    found = compare(hashes("wrong", "if (inlen == 9) return 1;"), hashes("right", ";"))
    assert found.verdict is Verdict.FAIL
    assert "wrong results (1,)\nright results (0,)" in found.evidence


def test_a_package_that_does_not_build_leaves_the_question_open(
    compare: Compare, hashes: Written
) -> None:
    """It is not the fault of the one that is checked."""
    found = compare(hashes("right", ";"), hashes("broken", "none;"))
    assert found.verdict is Verdict.OPEN
    assert found.reason.startswith("crypto_hash/fnv/broken does not build here: ")


def test_a_package_that_faults_leaves_the_question_open(compare: Compare, hashes: Written) -> None:
    """The one that others are compared with is not trusted either."""
    found = compare(hashes("right", ";"), hashes("faulty", "if (inlen == 5) __builtin_trap();"))
    assert found.verdict is Verdict.OPEN
    assert found.reason.startswith("crypto_hash/fnv/faulty gives no answer: ")


def test_stream_ciphers_are_compared_with_key_iv_and_message_shrunk(
    compare: Compare, changed: Changed
) -> None:
    """The third block is wrong if the first byte of the key is odd: 33 bytes, one bit of key."""
    right, wrong = changed(
        CORPUS / "sync",
        "toy.c",
        (
            "x[6] = ctx->counter;",
            "x[6] = ctx->counter ^ (ctx->counter == 2 && (ctx->key[0] & 1));",
        ),
    )
    found = compare(wrong, right)
    assert found.verdict is Verdict.FAIL
    assert re.search(r" of 33 bytes \(", found.evidence)
    assert given(found, "key")[0] & 1
    rest = given(found, "key")[1:] + given(found, "IV") + given(found, "input")
    # One byte shows of the third block. For one IV in 256 it is the same, and zeros may be one.
    assert sum(map(bool, rest)) <= 1
    assert compare(right, right).verdict is Verdict.PASS


def test_hashes_with_contexts_are_compared(compare: Compare, changed: Changed) -> None:
    """The compact API: a byte FE is absorbed as another."""
    edit = ("^ byte)", "^ (byte == 0xFE ? 0xFC : byte))")
    right, wrong = changed(CORPUS / "compact/c", "toy.c", edit)
    assert given(compare(wrong, right), "data") == b"\xfe"


def kem(tmp_path: Path, name: str, *edits: tuple[str, str]) -> Package:
    """Write ML-KEM-768 with changes under a name of its own."""
    source = KEM / "crypto_kem/mlkem768/ref"
    folder = tmp_path / "tree/crypto_kem/mlkem768" / name
    folder.mkdir(parents=True)
    for one in source.iterdir():
        text = one.read_text()
        for old, new in edits if one.name == "kem.c" else ():
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        (folder / one.name).write_text(text)
    found = load(tmp_path / "tree", f"crypto_kem/mlkem768/{name}")
    assert isinstance(found, Package), found
    return found


def test_the_keys_of_forged_ciphertexts_are_compared(compare: Compare, tmp_path: Path) -> None:
    """Implicit rejection with zeros: every honest exchange gives the right key."""
    edit = ("(key_r[i] ^ rejection[i])", "key_r[i]")
    wrong, right = kem(tmp_path, "wrong", edit), kem(tmp_path, "right")
    found = compare(wrong, right)
    assert found.verdict is Verdict.FAIL
    assert found.evidence.startswith("crypto_kem_dec\n")


def test_other_orders_of_random_bytes_are_no_accusation(compare: Compare, tmp_path: Path) -> None:
    """Two draws of 32 bytes in the place of one of 64 give other keys, which may be right."""
    edit = ("randombytes(d_z, 64)", "randombytes(d_z + 32, 32), randombytes(d_z, 32)")
    found = compare(kem(tmp_path, "twice", edit), kem(tmp_path, "once"))
    assert found.verdict is Verdict.OPEN
    assert "randombytes in twice: 32 + 32 + 32 bytes" in found.evidence
    assert "randombytes in once: 64 + 32 bytes" in found.evidence


def test_siblings_are_compared_with_ref_where_there_are_no_checksums(hashes: Written) -> None:
    """`ref` itself is compared with none, and packages with checksums are left alone."""
    opt, ref = hashes("opt", ";"), hashes("ref", ";")
    known = load(KEM, "crypto_kem/mlkem768/ref")
    found = siblings([opt, ref, known])
    assert {place: reference.package.selector for place, reference in found.items()} == {
        opt.place: ref.selector
    }
    assert not any(reference.named for reference in found.values())


def test_parameter_sets_of_a_submission_are_no_siblings(hashes: Written, tmp_path: Path) -> None:
    """Where folders are not SUPERCOP's, the innermost tells which set it is."""
    one = hashes("ref", ";")
    assert one.details is not None
    elsewhere = replace(one.details, tree=tmp_path / "submission")
    names = ("ARM/foo512", "ARM/foo768", "WG0/foo512")
    sets = [replace(one, implementation=name, place=name, details=elsewhere) for name in names]
    found = siblings(sets)
    assert {place: reference.package.place for place, reference in found.items()} == {
        "WG0/foo512": "ARM/foo512"
    }


def test_a_deep_comparison_tries_every_length_up_to_4097(
    compare: Compare, hashes: Written
) -> None:
    """One length among thousands, in a function that takes its message in one call."""
    wrong, right = hashes("wrong", "h += inlen == 3001;"), hashes("right", ";")
    found = compare(wrong, right, deep=True)
    assert found.verdict is Verdict.FAIL
    assert found.evidence.startswith("crypto_hash with m of 3001 bytes\n")


def test_a_package_that_vanished_meanwhile_leaves_its_comparison_open(
    compare: Compare, hashes: Written
) -> None:
    """The reason is named, and the check goes on."""
    one, other = hashes("one", ";"), hashes("gone", ";")
    other.root.rename(other.root.with_name("elsewhere"))
    found = compare(one, other)
    assert (found.check, found.verdict) == ("against/given", Verdict.OPEN)
    assert found.reason.startswith("crypto_hash/fnv/gone cannot be built any more: ")


def test_a_package_that_was_changed_meanwhile_leaves_its_comparison_open(
    compare: Compare, hashes: Written
) -> None:
    """Another package in its place is not what was asked for."""
    one, other = hashes("one", ";"), hashes("changed", ";")
    with (other.root / "hash.c").open("a") as file:
        file.write("int more;\n")
    found = compare(one, other)
    assert found.verdict is Verdict.OPEN
    assert "was changed since Assay has read it" in found.reason
