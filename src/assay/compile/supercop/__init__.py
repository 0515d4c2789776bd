# SPDX-License-Identifier: MIT
"""How packages of the SUPERCOP API become agents: names, headers, subroutines, one object."""
