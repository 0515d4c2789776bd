# SPDX-License-Identifier: MIT
"""Assay judges implementations of cryptographic primitives: correct, well behaved, fast, small."""

__version__ = "0.1.0"
