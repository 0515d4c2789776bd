# SPDX-License-Identifier: MIT
"""Which configurations a run takes, and in which order."""

from pathlib import Path

import pytest

from assay.campaign.planning import left_out
from assay.configure.folder import write_configurations
from assay.errors import UsageError
from assay.model import Configuration
from assay.package.resolve import resolve
from assay.plan.choice import listed_configurations, named_configuration
from assay.targets.catalogue import native

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
    with pytest.raises(UsageError, match="there is no configuration"):
        listed_configurations(tmp_path, (configuration(FOREIGN).name,), shortlist_only=False)


def versions(reports: Path, *commands: str) -> None:
    """Write a configuration of each, all with the tag of their family."""
    made = [
        Configuration("gcc", one, "", "-O2", "gcc_default_O2", f"{one}_default_O2")
        for one in commands
    ]
    write_configurations(reports, made)


def test_a_configuration_is_the_one_whose_file_has_the_name(tmp_path: Path) -> None:
    """Not another version's, which has that name for a tag and comes first in order."""
    versions(tmp_path, "gcc", "gcc-12")
    for name in ("gcc_default_O2", "gcc_default_O2.mk"):
        assert named_configuration(tmp_path, name)[0].command == "gcc"
        chosen = listed_configurations(tmp_path, (name,), shortlist_only=False)
        assert [one.command for one in chosen] == ["gcc"]


def test_a_tag_of_one_configuration_names_it(tmp_path: Path) -> None:
    """Shortlists and older commands say it so."""
    versions(tmp_path, "gcc-12")
    chosen = listed_configurations(tmp_path, ("gcc_default_O2",), shortlist_only=False)
    assert [one.name for one in chosen] == ["gcc-12_default_O2"]


def test_a_tag_of_several_versions_is_refused_with_their_names(tmp_path: Path) -> None:
    """One of them would run, and nobody would know which."""
    versions(tmp_path, "gcc-12", "gcc-13")
    for ask in (
        lambda: named_configuration(tmp_path, "gcc_default_O2"),
        lambda: listed_configurations(tmp_path, ("gcc_default_O2",), shortlist_only=False),
    ):
        with pytest.raises(UsageError, match="2 configurations have the tag") as caught:
            ask()
        assert caught.value.cure == "Name one of them: gcc-12_default_O2, gcc-13_default_O2."


def test_assembly_that_is_not_measured_here_is_named() -> None:
    """A run that leaves packages out says which, instead of measuring fewer in silence."""
    root = Path(__file__).parents[3]
    found = resolve(("shabal/avr8", "shabal/mips-be", "sha256/portable"), root)
    said = left_out(found, native())
    assert "shabal/avr8, shabal/mips-be" in said
    assert "sha256/portable" not in said
    assert left_out(found[-1:], native()) == ""
