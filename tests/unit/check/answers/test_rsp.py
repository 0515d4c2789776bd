# SPDX-License-Identifier: MIT
"""NIST's response files are read: every kind of block, and damage with its line."""

import gzip
from pathlib import Path

import pytest

from assay.check.answers.read import read_answers
from assay.check.answers.records import AnswerFile, AnswerTask, Result
from assay.errors import VectorFormatError

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-4
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def read(folder: Path, text: str, name: str = "some.rsp") -> AnswerFile:
    """Read a text as a file."""
    path = folder / name
    path.write_text(text)
    return read_answers(path)


def test_digests_are_cut_to_their_length_in_bits(tmp_path: Path) -> None:
    """`Len = 0` comes with `Msg = 00`."""
    file = read(
        tmp_path,
        f"#  CAVS\n\n[L = 32]\n\nLen = 0\nMsg = 00\nMD = {EMPTY}\n\n"
        f"Len = 24\nMsg = 616263\nMD = {ABC}\n",
    )
    assert file.format == "NIST response file"
    assert [one.task for one in file.answers] == [AnswerTask.DIGEST, AnswerTask.DIGEST]
    assert [one.value("message") for one in file.answers] == [b"", b"abc"]
    assert file.answers[1].value("digest").hex() == ABC
    assert file.answers[1].place == "some.rsp:9"


def test_messages_that_end_inside_a_byte_are_counted_as_skipped(tmp_path: Path) -> None:
    """The API takes bytes."""
    file = read(tmp_path, f"Len = 5\nMsg = 48\nMD = {ABC}\n\nLen = 0\nMsg = 00\nMD = {EMPTY}\n")
    assert len(file.answers) == 1
    assert file.skipped == {"a message that ends inside a byte": 1}


def test_files_of_the_lightweight_competition_have_no_lengths(tmp_path: Path) -> None:
    """An empty `Msg =` is the empty message."""
    file = read(
        tmp_path, f"Count = 1\nMsg = \nMD = {EMPTY}\n\nCount = 2\nMsg = 616263\nMD = {ABC}"
    )
    assert [one.value("message") for one in file.answers] == [b"", b"abc"]


def test_a_monte_carlo_test_becomes_stretches_from_digest_to_digest(tmp_path: Path) -> None:
    """Each stretch can be wrong by itself."""
    file = read(tmp_path, f'# "SHA-256 Monte"\nSeed = {EMPTY}\n\nCOUNT = 0\nMD = {ABC}\n\n'
                          f"COUNT = 1\nMD = {EMPTY}\n")  # fmt: skip
    assert [one.task for one in file.answers] == [AnswerTask.CHAIN_OF_THREE] * 2
    assert [one.value("seed").hex() for one in file.answers] == [EMPTY, ABC]


def test_chains_of_sha_3_are_of_single_digests(tmp_path: Path) -> None:
    """The comment names the algorithm; the blocks are alike."""
    text = f'# "SHA3-256 Monte"\nSeed = {EMPTY}\n\nCOUNT = 0\nMD = {ABC}\n'
    assert [one.task for one in read(tmp_path, text).answers] == [AnswerTask.CHAIN]


def test_a_chain_without_a_seed_is_damage(tmp_path: Path) -> None:
    """It cannot be computed."""
    with pytest.raises(VectorFormatError, match=r"some.rsp:1: .* without a seed"):
        read(tmp_path, f"COUNT = 0\nMD = {ABC}\n")


def test_outputs_of_a_xof_are_of_any_length_and_its_chains_are_skipped(tmp_path: Path) -> None:
    """SHA3VS, 6.3.3: lengths depend on outputs."""
    file = read(tmp_path, "COUNT = 0\nOutputlen = 16\nMsg = 00\nOutput = abcd\n\n"
                          "COUNT = 1\nOutputlen = 16\nOutput = abcd\n")  # fmt: skip
    assert [one.task for one in file.answers] == [AnswerTask.XOF]
    assert list(file.skipped) == [
        "a Monte Carlo chain of a XOF, whose lengths depend on its outputs"
    ]


def test_a_decryption_that_shall_fail_is_invalid(tmp_path: Path) -> None:
    """CAVP writes FAIL instead of the plaintext."""
    block = "Count = {}\nKey = 00\nIV = 01\nCT = \nAAD = \nTag = 02\n{}\n\n"
    text = "[Keylen = 8]\n[Taglen = 8]\n\n" + block.format(0, "PT = ") + block.format(1, "FAIL")
    file = read(tmp_path, text)
    assert [one.result for one in file.answers] == [Result.VALID, Result.INVALID]
    assert {one.task for one in file.answers} == {AnswerTask.SEAL}
    assert "message" not in file.answers[1].values


def test_the_lightweight_ciphertext_contains_the_tag(tmp_path: Path) -> None:
    """As crypto_aead has it."""
    file = read(tmp_path, "Count = 1\nKey = 00\nNonce = 01\nPT = \nAD = \nCT = aabb\n")
    assert file.answers[0].task is AnswerTask.SEAL
    assert file.answers[0].value("ciphertext") == b"\xaa\xbb"
    assert "tag" not in file.answers[0].values


def test_an_encryption_without_tag_and_data_is_a_stream(tmp_path: Path) -> None:
    """crypto_stream begins with the first block."""
    file = read(tmp_path, "COUNT = 0\nKEY = 00\nIV = 01\nPLAINTEXT = 0203\nCIPHERTEXT = 0405\n\n"
                          "COUNT = 1\nKEY = 00\nIV = 01\nINITIAL_BLOCK_COUNTER = 1\n"
                          "PLAINTEXT = 0203\nCIPHERTEXT = 0405\n")  # fmt: skip
    assert [one.task for one in file.answers] == [AnswerTask.STREAM]
    assert file.skipped == {"a stream that begins at a later block than the first": 1}


def test_tags_are_read_with_either_name(tmp_path: Path) -> None:
    """CAVP says Mac, other files of HMAC say MD."""
    file = read(tmp_path, "Count = 0\nKlen = 1\nTlen = 1\nKey = 00\nMsg = 01\nMac = 02\n\n"
                          "Key = 00\nMsg = 01\nMD = 03\n")  # fmt: skip
    assert [one.task for one in file.answers] == [AnswerTask.MAC, AnswerTask.MAC]
    assert [one.value("tag") for one in file.answers] == [b"\x02", b"\x03"]


def test_a_tag_that_shall_fail_is_invalid(tmp_path: Path) -> None:
    """CAVP's CMAC: P or F, and 00 for an empty message."""
    block = "Count = 0\nKlen = 1\nMlen = 0\nTlen = 1\nKey = 00\nMsg = 00\nMac = 01\nResult = "
    file = read(tmp_path, f"{block}P (0 )\n\n{block}F (3 - MAC changed)\n")
    assert [one.result for one in file.answers] == [Result.VALID, Result.INVALID]
    assert [one.value("message") for one in file.answers] == [b"", b""]


@pytest.mark.parametrize(
    ("more", "task"),
    [
        ("ct = 03\nss = 04\n", AnswerTask.KEM_SESSION),
        ("mlen = 1\nmsg = 05\nsmlen = 2\nsm = 0605\n", AnswerTask.SIGN_SESSION),
        ("mlen = 1\nmsg = 05\nclen = 1\nc = 06\n", AnswerTask.ENCRYPT_SESSION),
    ],
)
def test_a_post_quantum_block_begins_with_the_generators_seed(
    tmp_path: Path, more: str, task: AnswerTask
) -> None:
    """What else is in the block tells the operation."""
    seed = bytes(range(48)).hex()
    file = read(tmp_path, f"# toy\n\ncount = 0\nseed = {seed}\npk = 01\nsk = 02\n{more}")
    assert [one.task for one in file.answers] == [task]
    assert file.answers[0].value("drbg") == bytes(range(48))


def test_a_seed_of_another_length_is_damage(tmp_path: Path) -> None:
    """NIST's generator takes 48 bytes."""
    with pytest.raises(VectorFormatError, match=r"some.rsp:1: the seed has 2 bytes"):
        read(tmp_path, "count = 0\nseed = 0001\npk = 01\nsk = 02\nct = 03\nss = 04\n")


def test_ml_kem_with_d_and_z_becomes_its_parts(tmp_path: Path) -> None:
    """FIPS 203 names what is random; the seed is not needed."""
    file = read(tmp_path, "count = 0\nz = 01\nd = 02\nmsg = 03\nseed = 00\npk = 04\nsk = 05\n"
                          "ct_n = 06\nss_n = 07\nct = 08\nss = 09\n")  # fmt: skip
    tasks = [
        AnswerTask.KEYPAIR,
        AnswerTask.ENCAPSULATE,
        AnswerTask.DECAPSULATE,
        AnswerTask.DECAPSULATE,
    ]
    assert [one.task for one in file.answers] == tasks
    assert file.answers[0].value("random") == b"\x02\x01"
    assert file.answers[1].value("random") == b"\x03"
    assert [one.value("ciphertext") for one in file.answers[2:]] == [b"\x08", b"\x06"]


def test_ml_dsa_with_a_context_gives_only_its_key_pair(tmp_path: Path) -> None:
    """crypto_sign has no parameter for a context."""
    block = "count = 0\nxi = 01\nseed = 00\npk = 02\nsk = 03\nmsg = 04\nmlen = 1\nsm = 0504\n"
    plain, other = read(tmp_path, block), read(tmp_path, block + "ctx = 06\n")
    assert [one.task for one in plain.answers] == [AnswerTask.KEYPAIR, AnswerTask.SIGN]
    assert plain.answers[1].value("random") == bytes(32)
    assert [one.task for one in other.answers] == [AnswerTask.KEYPAIR]
    assert sum(other.skipped.values()) == 1


def test_blocks_that_nobody_can_be_asked_are_counted_with_their_names(tmp_path: Path) -> None:
    """Signatures of (r, s) are none of crypto_sign."""
    file = read(tmp_path, "Msg = 00\nR = 01\nS = 02\n")
    assert (file.answers, file.skipped) == ((), {"no operation has msg, r, s": 1})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Len = 8\nMsg = 0g\nMD = 00\n", r"some.rsp:2: msg = 0g: not hexadecimal"),
        ("\nLen = 16\nMsg = 00\nMD = 00\n", r"some.rsp:2: len = 16: 1 bytes of message"),
        ("Len = 3\nMsg = 616263\nMD = 00\n", r"some.rsp:1: len = 3: Len seems to be in bytes"),
        ("Len = 8\nMsg = 6162636465666768\nMD = 00\n", r"some.rsp:1: len = 8: .* in bytes"),
        ("Len = 99999999999\nMsg = 00\nMD = 00\n", r"some.rsp:1: len = .*: 1 bytes of message"),
        ("Len = x\nMsg = 00\nMD = 00\n", r"some.rsp:1: len = x: no number"),
        ("Msg = 00\nwhat is this?\n", r"some.rsp:2 is no `name = value`"),
        ("count = 0\nmlen = 2\nmsg = 00\nsm = 00\npk = 00\n", r"some.rsp:2: mlen = 2: 1 bytes"),
        ("# nothing\n", "has no answers"),
    ],
)
def test_damage_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    """Files are edited, cut and converted."""
    with pytest.raises(VectorFormatError, match=message):
        read(tmp_path, text)


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    """The content tells, not the name."""
    path = tmp_path / "some.rsp.gz"
    path.write_bytes(gzip.compress(f"Msg = 616263\nMD = {ABC}\n".encode()))
    assert read_answers(path).answers[0].value("message") == b"abc"


def test_a_cut_compressed_file_is_named(tmp_path: Path) -> None:
    """A download that broke off."""
    path = tmp_path / "some.rsp.gz"
    path.write_bytes(gzip.compress(b"Msg = 00\nMD = 00\n" * 99)[:-12])
    with pytest.raises(VectorFormatError, match="is damaged"):
        read_answers(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """No traceback for a typing error."""
    with pytest.raises(VectorFormatError, match=r"absent\.rsp cannot be read"):
        read_answers(tmp_path / "absent.rsp")


def test_lines_of_the_authors_of_ed25519_are_read(tmp_path: Path) -> None:
    """The secret key is the seed and the public key."""
    line = f"{'11' * 32}{'22' * 32}:{'22' * 32}:af:{'33' * 64}af:\n"
    file = read(tmp_path, line, "sign.input")
    assert file.format == "sign.input"
    assert [one.task for one in file.answers] == [AnswerTask.KEYPAIR, AnswerTask.SIGN]
    assert file.answers[0].value("random") == b"\x11" * 32
    assert file.answers[1].value("signed") == b"\x33" * 64 + b"\xaf"


def test_a_short_line_of_sign_input_is_named(tmp_path: Path) -> None:
    """Four fields, or it is damaged."""
    with pytest.raises(VectorFormatError, match=r"sign.input:2 is no line of four"):
        read(tmp_path, "00:11:22:33:\n00:11:22\n", "sign.input")


def test_a_field_that_is_unknown_is_named_as_the_file_spells_it(tmp_path: Path) -> None:
    """SP 800-232's customised XOF adds `Z` to a digest's block; an empty one changes nothing."""
    file = read(
        tmp_path,
        f"Count = 1\nMsg = \nZ = \nMD = {EMPTY}\n\nCount = 2\nMsg = \nZ = 10\nMD = {ABC}\n",
    )
    assert [one.unfed for one in file.answers] == [(), ("Z",)]


@pytest.mark.parametrize(
    ("block", "unfed"),
    [
        (f"Key = 00\nMsg = 01\nNonce = 02\nMac = {ABC}", ("Nonce",)),
        (f"pk = 00\nMsg = 01\nctx = 02\nsignature = {ABC}", ("ctx",)),
        (f"Msg = 01\nSalt = 0203\nMD = {ABC}", ("Salt",)),
        (f"Key = 00\nNonce = 01\nTweak = 02\nPT = 03\nCT = {ABC}\nTag = 04", ("Tweak",)),
        (f"seed = {'00' * 48}\nmsg = 01\nctx = 02\npk = 03\nsm = 04", ("ctx",)),
    ],
)
def test_inputs_that_a_task_does_not_take_are_named(
    tmp_path: Path, block: str, unfed: tuple[str, ...]
) -> None:
    """A nonce of a MAC, a context of a signature: without them the answer is another one."""
    (one,) = read(tmp_path, f"Count = 1\n{block}\n").answers
    assert one.unfed == unfed


def test_counts_lengths_and_outputs_of_a_block_are_no_inputs(tmp_path: Path) -> None:
    """What CAVP, the KATs of NIST and those of submissions add to each block."""
    text = f"Count = 0\nKlen = 1\nTlen = 32\nKey = 00\nMsg = 01\nMac = {ABC}\nResult = P\n"
    text += f"\nCount = 1\nseed = {'00' * 48}\nmlen = 1\nmsg = 01\nctxlen = 0\nctx =\n"
    text += "pk = 02\nsk = 03\nsmlen = 1\nsm = 04\n"
    assert [one.unfed for one in read(tmp_path, text).answers] == [(), ()]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_marks_of_an_encoding_are_no_part_of_a_file(tmp_path: Path, encoding: str) -> None:
    """Editors and shells of Windows write them."""
    path = tmp_path / "some.rsp"
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    path.write_bytes(f"{mark}Len = 0\r\nMsg = 00\r\nMD = {EMPTY}\r\n".encode(encoding))
    assert [one.value("digest").hex() for one in read_answers(path).answers] == [EMPTY]


def test_digits_that_are_cut_off_are_told(tmp_path: Path) -> None:
    """A download that ended early."""
    with pytest.raises(VectorFormatError, match=r"some.rsp:3: .* odd number .* cut off"):
        read(tmp_path, f"Len = 0\nMsg = 00\nMD = {EMPTY[:31]}\n")
