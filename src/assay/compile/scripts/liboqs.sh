# SPDX-License-Identifier: MIT
mkdir $include oqs objects
for part in . aes rand sha2 sha3; do cp source/$part/*.h oqs/ || :; done
printf '#include <oqs/common.h>\n' > oqs/oqs.h
printf '#define OQS_VERSION_TEXT "0"\n' > oqs/oqsconfig.h
compile() {
    for part in $1; do
        [ -f "source/$part" ] || continue
        $compiler $options $2 -I. -c "source/$part" -o "objects/$(echo "$part" | tr / -).o"
    done
}
low=sha3/xkcp_low/KeccakP-1600
set -- $variants
if [ "$1" = avx2 ]; then
    compile $low/avx2/KeccakP-1600-AVX2.S -Wa,--noexecstack  # as upstream links
    compile ${low}times4/avx2/KeccakP-1600-times4-SIMD256.c -Isource/$low/avx2
else
    compile $low/plain-64bits/KeccakP-1600-opt64.c
    compile ${low}times4/serial/KeccakP-1600-times4-on1.c -Isource/$low/plain-64bits
fi
compile "sha3/xkcp_sha3.c sha3/xkcp_sha3x4.c sha3/sha3.c sha3/sha3x4.c"
compile "aes/aes.c aes/aes_impl.c aes/aes_c.c sha2/sha2.c sha2/sha2_impl.c sha2/sha2_c.c"
compile common.c "-DOQS_HAVE_POSIX_MEMALIGN -DOQS_HAVE_EXPLICIT_BZERO"
compile "pqclean_shims/fips202.c pqclean_shims/fips202x4.c"
ar rcs $archive objects/*.o
