# SPDX-License-Identifier: MIT
"""Checks of randomness: how much is drawn, what is made of it, and what becomes of failures."""
