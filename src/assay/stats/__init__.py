# SPDX-License-Identifier: MIT
"""Pure functions from launches to figures; they know `model` alone."""
