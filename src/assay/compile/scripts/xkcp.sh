# SPDX-License-Identifier: MIT
cp -r source work
cd work
for variant in $variants; do
    for name in libXKCP.a libkeccak.a; do
        if CC="$compiler" CFLAGS="$options" make -j$jobs "$variant/$name"; then
            mkdir ../$include
            cp -r "bin/$variant/$name.headers" ../$include/libkeccak.a.headers
            cp "bin/$variant/$name" ../$archive
            exit 0
        fi
    done
done
exit 1
