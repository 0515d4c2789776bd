# SPDX-License-Identifier: MIT
# Before a division of integers: a branch to the next instruction, on dividend and divisor.
# Flags are dead there, since a division leaves them undefined. The branch is on `below`, for
# which valgrind wants every bit; that a number is not zero it knows from one bit.
#
# Elsewhere there are traces of addresses. `options` are those of the assembler.

BEGIN { in_blocks = "[us]div" }

function look_aarch64(operand,    number, at, bits) {
    bits = operand ~ /^w/ ? 32 : 64
    operand = "x" substr(operand, 2)
    number = operand == "x9" ? 10 : 9
    print "\tstr x" number ", [sp, #-16]!"
    for (at = 0; at < bits; at += 8)
        print "\tubfx x" number ", " operand ", #" at ", #8\n\tsub x" number ", sp, x" number \
            "\n\tldurb w" number ", [x" number ", #-1]"
    print "\tldr x" number ", [sp], #16"
}

function look_riscv(operand,    register, word, at) {
    register = operand == "t5" ? "t6" : "t5"
    word = options ~ /-march=rv64/ ? "d " : "w "
    print "\taddi sp, sp, -16\n\ts" word register ", 0(sp)"
    for (at = 0; at < 32; at += 8)
        print "\tsrli " register ", " operand ", " at "\n\tandi " register ", " register ", 255" \
            "\n\tsub " register ", sp, " register "\n\tlbu " register ", -1(" register ")"
    print "\tl" word register ", 0(sp)\n\taddi sp, sp, 16"
}

function look_mips(operand,    register, at) {
    register = operand == "$8" ? "$9" : "$8"
    print "\taddiu $29, $29, -16\n\tsw " register ", 0($29)"
    for (at = 0; at < 32; at += 8)
        print "\tsrl " register ", " operand ", " at "\n\tandi " register ", " register ", 255" \
            "\n\tsubu " register ", $29, " register "\n\tlbu " register ", -1(" register ")"
    print "\tlw " register ", 0($29)\n\taddiu $29, $29, 16"
}

# What stands in the slot behind a jump has no room before it, and stays unseen.
function look_mips_operands(    parts, count) {
    count = split(operands(), parts, /[ \t]*,[ \t]*/)
    if (in_slot || parts[count] !~ /^\$/)
        return
    look_mips(parts[count - 1])
    look_mips(parts[count])
}

# The dividend is in a pair of registers, or in the second of it. An operand in memory is looked
# at byte by byte; the condition code stays, which divisions of this machine leave alone.
function look_s390(    name, parts, first, pair, operand, register, wide, at) {
    name = $1
    first = operands()
    operand = first
    sub(/,.*$/, "", first)
    sub(/^[^,]*,[ \t]*/, "", operand)
    pair = substr(first, 3) + 1
    for (register = 1; register == pair || register == pair - 1 || \
            (operand " ") ~ "%r" register "[^0-9]"; register++)
        ;
    print "\tlay %r15, -16(%r15)\n\tstg %r" register ", 0(%r15)"
    wide = name ~ /g/
    if (name !~ /^ds/)
        look_s390_register(first, register, wide)
    look_s390_register("%r" pair, register, wide)
    wide = wide && name !~ /f/
    if (operand ~ /^%r[0-9]+$/)
        look_s390_register(operand, register, wide)
    else
        for (at = 0; at < (wide ? 8 : 4); at++)
            look_s390_byte("llgc %r" register ", " at + (operand ~ /%r15/ ? 16 : 0) "+" operand, \
                register)
    print "\tlg %r" register ", 0(%r15)\n\tlay %r15, 16(%r15)"
}

function look_s390_register(operand, register, wide,    at) {
    for (at = 0; at < (wide ? 64 : 32); at += 8)
        look_s390_byte("srlg %r" register ", " operand ", " at "\n\tllgcr %r" register ", %r" \
            register, register)
}

function look_s390_byte(taken, register) {
    print "\t" taken "\n\tllgc %r" register ", -256(%r" register ",%r15)"
}

function look_at_operands(    parts, count, at) {
    sub(/[ \t]*(@|\/\/).*$/, "")
    count = split(operands(), parts, /[ \t]*,[ \t]*/)
    if (parts[1] !~ /^[wx]/ && /^[ \t]*[us]div/)
        return look_arm(parts[count - 1], parts[count])
    for (at = count < 3 ? 1 : 2; at <= count; at++)
        if (parts[at] ~ /^[wx]/)
            look_aarch64(parts[at])
        else
            look_riscv(parts[at])
}

/^[ \t]*[us]div[ \t]/ || (arm && /^[ \t]*[us]div[a-z][a-z][ \t]/) { look_at_operands() }

/^[ \t]*\.set[ \t]+(no)?reorder/ { as_written = /noreorder/ }

/^[ \t]*divu?[ \t]+\$/ { look_mips_operands() }

/^[ \t]+[a-z]/ { in_slot = as_written && /^[ \t]+[bj]/ }

# Of PowerPC and RISC-V: `divw` is an instruction of x86, too, with one operand.
/^[ \t]*divwu?o?\.?[ \t]+(%?r)?[0-9]+,[ \t]*(%?r)?[0-9]+,[ \t]*(%?r)?[0-9]+/ {
    split(operands(), both, /[ \t]*,[ \t]*/)
    look_ppc(both[2])
    look_ppc(both[3])
    print
    next
}

/^[ \t]*(div|rem)u?w?[ \t]+[a-z]+[0-9]*,[ \t]*[a-z]+[0-9]*,[ \t]*[a-z]+[0-9]*/ {
    look_at_operands()
    print
    next
}

/^[ \t]*d(l|lg|sg|sgf)?r?[ \t]+%r[0-9]+,/ { look_s390() }

/^[ \t]*i?div[bwlq][ \t]/ {
    match($0, /div[bwlq]/)
    width = substr($0, RSTART + 3, 1)
    split("b %al w %ax l %eax q %rax", pairs, " ")
    for (at = 1; pairs[at] != width; at += 2)
        ;
    print "\tcmp" width " $3, " pairs[at + 1] "\n\tjb 77771f\n77771:"
    print "\tcmp" width " $3, " operands() "\n\tjb 77772f\n77772:"
}

{ print }
