# SPDX-License-Identifier: MIT
"""Checks of contexts, and of what calls leave behind, for every kind."""
