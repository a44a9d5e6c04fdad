/* Shared by all kernels: freestanding, no library. Each kernel exports `run(n)`, which does work
   proportional to n and returns a checksum, so that engines can be held against each other. */
#pragma once
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;
#define EXPORT(name) __attribute__((export_name(name)))
#define NOINLINE __attribute__((noinline))

static inline u32 next_random(u32 *state) {
  u32 x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return *state = x;
}
