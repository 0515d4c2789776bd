# SPDX-License-Identifier: MIT
"""Tests of packages in the layouts of SUPERCOP, NIST and PQClean."""
