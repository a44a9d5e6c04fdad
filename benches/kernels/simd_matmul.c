/* Vectors of floats: dense matrix product, four columns at a time. */
#include "kernel.h"
#include <wasm_simd128.h>
#define N 48
static float a[N][N], b[N][N], c[N][N];
EXPORT("run") u32 run(u32 n) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = (float)(i - j) / N;
      b[i][j] = (float)(i + j) / N;
    }
  for (u32 round = 0; round < n; round++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j += 4) {
        v128_t sum = wasm_f32x4_mul(wasm_v128_load(&c[i][j]), wasm_f32x4_const_splat(0.5f));
        for (int k = 0; k < N; k++)
          sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_v128_load32_splat(&a[i][k]), wasm_v128_load(&b[k][j])));
        wasm_v128_store(&c[i][j], sum);
      }
  float sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum += c[i][j];
  return (u32)(i32)(sum * 16);
}
