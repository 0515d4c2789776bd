# SPDX-License-Identifier: MIT
"""Which configurations a run takes, and in which order."""

from pathlib import Path

import pytest

from assay.campaign.choice import listed_configurations
from assay.configure.folder import write_configurations
from assay.errors import UsageError
from assay.model import Configuration

FOREIGN = "sparc64-linux-gnu-gcc"  # no machine that runs these tests is one


def configuration(command: str) -> Configuration:
    """Make a configuration of a compiler."""
    name = f"{command}_default_O2"
    return Configuration("gcc", command, "", "-O2", name, name)


def test_configurations_of_cross_compilers_stay_out_of_a_native_run(tmp_path: Path) -> None:
    """`configure --cross` writes them, too; what they make does not run here."""
    write_configurations(tmp_path, [configuration("gcc"), configuration(FOREIGN)])
    chosen = listed_configurations(tmp_path, (), shortlist_only=False)
    assert [one.command for one in chosen] == ["gcc"]


def test_cross_compilers_alone_are_an_error_with_a_cure(tmp_path: Path) -> None:
    """An empty campaign that ends well would say nothing."""
    write_configurations(tmp_path, [configuration(FOREIGN)])
    with pytest.raises(UsageError, match="of cross compilers") as caught:
        listed_configurations(tmp_path, (), shortlist_only=False)
    assert "configure" in caught.value.cure
    with pytest.raises(UsageError, match="not all of"):
        listed_configurations(tmp_path, (configuration(FOREIGN).name,), shortlist_only=False)
