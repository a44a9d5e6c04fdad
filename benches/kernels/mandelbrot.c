/* Floats (double): the set's iteration counts on a grid. */
#include "kernel.h"
EXPORT("run") u32 run(u32 n) {
  u32 sum = 0;
  for (u32 round = 0; round < n; round++)
    for (int y = 0; y < 32; y++)
      for (int x = 0; x < 32; x++) {
        double cr = x / 16.0 - 1.5, ci = y / 16.0 - 1.0, zr = 0, zi = 0;
        int i = 0;
        for (; i < 200 && zr * zr + zi * zi < 4.0; i++) {
          double t = zr * zr - zi * zi + cr;
          zi = 2 * zr * zi + ci;
          zr = t;
        }
        sum += (u32)i;
      }
  return sum;
}
