/* Vectors of bytes: letters to upper case, and how many there are of one. */
#include "kernel.h"
#include <wasm_simd128.h>
#define N 16384
static u8 text[N];
EXPORT("run") u32 run(u32 n) {
  u32 state = 1, found = 0;
  for (int i = 0; i < N; i++) text[i] = (u8)next_random(&state);
  for (u32 round = 0; round < n; round++) {
    v128_t counts = wasm_i32x4_const_splat(0), wanted = wasm_i8x16_splat((char)round);
    for (int i = 0; i < N; i += 16) {
      v128_t bytes = wasm_v128_load(text + i);
      v128_t lower = wasm_v128_and(wasm_u8x16_ge(bytes, wasm_i8x16_const_splat('a')), wasm_u8x16_le(bytes, wasm_i8x16_const_splat('z')));
      bytes = wasm_i8x16_sub(bytes, wasm_v128_and(lower, wasm_i8x16_const_splat(32)));
      wasm_v128_store(text + i, wasm_i8x16_add(bytes, wasm_i8x16_const_splat(7)));
      v128_t hits = wasm_i8x16_neg(wasm_i8x16_eq(bytes, wanted));
      counts = wasm_i32x4_add(counts, wasm_u32x4_extadd_pairwise_u16x8(wasm_u16x8_extadd_pairwise_u8x16(hits)));
    }
    found += wasm_i32x4_extract_lane(counts, 0) + wasm_i32x4_extract_lane(counts, 1) + wasm_i32x4_extract_lane(counts, 2) + wasm_i32x4_extract_lane(counts, 3);
  }
  return found;
}
