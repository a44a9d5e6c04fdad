/* memory.copy and memory.fill in sizes from small to large. */
#include "kernel.h"
static u8 arena[65536];
EXPORT("run") u32 run(u32 n) {
  u32 seed = 99, sum = 0;
  for (u32 i = 0; i < n * 1000; i++) {
    u32 r = next_random(&seed);
    u32 size = r & 255, from = (r >> 8) & 32767, to = 32768 + ((r >> 12) & 32000);
    __builtin_memset(arena + from, (int)(r >> 3), size);
    __builtin_memcpy(arena + to, arena + from, size / 2);
    sum += arena[to];
  }
  return sum;
}
