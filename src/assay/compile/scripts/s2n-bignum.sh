# SPDX-License-Identifier: MIT
cp -r source work
cp -r source/include $include
for variant in $variants; do
    make -j$jobs -C "work/$variant" CC="$compiler" libs2nbignum.a
    cp "work/$variant/libs2nbignum.a" $archive
    exit 0
done
echo "it is for amd64 and aarch64"
exit 1
