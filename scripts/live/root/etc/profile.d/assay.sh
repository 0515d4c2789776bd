# SPDX-License-Identifier: MIT
# For a login at a console: every processor may be used, the one kept free as well.
taskset -pc 0-8191 $$ >/dev/null 2>&1
cd /results 2>/dev/null || cd || return
assay-live status
