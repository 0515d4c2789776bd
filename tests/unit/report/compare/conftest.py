# SPDX-License-Identifier: MIT
"""A results folder whose launches differ by known factors, and the command that compares them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.objects import Json
from tests.unit.report.conftest import MACHINE, Campaigner

from assay.cli.compare import command
from assay.model import Cell
from assay.store import Store

# Five launches in turn; what spreads by 0.4 % differs seen from 2 %, not from 0.1 %.
SPREAD = (0.998, 0.999, 1.0, 1.001, 1.002, 1.0015)

Compare = Callable[..., Json]


@pytest.fixture
def compare(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Compare:
    """Call the command, look for names in the store's folder, and read its JSON."""

    def call(*words: str, expected: int = 0) -> Json:
        arguments = [*words, "--json", "--results", str(tmp_path)]
        code = command.main(arguments, standalone_mode=False)
        assert code == expected
        document: Json = json.loads(capsys.readouterr().out)
        return document

    return call


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Give the results folder of the one campaign."""
    made = Store.create(tmp_path)
    made.put_machine(MACHINE)
    return made


def in_turn(
    campaigner: Campaigner, cells: dict[Cell, float], rounds: int = 6, disturbed: str = ""
) -> None:
    """Launch all cells in turn, each at its speed."""
    for number in range(rounds):
        for cell, speed in cells.items():
            # The second one's launches spread in another order.
            campaigner.launch(cell, speed * SPREAD[number], disturbed=disturbed)


def two(campaigner: Campaigner, names: tuple[str, str] = ("x/ref", "x/opt")) -> tuple[Cell, Cell]:
    """Make two implementations without launches."""
    first, second = (campaigner.cell(campaigner.package(name), launches=0) for name in names)
    return first, second


def stream(document: Json) -> Json:
    """Give the row of the stream rate."""
    (row,) = (one for one in document["tables"][0]["rows"] if one["measure"] == "stream/long")
    return dict(row)
