# SPDX-License-Identifier: MIT
"""What disturbed launches say of two sides, and what they do not."""

import pytest
from tests.unit.report.compare.conftest import Compare, in_turn, stream, two
from tests.unit.report.conftest import Campaigner

from assay.cli.compare import command
from assay.store import Store


def test_a_difference_that_no_disturbance_makes_is_reported(
    store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """14 times as fast is faster on a busy machine; a factor of 2.2 is taken off the claim."""
    one, other = two(campaigner)
    in_turn(campaigner, {one: 14.0, other: 1.0}, disturbed="a neighbour used the core")
    store.close()
    row = stream(compare("x/ref", "x/opt"))
    assert row["answer"] == "faster"
    assert row["text"] == "faster by 92.9 % (at least 84.3 % whatever disturbed the launches)"
    assert row["low_percent"] is None
    slower = stream(compare("x/opt", "x/ref"))
    assert "slower by 1300 % (at least 84.3 %" in slower["text"]


def test_noise_beside_few_quiet_launches_shows_what_no_disturbance_makes(
    store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """Two quiet launches each are too few; with six disturbed ones each the answer is there."""
    one, other = two(campaigner)
    in_turn(campaigner, {one: 14.0, other: 1.0}, rounds=2)
    few = stream(compare("x/ref", "x/opt"))
    assert few["answer"] == "cannot be said"
    in_turn(campaigner, {one: 19.0, other: 1.3}, disturbed="a neighbour used the core")
    store.close()
    row = stream(compare("x/ref", "x/opt"))
    assert row["answer"] == "faster"
    assert "whatever disturbed the launches" in row["text"]
    assert row["launches"] == [8, 8]
    assert (row["a"], row["b"]) == (few["a"], few["b"])


@pytest.mark.parametrize(("mixed", "answer"), [(True, "faster"), (False, "not trusted")])
def test_sides_in_turn_share_their_neighbours(
    store: Store, campaigner: Campaigner, compare: Compare, *, mixed: bool, answer: str
) -> None:
    """2.5 times as fast is more than a neighbour makes of launches in turn, and of others not."""
    one, other = two(campaigner)
    speeds = {one: 10.0, other: 4.0}
    for each in [speeds] if mixed else [{one: 10.0}, {other: 4.0}]:
        in_turn(campaigner, each, disturbed="a neighbour used the core")
    store.close()
    assert stream(compare("x/ref", "x/opt"))["answer"] == answer


def test_a_disturbed_side_is_never_held_against_the_quiet_launches_of_the_other(
    store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """The same speed beside a neighbour is the same, though one side was quiet at times."""
    one, other = two(campaigner)
    in_turn(campaigner, {one: 10.0})
    in_turn(campaigner, {one: 13.0, other: 13.0}, disturbed="a neighbour used the core")
    store.close()
    row = stream(compare("x/ref", "x/opt"))
    assert row["answer"] in {"not trusted", "no difference seen"}
    assert row["launches"] == [12, 6]


def test_a_difference_of_disturbed_launches_is_not_trusted(
    store: Store, campaigner: Campaigner, compare: Compare, capsys: pytest.CaptureFixture[str]
) -> None:
    """Copies of one cipher were called faster by 3 % while a neighbour came and went."""
    one, other = two(campaigner)
    in_turn(campaigner, {one: 10.0, other: 9.7}, disturbed="a neighbour used the core")
    store.close()
    document = compare("x/ref", "x/opt")
    assert {row["answer"] for row in document["tables"][0]["rows"]} == {"not trusted"}
    assert stream(document)["text"] == "not trusted, as no launch was quiet (-3.0 %)"
    assert any("measure again" in doubt for doubt in document["doubts"])
    assert (
        command.main(
            ["x/ref", "x/opt", "--results", str(store.path.parent)], standalone_mode=False
        )
        == 0
    )
    first = capsys.readouterr().out.splitlines()[0]
    assert first == "B against A: not trusted, as no launch was quiet."


def test_a_threshold_is_not_decided_by_disturbed_launches(
    store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """Neither a failure nor a pass: exit code 3."""
    one, other = two(campaigner)
    in_turn(campaigner, {one: 10.0, other: 10.3}, disturbed="a neighbour used the core")
    store.close()
    document = compare("x/ref", "x/opt", "--threshold", "1", expected=3)
    assert not document["failed"]
    assert stream(document)["undecided"]
    compare("x/opt", "x/ref", "--threshold", "1")
