# SPDX-License-Identifier: MIT
"""Whether the promises about figures hold on the machine at hand: taken, then judged."""
