# SPDX-License-Identifier: MIT
"""NESSIE/eSTREAM test vectors: their inputs, the file's format, comparison."""
