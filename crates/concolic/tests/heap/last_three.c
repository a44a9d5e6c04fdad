// Keeps the last three readings in a list of which every node is allocated and freed, and writes each into a text whose
// length depends on it. Traps once all three are the greatest that there is.
#include <stdlib.h>
#include <string.h>

__attribute__((import_module("env"), import_name("chip_analog_read"))) int chip_analog_read(int pin);
__attribute__((import_module("env"), import_name("chip_digital_write"))) void chip_digital_write(int pin, int level);

struct reading {
  struct reading *next;
  int value;
};

static struct reading *oldest, *newest;
static int count;

static void keep(int value) {
  struct reading *reading = malloc(sizeof *reading);
  reading->next = NULL;
  reading->value = value;
  if (newest) newest->next = reading; else oldest = reading;
  newest = reading;
  if (count < 3) {
    count += 1;
    return;
  }
  struct reading *next = oldest->next;
  free(oldest);
  oldest = next;
}

static int length_of(int value) {
  char *text = malloc(8 + 16 * value);
  memset(text, 'x', 7 + 16 * value);
  text[7 + 16 * value] = '\0';
  int length = (int)strlen(text);
  free(text);
  return length;
}

__attribute__((export_name("main"))) void run(void) {
  for (;;) {
    keep(chip_analog_read(34));
    chip_digital_write(13, length_of(newest->value) > 30);
    int are_greatest = count == 3;
    for (struct reading *at = oldest; at; at = at->next) are_greatest &= at->value == 3;
    if (are_greatest) __builtin_trap();
  }
}
