# SPDX-License-Identifier: MIT
"""Checks of what calls do to registers, for every kind."""
