/* Three counters and a table in 64 KiB of memory: 24,000 states and more, each a few words away from the last. For
   `borges explore`: how many states a second, and how many bytes each. */
#define PRIMITIVE(name) __attribute__((import_module("env"), import_name(#name)))
PRIMITIVE(chip_digital_read) int chip_digital_read(int pin);

static int table[8];
static volatile int a, b, c;

__attribute__((export_name("main"))) int run(void) {
  for (;;) {
    if (chip_digital_read(1)) {
      a = (a + 1) % 60;
      table[a & 7] = b;
    } else if (chip_digital_read(2)) {
      b = (b + 1) % 50;
      c = a & 3;
    }
    if (a * 7 == b * 3 + 1 && c + table[a & 7] > 1000) __builtin_trap();
  }
}
