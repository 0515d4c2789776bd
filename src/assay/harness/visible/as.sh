#!/bin/sh
# SPDX-License-Identifier: MIT
here=$(dirname "$0")
for one
do
    case $one in
    *.s)
        awk -v options="$*" -f "$here/look.awk" -f "$here/traced.awk" -f "$here/rewrite.awk" \
            "$one" >"$one.visible" || exit
        cat "$one.visible" >"$one"
        rm "$one.visible"
        ;;
    esac
done
exec ASSEMBLER "$@"
