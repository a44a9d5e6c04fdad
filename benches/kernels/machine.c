/* A switch: a small byte-code machine that runs Collatz sequences. */
#include "kernel.h"
enum { PUSH, LOAD, STORE, ADD, MUL, SHR, AND, JUMP, JUMP_ZERO, SUB, EQUAL, HALT };
/* 0 = x, 1 = count: while (x != 1) { x = x & 1 ? 3 * x + 1 : x >> 1; count++ } */
static volatile u8 code[] = {
    LOAD, 0, PUSH, 1, EQUAL, JUMP_ZERO, 8, HALT,                     /*  0: finished? */
    LOAD, 0, PUSH, 1, AND, JUMP_ZERO, 27,                            /*  8: even? */
    LOAD, 0, PUSH, 3, MUL, PUSH, 1, ADD, STORE, 0, JUMP, 34,         /* 15: odd */
    LOAD, 0, PUSH, 1, SHR, STORE, 0,                                 /* 27: even */
    LOAD, 1, PUSH, 1, ADD, STORE, 1, JUMP, 0};                       /* 34: count */
static NOINLINE u32 interpret(u32 x) {
  u32 stack[16], memory[2] = {x, 0}, *sp = stack;
  const u8 *bytes = (const u8 *)code;
  for (u32 pc = 0;;) switch (bytes[pc++]) {
      case PUSH: *sp++ = bytes[pc++]; break;
      case LOAD: *sp++ = memory[bytes[pc++]]; break;
      case STORE: memory[bytes[pc++]] = *--sp; break;
      case ADD: sp--; sp[-1] += *sp; break;
      case SUB: sp--; sp[-1] -= *sp; break;
      case MUL: sp--; sp[-1] *= *sp; break;
      case SHR: sp--; sp[-1] >>= *sp; break;
      case AND: sp--; sp[-1] &= *sp; break;
      case EQUAL: sp--; sp[-1] = sp[-1] == *sp; break;
      case JUMP: pc = bytes[pc]; break;
      case JUMP_ZERO: pc = *--sp ? pc + 1 : bytes[pc]; break;
      case HALT: return memory[1];
      default: break;
    }
}
EXPORT("run") u32 run(u32 n) {
  u32 sum = 0;
  for (u32 i = 1; i <= n * 10; i++) sum += interpret(i);
  return sum;
}
