/* Memory, byte by byte: copies, searches, counts. */
#include "kernel.h"
static u8 from[8192], to[8192];
EXPORT("run") u32 run(u32 n) {
  for (u32 i = 0; i < sizeof from; i++) from[i] = (u8)(i * 31 >> 3);
  u32 sum = 0;
  for (u32 round = 0; round < n; round++) {
    volatile u8 *destination = to;
    for (u32 i = 0; i < sizeof from; i++) destination[i] = from[i];
    const u8 *p = to;
    while (*p != (u8)(round + 100)) p++;
    sum += (u32)(p - to) + to[round & 8191];
  }
  return sum;
}
