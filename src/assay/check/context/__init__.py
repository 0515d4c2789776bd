# SPDX-License-Identifier: MIT
"""Checks of contexts, for every kind."""
