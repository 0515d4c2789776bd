# SPDX-License-Identifier: MIT
"""Fuzzing of everything that reads what others wrote."""
