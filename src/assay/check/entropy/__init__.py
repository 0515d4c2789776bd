# SPDX-License-Identifier: MIT
"""What secrets are made of: how much is drawn, whether it counts, and what repeats."""
