/* A sort: recursive quicksort of random numbers. */
#include "kernel.h"
#define COUNT 4096
static i32 numbers[COUNT];
static NOINLINE void sort(i32 *low, i32 *high) {
  if (low >= high) return;
  i32 pivot = low[(high - low) / 2];
  i32 *i = low, *j = high;
  while (i <= j) {
    while (*i < pivot) i++;
    while (*j > pivot) j--;
    if (i <= j) {
      i32 t = *i;
      *i++ = *j;
      *j-- = t;
    }
  }
  sort(low, j);
  sort(i, high);
}
EXPORT("run") u32 run(u32 n) {
  u32 sum = 0, seed = 2463534242u;
  for (u32 round = 0; round < n; round++) {
    for (u32 i = 0; i < COUNT; i++) numbers[i] = (i32)next_random(&seed);
    sort(numbers, numbers + COUNT - 1);
    for (u32 i = 1; i < COUNT; i++) sum += (numbers[i - 1] <= numbers[i]) * (u32)numbers[i] * i;
  }
  return sum;
}
