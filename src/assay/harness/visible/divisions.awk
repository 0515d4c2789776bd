# SPDX-License-Identifier: MIT
# Before a division of integers: a branch to the next instruction, on dividend and divisor.
# Flags are dead there, since a division leaves them undefined. The branch is on `below`, for
# which valgrind wants every bit; that a number is not zero it knows from one bit.
#
# Elsewhere there are traces of addresses: each byte of an operand chooses one below the stack
# pointer that is read. Flags stay as they are, and a register is kept on the stack meanwhile.
# `options` are those of the assembler.

# Short, as a branch of Thumb reaches 126 bytes: the bytes of both operands are added together.
function look_arm(one, other) {
    print "\tstr r4, [sp, #-8]!\n\teor r4, " one ", " other ", ror #13"
    print "\teor r4, r4, r4, lsr #16\n\teor r4, r4, r4, lsr #8\n\tuxtb r4, r4"
    print "\tsub r4, sp, r4\n\tldrb r4, [r4, #-1]\n\tldr r4, [sp], #8"
}

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

/^[ \t]*\.(arm|thumb)[ \t]*$/ { arm = /arm/ }

# What is conditional in Thumb stands behind an instruction that says so, and stays unseen.
/^[ \t]*[us]div[ \t]/ || (arm && /^[ \t]*[us]div[a-z][a-z][ \t]/) { look_at_operands() }

# Of RISC-V: `divw` is an instruction of x86, too, with one operand.
/^[ \t]*(div|rem)u?w?[ \t]+[a-z]+[0-9]*,[ \t]*[a-z]+[0-9]*,[ \t]*[a-z]+[0-9]*/ {
    look_at_operands()
    print
    next
}

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
