# SPDX-License-Identifier: MIT
"""Every step of a script, performed by a real agent."""

import pytest

from assay.check.operation.script import STATE, Script
from assay.check.operation.session import OperationSession, marks_secrets
from assay.execute.agent import AgentFault, AgentRefusal, AgentSilent
from assay.execute.places import Buffer, Register

DATA = bytes(range(1, 33))
WORD = 8
UNKNOWN_STEP = 99


def called(session: OperationSession, message: bytes, script: Script | None = None) -> bytes:
    """Hash a message after the steps of `script`; give all that is answered."""
    out, text = buffers(session)
    script = script or Script()
    script.write(text, message)
    script.call(session.number(""), [out, text, len(message)])
    script.read(out, 32)
    answer: bytes = session.run(script)
    return answer


def buffers(session: OperationSession) -> tuple[Buffer, Buffer]:
    """Make an output of 32 bytes and an input of 64."""
    session.agent.forget_buffers()
    return session.agent.buffer("out", 32), session.agent.buffer("in", 64)


def summed(message: bytes) -> bytes:
    """Compute what the hash gives for a message without a command."""
    return bytes((sum(message) + i) % 256 for i in range(32))


def test_an_agent_says_what_it_contains(session: OperationSession) -> None:
    """The names, the constants, the functions, and how much memory stays."""
    subject = session.subject
    assert (subject.operation, subject.primitive) == ("crypto_hash", "obeying")
    assert subject.constant("BYTES") == 32
    assert subject.functions == ("",)
    assert subject.state_bytes >= 5
    assert marks_secrets(session.agent) is False


def test_bytes_are_written_and_read(session: OperationSession) -> None:
    """At any place of a buffer."""
    _, text = buffers(session)
    script = Script()
    script.write(text.at(3), DATA)
    script.read(text, 40)
    assert session.run(script) == bytes(3) + DATA + bytes(5)
    assert script.answer_bytes == 40


def test_bytes_are_copied_where_they_overlap(session: OperationSession) -> None:
    """As memmove does it."""
    _, text = buffers(session)
    script = Script()
    script.write(text, DATA)
    script.copy(text.at(1), text, 31)
    script.read(text, 32)
    assert session.run(script) == DATA[:1] + DATA[:31]


def test_bytes_are_filled(session: OperationSession) -> None:
    """And those beside them are not."""
    out, _ = buffers(session)
    script = Script()
    script.write(out, DATA)
    script.fill(out.at(2), 28, 0xAB)
    script.read(out, 32)
    assert session.run(script) == DATA[:2] + b"\xab" * 28 + DATA[30:]


@pytest.mark.parametrize(
    ("position", "modulus", "value", "expected"),
    [(5, 32, 1, (5, DATA[5] + 1)), (37, 32, 255, (5, DATA[5] - 1)), (9, 0, 1, None)],
)
def test_one_byte_is_changed(
    session: OperationSession,
    position: int,
    modulus: int,
    value: int,
    expected: tuple[int, int] | None,
) -> None:
    """The position is reduced, the sum wraps; modulo 0 nothing happens."""
    out, _ = buffers(session)
    script = Script()
    script.write(out, DATA)
    script.add(out, position, modulus, value)
    script.read(out, 32)
    wanted = bytearray(DATA)
    if expected:
        wanted[expected[0]] = expected[1]
    assert session.run(script) == wanted


def test_a_byte_is_changed_at_a_place_that_a_register_bounds(session: OperationSession) -> None:
    """For lengths that a call has written."""
    out, _ = buffers(session)
    script = Script()
    script.set(Register(3), 4)
    script.add(out, 6, Register(3), 7)
    script.read(out, 4)
    assert session.run(script) == bytes([0, 0, 7, 0])


def test_numbers_and_registers_are_given(session: OperationSession) -> None:
    """With all their 64 bits."""
    buffers(session)
    script = Script()
    script.set(Register(15), 2**64 - 2)
    script.give(Register(15))
    script.give(77)
    assert session.run(script) == (2**64 - 2).to_bytes(WORD, "little") + (77).to_bytes(8, "little")


def test_a_call_answers_its_result_and_writes_its_output(session: OperationSession) -> None:
    """Both in one answer."""
    assert called(session, b"abc") == bytes(WORD) + summed(b"abc")


def test_a_negative_result_is_a_negative_number(session: OperationSession) -> None:
    """Not a large one."""
    answer = called(session, b"n")
    assert int.from_bytes(answer[:WORD], "little", signed=True) == -7


def test_a_length_may_come_from_a_register(session: OperationSession) -> None:
    """For a call and for a read."""
    out, text = buffers(session)
    script = Script()
    script.write(text, b"abcdef")
    script.set(Register(1), 2)
    script.call(session.number(""), [out, text, Register(1)])
    script.read(out, Register(1))
    assert session.run(script) == bytes(WORD) + summed(b"ab")[:2]


def test_marks_change_nothing_outside_of_valgrind(session: OperationSession) -> None:
    """The same script works with and without it."""
    out, text = buffers(session)
    script = Script()
    script.secret(text, 64)
    script.public(out, 32)
    assert called(session, b"abc", script)[WORD:] == summed(b"abc")


def test_static_memory_is_read_and_written(session: OperationSession) -> None:
    """A counter and a table, put back as they were."""
    size = session.subject.state_bytes
    first = called(session, b"c")[WORD:]
    script = Script()
    script.read(STATE, size)
    state = session.run(script)
    second = called(session, b"c")[WORD:]
    assert (first[:2], second[:2]) == (bytes([1, 2]), bytes([2, 3]))
    back = Script()
    back.write(STATE, state)
    assert called(session, b"c", back)[WORD:] == second


def test_a_byte_of_static_memory_is_changed(session: OperationSession) -> None:
    """Every one of them, and back again."""
    size = session.subject.state_bytes
    script = Script()
    for at in range(size):
        script.read(STATE.at(at), 1)
        script.add(STATE.at(at), 0, 1, 1)
        script.read(STATE.at(at), 1)
        script.add(STATE.at(at), 0, 1, 255)
    answer = session.run(script)
    assert len(answer) == 2 * size
    pairs = zip(answer[::2], answer[1::2], strict=True)
    assert all((before + 1) % 256 == after for before, after in pairs)


def test_old_memory_of_the_stack_is_what_it_was_filled_with(session: OperationSession) -> None:
    """A variable that nobody wrote shows it."""
    for value in (0x5A, 0xC3):
        script = Script()
        script.stack(96 * 1024, value)
        assert called(session, b"o", script)[WORD] == value


@pytest.mark.parametrize("length", [0, 1 << 31])
def test_a_stack_that_there_is_no_room_for_is_refused(
    session: OperationSession, length: int
) -> None:
    """And so is nothing at all."""
    script = Script()
    script.stack(length, 1)
    with pytest.raises(AgentRefusal):
        session.run(script)


def out_of_bounds(session: OperationSession) -> list[Script]:
    """Give scripts that reach beyond a buffer, or name none."""
    out, text = buffers(session)
    scripts = [Script() for _ in range(8)]
    scripts[0].read(out, 33)
    scripts[1].read(out.at(33), 0)
    scripts[2].write(out.at(1), bytes(32))
    scripts[3].copy(text, out, 33)
    scripts[4].fill(text.at(60), 5)
    scripts[5].add(out, 32, 33, 1)
    scripts[6].read(STATE, session.subject.state_bytes + 1)
    scripts[7].call(9, [out, text, 1])
    return scripts


def test_what_reaches_beyond_a_buffer_is_refused(session: OperationSession) -> None:
    """Whatever the step; the agent lives on."""
    for script in out_of_bounds(session):
        with pytest.raises(AgentRefusal):
            session.run(script)
    assert called(session, b"abc")[WORD:] == summed(b"abc")


def test_a_step_that_is_unknown_is_refused(session: OperationSession) -> None:
    """It is not passed over."""
    script = Script()
    script._add(UNKNOWN_STEP)  # type: ignore[arg-type]
    with pytest.raises(AgentRefusal):
        session.run(script)


def test_a_script_that_ends_in_the_middle_of_a_step_is_refused(session: OperationSession) -> None:
    """One byte short."""
    out, _ = buffers(session)
    script = Script()
    script.write(out, DATA)
    del script._steps[-1:]
    with pytest.raises(AgentRefusal):
        session.run(script)


def test_a_fault_names_its_step_and_the_agent_lives_on(session: OperationSession) -> None:
    """The steps are counted from 0."""
    out, text = buffers(session)
    script = Script()
    script.write(text, b"x")
    script.fill(out, 4)
    script.call(session.number(""), [out, text, 1])
    script.read(out, 32)
    with pytest.raises(AgentFault) as caught:
        session.run(script)
    assert (caught.value.step, caught.value.signal) == (2, "SIGSEGV")
    assert called(session, b"abc")[WORD:] == summed(b"abc")


def test_code_that_does_not_end_is_waited_for_only_so_long(session: OperationSession) -> None:
    """The bench says how long."""
    out, text = buffers(session)
    script = Script()
    script.write(text, b"e")
    script.call(session.number(""), [out, text, 1])
    with pytest.raises(AgentSilent):
        session.run(script, 0.2)
