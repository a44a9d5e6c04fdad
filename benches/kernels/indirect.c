/* Indirect calls through a table of small functions. */
#include "kernel.h"
typedef u32 (*operation)(u32, u32);
static u32 add(u32 a, u32 b) { return a + b; }
static u32 sub(u32 a, u32 b) { return a - b; }
static u32 mix(u32 a, u32 b) { return (a ^ b) * 2654435761u; }
static u32 rot(u32 a, u32 b) { return (a << (b & 31)) | (a >> (-b & 31)); }
static u32 min(u32 a, u32 b) { return a < b ? a : b; }
static u32 and_not(u32 a, u32 b) { return a & ~b; }
static u32 or_shift(u32 a, u32 b) { return a | (b >> 3); }
static u32 xor(u32 a, u32 b) { return a ^ b; }
static operation volatile table[8] = {add, sub, mix, rot, min, and_not, or_shift, xor};
EXPORT("run") u32 run(u32 n) {
  u32 a = 1, b = 0x9e3779b9u;
  for (u32 i = 0; i < n * 1000; i++) {
    a = table[(a ^ i) & 7](a, b) + i;
    b += a;
  }
  return a ^ b;
}
