# SPDX-License-Identifier: MIT
"""Sets a machine up: the HOWTO's configure script, section 4.1.

`dialogue` asks, `stages` acts, `folder` writes; `configure` runs them in order.
"""
