# SPDX-License-Identifier: MIT
"""A script that an agent has no room for becomes several requests that do the same."""

from assay.check.operation.script import FORMS, Argument, Script, ScriptStep, split, ways_of
from assay.execute.places import Buffer, Register

ROOM = 128
PLACE = Buffer(3, 1000, "bytes")
WAYS = ways_of("crypto_aead", ["_encrypt", "_decrypt"])
CALL: tuple[Argument, ...] = (PLACE, Register(0), PLACE, 5, PLACE, 6, None, PLACE, PLACE)


def parts(script: Script) -> list[bytes]:
    """Divide a script for an agent with little room."""
    return split(script.payload, WAYS, ROOM)


def test_every_step_has_a_form() -> None:
    """A new one must be described there, or scripts with it are cut in the wrong places."""
    lengthy = {ScriptStep.CALL, ScriptStep.BESIDE, ScriptStep.WRITE, ScriptStep.SUPPLY}
    assert {*FORMS, *lengthy, ScriptStep.ADD} == {*ScriptStep}


def test_all_steps_come_once_and_in_order() -> None:
    """Of every sort, with constants and registers as numbers."""
    script = Script()
    script.seed(bytes(32))
    for number in (Register(1), 7):
        script.copy(PLACE, PLACE.at(9), number)
        script.fill(PLACE, number, 3)
        script.add(PLACE, 77, number, 1)
        script.secret(PLACE, number)
        script.public(PLACE, number)
        script.give(number)
    script.call(0, CALL)
    script.set(Register(2), 99)
    script.supply(b"twelve bytes")
    script.random()
    script.log()
    script.zeros(5)
    script.write(PLACE, b"some")
    script.read(PLACE, 20)
    found = parts(script)
    assert b"".join(found) == script.payload
    assert len(found) > 2
    assert max(map(len, found)) <= ROOM


def test_answers_are_divided_too() -> None:
    """Eight bytes each: a request with hundreds of small steps would overflow an answer."""
    script = Script()
    for _ in range(100):
        script.give(Register(0))
    found = parts(script)
    assert b"".join(found) == script.payload
    assert all(len(one) // 2 * 8 <= ROOM for one in found)


def test_bytes_that_are_written_arrive_at_their_places() -> None:
    """A write of a thousand bytes is several, each behind the one before."""
    script, data = Script(), bytes(range(250)) * 4
    script.write(PLACE.at(10), data)
    room = bytearray(1010)
    for one in parts(script):
        assert one[:2] == bytes([ScriptStep.WRITE, PLACE.number])
        offset, length = int.from_bytes(one[2:6], "little"), int.from_bytes(one[6:10], "little")
        assert len(one) == 10 + length <= ROOM
        room[offset : offset + length] = one[10:]
    assert room == bytes(10) + data


def test_bytes_that_are_read_come_in_order() -> None:
    """A read of a thousand bytes is several, from one end to the other."""
    script, at = Script(), 5
    script.read(PLACE.at(at), 995)
    for one in parts(script):
        assert int.from_bytes(one[2:6], "little") == at
        at += int.from_bytes(one[7:15], "little")
    assert at == 1000


def test_rubbish_on_the_stack_is_right_before_the_call() -> None:
    """Whatever else the agent does would cover it."""
    script = Script()
    for _ in range(3):
        script.stack(64, 0xFF)
        script.call(0, CALL)
    found = parts(script)
    assert b"".join(found) == script.payload
    assert all(one[0] == ScriptStep.STACK for one in found)


def test_what_has_an_unknown_length_stands_alone() -> None:
    """Nothing else is lost if there is no room for it."""
    script = Script()
    script.give(1)
    script.read(PLACE, Register(0))
    script.give(2)
    assert [one[0] for one in parts(script)] == [ScriptStep.GIVE, ScriptStep.READ, ScriptStep.GIVE]
