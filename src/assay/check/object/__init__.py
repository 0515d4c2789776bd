# SPDX-License-Identifier: MIT
"""Checks of object code, for every kind."""
