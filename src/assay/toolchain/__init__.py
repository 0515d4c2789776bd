# SPDX-License-Identifier: MIT
"""Compilers: finding them, learning what options they take, and the files that say so.

The order of use: `search` names executables without running any, `survey` runs
them, `probe` learns their options, `configurations` multiplies the options out,
`shortlist` says which to try first. Nothing here writes into a reports folder.
"""
