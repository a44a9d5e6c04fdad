/* 64-bit integers: SipHash-2-4 of short messages. */
#include "kernel.h"
static u64 message[32];
#define ROL(x, b) (((x) << (b)) | ((x) >> (64 - (b))))
#define ROUND                                                                    \
  v0 += v1, v1 = ROL(v1, 13), v1 ^= v0, v0 = ROL(v0, 32), v2 += v3,              \
      v3 = ROL(v3, 16), v3 ^= v2, v0 += v3, v3 = ROL(v3, 21), v3 ^= v0,          \
      v2 += v1, v1 = ROL(v1, 17), v1 ^= v2, v2 = ROL(v2, 32)
EXPORT("run") u32 run(u32 n) {
  u64 key = 0x0706050403020100ull;
  for (u32 i = 0; i < 32; i++) message[i] = i * 0x9e3779b97f4a7c15ull;
  for (u32 round = 0; round < n * 100; round++) {
    u64 v0 = 0x736f6d6570736575ull ^ key, v1 = 0x646f72616e646f6dull ^ ~key;
    u64 v2 = 0x6c7967656e657261ull ^ key, v3 = 0x7465646279746573ull ^ ~key;
    for (u32 i = 0; i < 32; i++) {
      u64 m = message[i];
      v3 ^= m;
      ROUND;
      ROUND;
      v0 ^= m;
    }
    v2 ^= 0xff;
    ROUND;
    ROUND;
    ROUND;
    ROUND;
    key = v0 ^ v1 ^ v2 ^ v3;
  }
  return (u32)(key ^ key >> 32);
}
