// Locals whose places hold old values before they are written, a function pointer, globals that outlive the program.
#define IMPORT(name) __attribute__((import_module("env"), import_name(#name)))
IMPORT(chip_analog_read) int chip_analog_read(int pin);

typedef unsigned char u8;
enum mode { OFF, HEAT = 7 };
struct meter {
  enum mode mode;
  u8 flags;
  int readings[4];
  int (*scale)(int);
};

static int tenfold(int value) { return value * 10; }
static int plain(int value) { return value; }
struct meter meter = {HEAT, 0x2c, {1, 2, 3, 4}, tenfold};

static int measure(int pin) {
  int raw;
  int scaled;
  raw = chip_analog_read(pin);
  scaled = meter.scale(raw);
  meter.readings[pin] = scaled;
  meter.scale = plain;
  return scaled;
}

int main(void) {
  int sum = 0;
  for (int pin = 0; pin < 3; pin++) sum += measure(pin);
  return sum;
}
