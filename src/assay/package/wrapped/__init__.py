# SPDX-License-Identifier: MIT
"""A plain C function becomes a package: its signature, the roles of its parameters, two files."""
