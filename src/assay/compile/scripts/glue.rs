// SPDX-License-Identifier: MIT
use std::os::raw::c_int;
use std::slice;
type In = *const u8;
type Out = *mut u8;
#[allow(dead_code)]
const ABYTES: u64 = ABYTES_OF_PACKAGE;
#[allow(dead_code)]
unsafe fn bytes<'a>(p: In, n: u64) -> &'a [u8] {
    if n == 0 { &[] } else { slice::from_raw_parts(p, n as usize) }
}
#[allow(dead_code)]
unsafe fn room<'a>(p: Out, n: u64) -> &'a mut [u8] {
    if n == 0 { &mut [] } else { slice::from_raw_parts_mut(p, n as usize) }
}
#[allow(dead_code)]
unsafe fn given<'a, const N: usize>(p: In) -> &'a [u8; N] {
    let at = if N == 0 { 1 as In } else { p };
    &*(at as *const [u8; N])
}
#[allow(dead_code)]
unsafe fn place<'a, const N: usize>(p: Out) -> &'a mut [u8; N] {
    let at = if N == 0 { 1 as Out } else { p };
    &mut *(at as *mut [u8; N])
}
