/* Floats (double): dense matrix product. */
#include "kernel.h"
#define N 48
static double a[N][N], b[N][N], c[N][N];
EXPORT("run") u32 run(u32 n) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = (double)(i - j) / N;
      b[i][j] = (double)(i + j) / N;
    }
  for (u32 round = 0; round < n; round++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        double sum = c[i][j] * (double)0.5;
        for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];
        c[i][j] = sum;
      }
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum += c[i][j];
  return (u32)(i32)(sum * 16);
}
