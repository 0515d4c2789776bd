# SPDX-License-Identifier: MIT
"""Faults that are injected into campaigns, and what came of each."""
