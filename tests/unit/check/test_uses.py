# SPDX-License-Identifier: MIT
"""The calls of a message follow from rows and phases: functions, places, and lengths."""

from collections.abc import Collection

import pytest

from assay.check.routine import Argument, Pieces, symbol
from assay.check.uses import MessageCalls, called, named, path_by, pieces_by
from assay.model.wire import HashFunction, StreamFunction

SIZES = {"keybits": 128, "IVbits": 64, "MACbits": 96}
CTX, SOURCE, TO = (symbol(name) for name in ("ctx", "input", "output"))


def calls(
    api: str,
    function: StreamFunction,
    *pieces: int,
    data: Pieces = (),
    in_blocks: bool = False,
    absent: Collection[str] = (),
) -> list[tuple[str, tuple[Argument, ...]]]:
    """Return the calls of a message that a function is given, with their arguments."""
    made = MessageCalls(path_by(api, function), pieces, 16, SIZES, data, in_blocks, absent)
    return [(one.function, one.arguments) for one in made.steps()]


def test_blocks_of_a_message_come_before_its_rest_and_each_call_goes_on_where_the_last_ended() -> (
    None
):
    """ECRYPT_init has been called by the session; a cipher without a MAC has no last call."""
    assert calls("ecrypt-sync", StreamFunction.ENCRYPT_BLOCKS, 32, 16, 5) == [
        ("keysetup", (CTX, symbol("key"), 128, 64, 96)),
        ("ivsetup", (CTX, symbol("IV"))),
        ("encrypt_blocks", (CTX, SOURCE, TO, 2)),
        ("encrypt_blocks", (CTX, SOURCE.at(32), TO.at(32), 1)),
        ("encrypt_bytes", (CTX, SOURCE.at(48), TO.at(48), 5)),
    ]


def test_a_packet_is_given_data_and_text_in_one_call() -> None:
    """Keys are loaded before it; null pointers stand for what there is not."""
    (_, packet) = calls("ecrypt-sync-ae", StreamFunction.DECRYPT_PACKET, 33, absent=("MAC",))
    assert packet == ("decrypt_packet", (CTX, symbol("IV"), None, SOURCE, TO, None, 0, 33))


@pytest.mark.parametrize(
    ("in_blocks", "functions"),
    [(False, ["bytes", "bytes", "bytes"]), (True, ["blocks", "bytes", "bytes"])],
)
def test_data_in_pieces_end_with_a_call_for_bytes(
    *, in_blocks: bool, functions: list[str]
) -> None:
    """16, 5 and 3 bytes: only whole blocks with more behind them are given as blocks."""
    made = calls(
        "ecrypt-sync-ae", StreamFunction.ENCRYPT_BYTES, 7, data=(16, 5, 3), in_blocks=in_blocks
    )
    data = [(name, arguments) for name, arguments in made if name.startswith("authenticate")]
    assert [name for name, _ in data] == [f"authenticate_{one}" for one in functions]
    assert [arguments[1] for _, arguments in data] == [
        symbol("AAD"), symbol("AAD").at(16), symbol("AAD").at(21),
    ]  # fmt: skip
    assert made[-1] == ("finalize", (CTX, symbol("MAC")))


def test_a_hash_takes_all_pieces_by_one_function_and_none_from_nowhere() -> None:
    """A call without data may be given a null pointer, where the API says so."""
    path = path_by("compact-hash", HashFunction.UPDATE)
    numbers = {"bits": 256, "last": 0, "count": 0}
    steps = MessageCalls(path, (3, 0, 4), 1, numbers, from_nowhere=True).steps()
    assert [one.arguments for one in steps[1:-1]] == [
        (CTX, symbol("data"), 3), (CTX, None, 0), (CTX, symbol("data").at(3), 4),
    ]  # fmt: skip
    assert named(steps) == {"ctx", "data", "digest"}


def test_a_message_is_one_piece_unless_a_function_for_blocks_takes_it() -> None:
    """What is left of a block goes to the function behind that for blocks."""
    path = path_by("ecrypt-sync", StreamFunction.KEYSTREAM_BLOCKS)
    assert pieces_by(path, StreamFunction.KEYSTREAM_BLOCKS, 16, 37) == (32, 5)
    assert pieces_by(path, StreamFunction.KEYSTREAM_BYTES, 16, 37) == (37,)


def test_an_agent_that_names_no_known_api_is_called_as_its_kind_usually_is() -> None:
    """The name comes from a process with submitted code in it."""
    assert path_by("no such API", StreamFunction.ENCRYPT_PACKET) == path_by(
        "ecrypt-sync", StreamFunction.ENCRYPT_PACKET
    )


def test_a_call_is_made_of_the_parameters_of_its_row() -> None:
    """Places have the names of variables, and may lie further on in them."""
    one = called(StreamFunction.ENCRYPT_BYTES, {"bytes": 9}, {"input": 4})
    assert (one.number, one.arguments) == (3, (CTX, SOURCE.at(4), TO, 9))
