# SPDX-License-Identifier: MIT
# Before a floating-point operation: the bytes of its operands are looked up.

/^[ \t]*v?(add|sub|mul|div|min|max|sqrt|fn?madd[0-9]+|fn?msub[0-9]+)(ss|sd|ps|pd)[ \t]/ {
    match($0, /(ss|sd|ps|pd)[ \t]/)
    kind = substr($0, RSTART, 2)
    size = kind == "ss" ? 4 : kind == "sd" ? 8 : 16
    rest = operands()
    while (match(rest, /%[xyz]mm[0-9]+|[^ \t,(]*\([^)]*\)/)) {
        operand = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        begin()
        if (sub(/^%[xyz]/, "%x", operand))
            print "\tmovups " operand ", (%rsp)"
        else
            print "\tmov" (size == 4 ? "l " : "q ") below(operand) (size == 4 ? ", %ecx" : ", %rcx") \
                "\n\tmovq %rcx, (%rsp)"
        look(operand ~ /^%/ || size < 8 ? size : 8)
    }
}

{ print }
