# SPDX-License-Identifier: MIT
# Before a division of integers: a branch to the next instruction, on dividend and divisor.
# Flags are dead there, since a division leaves them undefined. The branch is on `below`, for
# which valgrind wants every bit; that a number is not zero it knows from one bit.

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
