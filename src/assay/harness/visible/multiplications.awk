# SPDX-License-Identifier: MIT
# Before a multiplication that ends early where an operand is small: what decides is looked up.
#
# - ARM7TDMI, ARM9TDMI and StrongARM: the multiplier, which is the second factor of all of them.
# - Cortex-M3: either factor of those with a result of 64 bits; the others take one or two cycles.
# - PowerPC 603e: either factor.
#
# Thumb code for ARMv4T has no room for it, and stays unseen. `options` are the assembler's.

BEGIN {
    in_blocks = "[us]m(ul|la)l"
    arm = options ~ /-march=armv4/ && options !~ /-mthumb( |$)/
}

# A condition that does not hold multiplies nothing.
function look_arm_multiplier(    parts, count, rest, at) {
    sub(/[ \t]*(@|\/\/).*$/, "")
    match($1, /^(mul|mla|[us]m(ul|la)l)/)
    at = RLENGTH
    rest = substr($1, at + 1)
    if (length(rest) % 2)
        sub(rest ~ /^s/ ? "^s" : "s$", "", rest)
    if (rest != "" && rest != "al" && !(rest in inverse))
        return
    count = split(operands(), parts, /[ \t]*,[ \t]*/)
    if (rest in inverse)
        print "\tb" inverse[rest] " 77774f"
    look_arm(parts[at > 3 ? 4 : count > 2 ? 3 : 2], parts[at > 3 ? 4 : count > 2 ? 3 : 1])
    if (rest in inverse)
        print "77774:"
}

function look_cortex_m3(    parts) {
    sub(/[ \t]*(@|\/\/).*$/, "")
    split(operands(), parts, /[ \t]*,[ \t]*/)
    look_arm(parts[3], parts[4])
}

# These reach 126 bytes, which what is looked up may be longer than; flags stay as they are.
/^[ \t]*cbn?z[ \t]/ {
    split(operands(), parts, /[ \t]*,[ \t]*/)
    print "\t" ($1 == "cbz" ? "cbnz " : "cbz ") parts[1] ", 77775f\n\tb " parts[2] "\n77775:"
    next
}

arm && /^[ \t]*(mul|mla|[us]m(ul|la)l)[a-z]*[ \t]+[a-z]/ { look_arm_multiplier() }

!arm && /^[ \t]*[us]m(ul|la)l[ \t]+[a-z]/ { look_cortex_m3() }

/^[ \t]*mul(lwo?|hwu?)\.?[ \t]+(%?r)?[0-9]+,[ \t]*(%?r)?[0-9]+,[ \t]*(%?r)?[0-9]+/ {
    split(operands(), both, /[ \t]*,[ \t]*/)
    look_ppc(both[2])
    look_ppc(both[3])
}

{ print }
