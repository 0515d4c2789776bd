# SPDX-License-Identifier: MIT
"""What processors promise of the time of their instructions, as Linux tells of them.

Bits of registers are those of Intel's guidance on data operand independent timing (2022).
"""

import struct
from pathlib import Path

import pytest

from assay.machine.data_timing import DataTiming, data_timing
from assay.machine.sources import Sources

INTEL = "vendor_id : GenuineIntel\nflags : aes avx2"
ICE_LAKE = f"{INTEL} gfni"


def asked(
    folder: Path, cpuinfo: str, hypervisor: str | None = None, **registers: int
) -> DataTiming:
    """Ask of a machine with these registers; none can be read if none is given."""
    (folder / "cpuinfo").write_text(cpuinfo)
    if registers:
        path = folder / "dev/cpu/0/msr"
        path.parent.mkdir(parents=True)
        with path.open("wb") as file:
            for name, value in registers.items():
                file.seek({"capabilities": 0x10A, "control": 0x1B01}[name])
                file.write(struct.pack("<Q", value))
    return data_timing(hypervisor, Sources(proc=folder, root=folder))


@pytest.mark.parametrize(
    ("cpuinfo", "promised", "in_force"),
    [
        (INTEL, True, True),
        (ICE_LAKE, None, None),
        ("vendor_id : AuthenticAMD\nflags : gfni", None, None),
        ("CPU implementer : 0x41\nFeatures : fp asimd dit", True, False),
        ("CPU implementer : 0x41\nFeatures : fp asimd", False, None),
        ("isa : rv64imafdc_zba_zkt", True, True),
        ("isa : rv64imafdc_zba", None, None),
        ("cpu : POWER8", None, None),
    ],
)
def test_flags_say_what_is_promised(
    tmp_path: Path, cpuinfo: str, promised: bool | None, in_force: bool | None
) -> None:
    """What cannot be known is not called absent."""
    found = asked(tmp_path, cpuinfo)
    assert (found.promised, found.in_force) == (promised, in_force)
    assert str(found).startswith(
        {True: "promised", False: "not promised", None: "not known"}[promised]
    )


@pytest.mark.parametrize(("control", "in_force"), [(0, False), (1, True)])
def test_registers_say_whether_the_mode_of_intel_is_on(
    tmp_path: Path, control: int, in_force: bool
) -> None:
    """Where the module `msr` is loaded they are known to root, under a hypervisor as well."""
    found = asked(tmp_path, ICE_LAKE, "kvm", capabilities=1 << 12, control=control)
    assert (found.promised, found.in_force) == (True, in_force)


def test_a_processor_that_does_not_name_the_mode_has_none(tmp_path: Path) -> None:
    """Bit 12 of the capabilities is clear."""
    assert asked(tmp_path, ICE_LAKE, capabilities=0).promised is False


def test_a_hypervisor_may_hide_the_mode(tmp_path: Path) -> None:
    """Its guests see the flags and the registers that it shows them."""
    found = asked(tmp_path, INTEL, "kvm", capabilities=0)
    assert found.promised is None
    assert "under kvm" in str(found)
