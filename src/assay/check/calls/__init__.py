# SPDX-License-Identifier: MIT
"""Checks of what calls depend on, for every kind."""
