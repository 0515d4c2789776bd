# SPDX-License-Identifier: MIT
"""What the machine is: processor, clock, and the settings that blur timings."""
