// The board of a device program, for a native build: what AFL++ and angr can run.
//
// Standard input is all that the program will ever read. An input with up to 256 values takes the next byte of it, one with
// more takes two, the lower one first; what lies above the range is taken modulo the number of values. So every value can
// come about, every input of a fuzzer means something, and both rivals are given the same. Where standard input ends, so
// does the program, as one without a bug: a device program has no other end. Outputs do nothing.
//
// -DANSWERS reads the answers themselves, as numbers in text: it makes a run that Borges found here.
// -DSAY prints the answers that were given, so that a run that was found here can be made by Borges.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef ANALOG_MOST
#define ANALOG_MOST 4095
#endif

void ENTRY(void);

// Clang calls it in place of its trap instruction (-ftrap-function), so that angr has an address to look for.
__attribute__((noinline, noreturn)) void trap_here(void) { abort(); }

static int answer(int least, int most) {
  int value = 0;
#ifdef ANSWERS
  if (scanf("%d,", &value) != 1) _exit(0);
#else
  int values = most - least + 1;
  unsigned char byte[2] = {0, 0};
  for (int i = 0; i < (values > 256 ? 2 : 1); i++)
    if (read(STDIN_FILENO, &byte[i], 1) != 1) _exit(0);
  value = least + (byte[0] | byte[1] << 8) % values;
#endif
#ifdef SAY
  fprintf(stderr, "%d,", value);
#endif
  return value;
}

// The ranges are those of the default board; uart_read_byte is declared in uart-parser's own.
int chip_digital_read(int pin) { return (void)pin, answer(0, 1); }
int chip_analog_read(int pin) { return (void)pin, answer(0, ANALOG_MOST); }
int color_sensor(int port) { return (void)port, answer(0, 100); }
int uart_read_byte(int port) { return (void)port, answer(-1, 255); }

void chip_pin_mode(int pin, int mode) { (void)pin, (void)mode; }
void chip_digital_write(int pin, int level) { (void)pin, (void)level; }
void chip_delay(int ms) { (void)ms; }
void drive_motor_degrees(int port, int speed, int degrees) { (void)port, (void)speed, (void)degrees; }
void print_int(int number) { (void)number; }

int main(void) {
  ENTRY();
  return 0;
}
