# SPDX-License-Identifier: MIT
"""SUPERCOP's tests of correctness, driven from the bench, and its checksums of outputs.

The same inputs in the same order, the same calls, the same strings into the checksum:
so it equals `checksumsmall` and `checksumbig` for whatever SUPERCOP accepts. Agents only
give bytes; everything is judged and hashed here.
"""
