/* Calls: the naive recursion. */
#include "kernel.h"
static NOINLINE u32 fib(u32 n) {
  if (n < 2) return n;
  u32 a = fib(n - 1), b = fib(n - 2);
  __asm__("" : "+r"(b)); /* otherwise clang makes a loop of the second call */
  return a + b;
}
EXPORT("run") u32 run(u32 n) {
  u32 sum = 0;
  for (u32 i = 0; i < n; i++) sum += fib(20 + (i & 1));
  return sum;
}
