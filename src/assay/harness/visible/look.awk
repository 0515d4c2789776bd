# SPDX-License-Identifier: MIT
# What the other programs share. Registers are kept in a frame below the stack pointer, beyond
# the red zone of hand-written code; its first bytes are those that are looked up, in a table
# that is the code behind it. Flags stay as they are. What was looked up is stored: valgrind
# leaves out loads that nobody needs.

function operands(    rest) {
    rest = $0
    sub(/[ \t]*[#;].*$/, "", rest)
    sub(/^[ \t]*[a-z0-9]+[ \t]+/, "", rest)
    return rest
}

function below(operand) {
    if (operand !~ /%rsp/)
        return operand
    return "256" (operand ~ /^\(/ ? "" : "+") operand
}

function begin() {
    print "\tleaq -256(%rsp), %rsp"
    print "\tmovq %rcx, 64(%rsp)\n\tmovq %rdx, 72(%rsp)"
}

function look(bytes,    at) {
    print "\tleaq 77779f(%rip), %rdx"
    for (at = 0; at < bytes; at++)
        print "\tmovzbl " at "(%rsp), %ecx\n\tmovb (%rdx,%rcx), %cl\n\tmovb %cl, 80(%rsp)"
    print "\tmovq 64(%rsp), %rcx\n\tmovq 72(%rsp), %rdx"
    print "\tleaq 256(%rsp), %rsp\n77779:"
}
