# SPDX-License-Identifier: MIT
"""What the machine is: processor, clock, and the settings that blur timings."""

from assay.machine.clock import cpu_mhz
from assay.machine.cpuinfo import cpu_flags, cpuinfo_text, read_cpuinfo, read_mhz
from assay.machine.describe import describe

__all__ = ["cpu_flags", "cpu_mhz", "cpuinfo_text", "describe", "read_cpuinfo", "read_mhz"]
