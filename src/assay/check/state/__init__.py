# SPDX-License-Identifier: MIT
"""Checks of what calls leave behind, for every kind."""
