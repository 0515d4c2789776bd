# SPDX-License-Identifier: MIT
"""Checks of what functions do to buffers, for every kind."""
