# SPDX-License-Identifier: MIT
"""Test vectors of hashes: their messages, our line format and KAT files, comparison."""
