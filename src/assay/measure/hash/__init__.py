# SPDX-License-Identifier: MIT
"""Counting what compact hashes cost."""
