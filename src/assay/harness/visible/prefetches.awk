# SPDX-License-Identifier: MIT
# Before a prefetch: the bytes of its address are looked up.

/^[ \t]*prefetch[a-z0-9]*[ \t]/ {
    begin()
    print "\tleaq " below(operands()) ", %rcx\n\tmovq %rcx, (%rsp)"
    look(6)
}

{ print }
