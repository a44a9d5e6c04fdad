/* Vectors of integers: four streams of a cipher's rounds (ChaCha) side by side. */
#include "kernel.h"
#include <wasm_simd128.h>
#define ROTATE(x, by) wasm_v128_or(wasm_i32x4_shl(x, by), wasm_u32x4_shr(x, 32 - by))
#define QUARTER(a, b, c, d)                                    \
  a = wasm_i32x4_add(a, b), d = ROTATE(wasm_v128_xor(d, a), 16), \
  c = wasm_i32x4_add(c, d), b = ROTATE(wasm_v128_xor(b, c), 12), \
  a = wasm_i32x4_add(a, b), d = ROTATE(wasm_v128_xor(d, a), 8),  \
  c = wasm_i32x4_add(c, d), b = ROTATE(wasm_v128_xor(b, c), 7)
EXPORT("run") u32 run(u32 n) {
  v128_t a = wasm_i32x4_make(1, 2, 3, 4), b = wasm_i32x4_make(5, 6, 7, 8);
  v128_t c = wasm_i32x4_make(9, 10, 11, 12), d = wasm_i32x4_make(13, 14, 15, 16);
  for (u32 round = 0; round < n * 256; round++) {
    QUARTER(a, b, c, d);
    b = wasm_i32x4_shuffle(b, b, 1, 2, 3, 0);
    c = wasm_i32x4_shuffle(c, c, 2, 3, 0, 1);
    d = wasm_i32x4_shuffle(d, d, 3, 0, 1, 2);
  }
  v128_t sum = wasm_i32x4_add(wasm_i32x4_add(a, b), wasm_i32x4_add(c, d));
  return (u32)wasm_i32x4_extract_lane(sum, 0);
}
