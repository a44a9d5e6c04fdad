/* A long recording: 100,000 inputs, each with some 1,000 instructions of work. */
#define PRIMITIVE(name) __attribute__((import_module("env"), import_name(#name)))
PRIMITIVE(chip_analog_read) int chip_analog_read(int pin);

static int window[96];
static unsigned mean;
static unsigned peaks;

/* A moving average over the window, and how often a reading stands out. */
__attribute__((noinline)) static unsigned filter(int reading, unsigned at) {
  window[at % 96] = reading;
  unsigned sum = 0;
  for (int i = 0; i < 96; i++) {
    sum += (unsigned)window[i];
  }
  mean = sum / 96;
  if ((unsigned)reading > mean + (mean >> 1)) {
    peaks++;
  }
  return mean;
}

__attribute__((export_name("main"))) unsigned run(void) {
  unsigned check = 0;
  for (unsigned at = 0;; at++) {
    int reading = chip_analog_read(34);
    unsigned smooth = filter(reading, at);
    check = check * 31 + smooth;
    if (at == 99999) {
      return check + peaks;
    }
  }
}
