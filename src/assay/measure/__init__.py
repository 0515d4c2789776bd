# SPDX-License-Identifier: MIT
"""Launching what passed its checks, and timing it."""
