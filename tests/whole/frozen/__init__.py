# SPDX-License-Identifier: MIT
"""What the checks say of every shipped and every broken package, frozen and compared."""
