# SPDX-License-Identifier: MIT
"""Which sizes are tested: the examples of well-known ciphers, and the rule of the nearest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.check.stream.routines import accepted_sizes, increasing, nearest_sizes
from assay.model import SizeChoice, StreamSubject

Sizes = tuple[int, ...]


def subject(keys: Sizes, ivs: Sizes, macs: Sizes = ()) -> StreamSubject:
    """Describe a cipher with these sizes."""
    api = "ecrypt-sync-ae" if macs else "ecrypt-sync"
    maxima = (max(keys), max(ivs), max(macs, default=0))
    nothing: frozenset[str] = frozenset()
    return StreamSubject(
        api, "Toy", None, keys, ivs, macs, *maxima, 64, 16, 4096, nothing, nothing
    )


def every(step: int, first: int, last: int) -> Sizes:
    """Enumerate sizes."""
    return tuple(range(first, last + 1, step))


@pytest.mark.parametrize(
    ("keys", "ivs", "macs", "accepted"),
    [
        pytest.param(
            every(8, 8, 256), every(8, 32, 128), (),
            [(k, v, None) for k in (64, 80, 128, 160, 240, 256) for v in (32, 64, 80, 128)],
            id="SOSEMANUK",
        ),
        pytest.param((128, 256), (64,), (), [(128, 64, None), (256, 64, None)], id="Salsa20"),
        pytest.param(
            (128,), every(1, 0, 128), (),
            [(128, v, None) for v in (0, 32, 64, 80, 128)],
            id="MICKEY-128",
        ),
        pytest.param(
            every(8, 72, 128), every(32, 32, 128), every(32, 32, 128),
            [(k, v, m) for k in (80, 128) for v in (32, 64, 128) for m in (32, 64, 96, 128)],
            id="NLS AE",
        ),
        pytest.param((40, 56), (24,), (), [(40, 24, None)], id="none is accepted"),
    ],
)  # fmt: skip
def test_accepted_sizes_are_the_original_ones(
    keys: Sizes, ivs: Sizes, macs: Sizes, accepted: list[tuple[int, int, int | None]]
) -> None:
    """Keys are the outermost loop and MACs the innermost; the first size serves if none is."""
    assert tuple(SizeChoice(*one) for one in accepted) == accepted_sizes(subject(keys, ivs, macs))


def test_a_tie_keeps_the_smaller_size() -> None:
    """96 is as near to 80 as to 112."""
    nearest = nearest_sizes(subject((80, 112), (64,)), [SizeChoice(96, 64)])
    assert (SizeChoice(80, 64),) == nearest


def test_equal_choices_are_made_once() -> None:
    """Both of the usual targets lead to the only size."""
    targets = [SizeChoice(128, 64, 64), SizeChoice(256, 128, 128)]
    assert (SizeChoice(80, 80),) == nearest_sizes(subject((80,), (80,)), targets)


@given(st.lists(st.integers(1, 512), min_size=1, unique=True).map(sorted), st.integers(1, 512))
def test_no_size_is_nearer_than_the_nearest(keys: list[int], target: int) -> None:
    """For any enumeration and any target."""
    (choice,) = nearest_sizes(subject(tuple(keys), (64,)), [SizeChoice(target, 64)])
    assert min(abs(key - target) for key in keys) == abs(choice.key_bits - target)


@given(st.lists(st.integers(0, 9)))
def test_increasing_means_strictly(sizes: list[int]) -> None:
    """An enumeration increases if it is its own sorted set."""
    assert (sorted(set(sizes)) == sizes) == increasing(tuple(sizes))
