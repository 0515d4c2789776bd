# SPDX-License-Identifier: MIT
"""What is timed of each operation, and under which names."""

import pytest

from assay.check.operation.routines import function_of, group, has_message, scored
from assay.measure.operation.bed import written_by
from assay.model import OperationSubject
from assay.model.api import Way
from assay.model.operations import OPERATIONS

WITHOUT_MESSAGE = {
    "crypto_verify", "crypto_decode", "crypto_encode", "crypto_core", "crypto_rng",
    "crypto_scalarmult", "crypto_dh", "crypto_kem",
}  # fmt: skip


def subject_of(operation: str, value: int = 16, **constants: int) -> OperationSubject:
    """Make a subject whose constants are all the same but those named."""
    found = OPERATIONS[operation]
    values = dict.fromkeys(found.constants, value) | constants
    functions = tuple(one.suffix for one in found.functions)
    return OperationSubject(operation, "toy", "ref", tuple(values.items()), functions, 0)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_task_has_an_argument_for_every_parameter(operation: str) -> None:
    """In the order of the prototype, and of its sort."""
    subject = subject_of(operation)
    found = group(subject, 64, 32)
    for task in found.tasks:
        parameters = function_of(subject, task.suffix).parameters
        for name, parameter in zip(task.arguments, parameters, strict=True):
            if parameter.way is Way.LENGTH_OUT:
                assert name == "&"
            elif parameter.way is Way.LENGTH:
                assert name[0] in "#@"
                assert name == "#" or name[1:] in found.variables
            else:
                assert name in found.variables


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_function_of_an_operation_is_timed(operation: str) -> None:
    """None is forgotten."""
    found = group(subject_of(operation), 64, 32)
    functions = {one.suffix for one in OPERATIONS[operation].functions}
    assert {task.suffix for task in found.tasks if task.key} == functions


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_is_read_was_filled_or_written_before(operation: str) -> None:
    """The calls of a group can be done in order."""
    subject = subject_of(operation)
    found = group(subject, 64, 32)
    outputs = {name for task in found.tasks for name in written_by(subject, task)}
    known = set(found.variables) - outputs
    for task in found.tasks:
        parameters = function_of(subject, task.suffix).parameters
        pairs = list(zip(task.arguments, parameters, strict=True))
        assert {name for name, one in pairs if one.way is Way.IN} <= known
        known |= {name for name, one in pairs if one.way is Way.OUT}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations_without_a_message_have_one_group_without_a_size(operation: str) -> None:
    """Database lines have `-` there."""
    assert has_message(operation) is (operation not in WITHOUT_MESSAGE)
    assert (group(subject_of(operation), 64, 32).size is None) is (operation in WITHOUT_MESSAGE)


def test_two_lengths_are_one_number_in_database_lines() -> None:
    """The second one counts millions."""
    assert group(subject_of("crypto_aead"), 1536, 576).size == 576_001_536
    assert group(subject_of("crypto_xof"), 8, 64).size == 64_000_008


def test_keys_go_before_the_message_as_each_operation_has_them() -> None:
    """Signing takes the secret key, encrypting the public one."""
    sign = group(subject_of("crypto_sign"), 59).tasks
    encrypt = group(subject_of("crypto_encrypt"), 59).tasks
    assert [task.arguments[-1] for task in sign] == ["s", "s", "p"]
    assert [task.arguments[-1] for task in encrypt] == ["s", "p", "s"]


def test_sorting_is_told_items_and_not_bytes() -> None:
    """The buffer has bytes."""
    found = group(subject_of("crypto_sort", BYTES=4), 100)
    assert (found.size, found.variables["x"], found.length("")) == (100, 400, 100)
    assert found.tasks[0].arguments == ("x", "#")


def test_hashing_blocks_returns_what_is_left_over() -> None:
    """The bytes that make no block."""
    found = group(subject_of("crypto_hashblocks", BLOCKBYTES=64), 100)
    assert found.tasks[0].returns == 36


def test_messages_of_boxes_begin_with_zeros() -> None:
    """As NaCl's interface has it."""
    found = group(subject_of("crypto_secretbox", ZEROBYTES=32), 100)
    assert (found.variables["m"], found.zeros) == (132, {"m": 32})


def test_nothing_is_forged_where_a_ciphertext_is_empty() -> None:
    """There is no byte to change."""
    keys = [task.key for task in group(subject_of("crypto_aead", ABYTES=0), 0, 5).tasks]
    assert keys == ["encrypt_cycles", "decrypt_cycles"]


def test_implementations_are_compared_by_the_task_of_supercop() -> None:
    """1536 bytes, or 768 items."""
    assert scored(subject_of("crypto_hash")).size == 1536
    assert scored(subject_of("crypto_aead")).size == 1_536_001_536
    assert scored(subject_of("crypto_sort")).size == 768
    assert scored(subject_of("crypto_kem")).size is None
