/* Integers: counts primes by trial division. */
#include "kernel.h"
EXPORT("run") u32 run(u32 n) {
  u32 count = 0;
  for (u32 candidate = 2; candidate < n * 1000; candidate++) {
    u32 is_prime = 1;
    for (u32 d = 2; d * d <= candidate; d++)
      if (candidate % d == 0) {
        is_prime = 0;
        break;
      }
    count += is_prime;
  }
  return count;
}
