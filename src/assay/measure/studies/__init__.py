# SPDX-License-Identifier: MIT
"""Questions beside campaigns, whose answers are shown and not stored: each is a module."""
