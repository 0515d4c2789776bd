# SPDX-License-Identifier: MIT
# What the programs for traces of addresses share: each byte of an operand chooses one below the
# stack pointer that is read. Flags stay as they are, and a register is kept on the stack meanwhile.

# Short, as a branch of Thumb reaches 126 bytes: ten bits are of both operands. By these distances
# words with the same halves or bytes differ in them, too, whichever bit does.
function look_arm(one, other) {
    print "\tstr r4, [sp, #-8]!"
    print one == other ? "\tmov r4, " one : "\teor r4, " one ", " other ", ror #13"
    print "\teor r4, r4, r4, lsr #15\n\teor r4, r4, r4, lsr #7\n\tmov r4, r4, lsl #22"
    print "\tsub r4, sp, r4, lsr #22\n\tldrb r4, [r4, #-1]\n\tldr r4, [sp], #8"
}

function look_ppc(operand,    register, at) {
    sub(/^%?r/, "", operand)
    register = operand == 11 ? 12 : 11
    print "\tstwu 1, -16(1)\n\tstw " register ", 8(1)"
    for (at = 0; at < 32; at += 8)
        print "\trlwinm " register ", " operand ", " (32 - at) % 32 ", 24, 31" \
            "\n\tsubf " register ", " register ", 1\n\tlbz " register ", -1(" register ")"
    print "\tlwz " register ", 8(1)\n\taddi 1, 1, 16"
}

# In Thumb a condition is said before up to four instructions, between which nothing has room.
# Operands of the instructions `in_blocks` are looked at before, as far as the condition holds;
# what a block writes itself, often a constant, stays unseen.
function look_before_block(    at, parts, count, one, other, written, condition) {
    for (at = 1; at <= in_block; at++) {
        $0 = block[at]
        sub(/[ \t]*(@|\/\/).*$/, "")
        count = split(operands(), parts, /[ \t]*,[ \t]*/)
        one = parts[count - 1] in written ? parts[count] : parts[count - 1]
        other = parts[count] in written ? one : parts[count]
        if ($1 ~ "^" in_blocks "[a-z][a-z]$" && !(one in written)) {
            condition = substr($1, length($1) - 1)
            print "\tb" inverse[condition] " 77774f"
            look_arm(one, other)
            print "77774:"
        }
        written[parts[1]]
        if ($1 ~ /^[us]m(ul|la)l/)
            written[parts[2]]
    }
    for (at = 0; at < lines; at++)
        print kept[at]
    lines = in_block = in_wait = 0
}

BEGIN {
    split("eq ne ne eq cs cc cc cs hs lo lo hs mi pl pl mi vs vc vc vs hi ls ls hi " \
        "ge lt lt ge gt le le gt", conditions, " ")
    for (at = 1; at in conditions; at += 2)
        inverse[conditions[at]] = conditions[at + 1]
}

/^[ \t]*\.(arm|thumb)[ \t]*$/ { arm = /arm/ }

!arm && /^[ \t]*it[te]*[ \t]+[a-z][a-z][ \t]*(@|$)/ { in_wait = length($1) - 1 }

in_wait {
    kept[lines++] = $0
    if (/^[ \t]+[a-z]/ && lines > 1) {
        block[++in_block] = $0
        if (in_block == in_wait)
            look_before_block()
    }
    next
}

END {
    for (at = 0; at < lines; at++)
        print kept[at]
}
