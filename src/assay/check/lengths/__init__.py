# SPDX-License-Identifier: MIT
"""Checks of messages of all lengths, and how they are split, for every kind."""
