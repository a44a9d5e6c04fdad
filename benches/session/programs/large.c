/* A large program: 20 MiB of memory, 500 million instructions, few inputs. A table of records that transactions change here
   and there, most of them near each other, and one function that is as long as an interpreter's. */
#define PRIMITIVE(name) __attribute__((import_module("env"), import_name(#name)))
PRIMITIVE(chip_analog_read) int chip_analog_read(int pin);

#define BYTES (19u << 20)
#define RECORDS (BYTES / 64)

struct record {
  unsigned key, count, words[14];
};

static struct record records[RECORDS];
static unsigned state = 1;

static unsigned random(void) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

/* An instruction of the long function: some dozens of WebAssembly's. */
#define ROUND(n)                                                                             \
  a = (a << 5 | a >> 27) + (b ^ (n) * 0x9e3779b9u) + r->words[(n) % 14];                     \
  b = (b << 11 | b >> 21) ^ (a + r->words[((n) * 5 + 3) % 14]);                              \
  if (a & 1u << (n) % 32) {                                                                  \
    b += r->count;                                                                           \
  }
#define FOUR(n) ROUND(n) ROUND(n + 1) ROUND(n + 2) ROUND(n + 3)
#define OPERATION(n)                                                                         \
  case n:                                                                                    \
    FOUR(n) FOUR(n + 4) FOUR(n + 8) FOUR(n + 12) FOUR(n + 16) FOUR(n + 20)                   \
    break;
#define EIGHT(n)                                                                             \
  OPERATION(n) OPERATION(n + 1) OPERATION(n + 2) OPERATION(n + 3)                            \
  OPERATION(n + 4) OPERATION(n + 5) OPERATION(n + 6) OPERATION(n + 7)

__attribute__((noinline)) static unsigned interpret(struct record *r, unsigned a, unsigned length) {
  unsigned b = r->key;
  for (unsigned at = 0; at < length; at++) {
    switch ((a ^ b >> 7) % 32) { EIGHT(0) EIGHT(8) EIGHT(16) EIGHT(24) }
    r->words[at % 14] = a;
  }
  return a + b;
}

__attribute__((export_name("main"))) unsigned run(void) {
  unsigned check = 0;
  for (unsigned at = 0; at < RECORDS; at++) {
    records[at].key = at * 2654435761u;
  }
  for (unsigned at = 0; at < 40000; at++) {
    if (at % 400 == 0) {
      state += (unsigned)chip_analog_read(34) * 2 + 1;
    }
    /* One in eight goes anywhere, the others lie within 256 KiB. */
    unsigned nth = random();
    nth = nth % 8 ? (at / 4000 * 24001 + nth / 8 % 4096) % RECORDS : nth / 8 % RECORDS;
    struct record *r = &records[nth];
    check = check * 31 + interpret(r, check, 16);
    r->count++;
  }
  return check;
}
