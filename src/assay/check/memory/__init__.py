# SPDX-License-Identifier: MIT
"""Checks of the heap, and bytes that nobody wrote, for every kind."""
