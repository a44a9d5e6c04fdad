/* Memory and bits: table-driven CRC-32 of a buffer. */
#include "kernel.h"
static u32 table[256];
static u8 data[4096];
EXPORT("run") u32 run(u32 n) {
  for (u32 i = 0; i < 256; i++) {
    u32 c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  u32 seed = 12345;
  for (u32 i = 0; i < sizeof data; i++) data[i] = (u8)next_random(&seed);
  u32 crc = ~0u;
  for (u32 round = 0; round < n; round++)
    for (u32 i = 0; i < sizeof data; i++) crc = table[(crc ^ data[i]) & 0xff] ^ (crc >> 8);
  return ~crc;
}
