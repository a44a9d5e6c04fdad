/* Runs each kernel once in wasm3 and marks beginning and end on the serial line, as src/kernels.rs does. */
#include <stdint.h>

#include "kernels.h"
#include "wasm3.h"

/* The data register of the RP2040's first serial line. */
#define LINE (*(volatile uint32_t *)0x40034000)

static void send_all(const void *bytes, unsigned length) {
  for (unsigned i = 0; i < length; i++) LINE = ((const uint8_t *)bytes)[i];
}

static M3Result run(const uint8_t *bytes, unsigned length) {
  IM3Environment environment = m3_NewEnvironment();
  IM3Runtime runtime = m3_NewRuntime(environment, 16 * 1024, NULL);
  IM3Module module;
  IM3Function function;
  M3Result result = m3_ParseModule(environment, &module, bytes, length);
  if (!result) result = m3_LoadModule(runtime, module);
  if (!result) result = m3_FindFunction(&function, runtime, "run");
  if (result) return result;
  LINE = '(';
  result = m3_CallV(function, 1);
  LINE = ')';
  uint32_t sum = 0;
  if (!result) result = m3_GetResultsV(function, &sum);
  /* It does not count instructions. */
  uint64_t steps = 0;
  LINE = '=';
  send_all(&sum, sizeof sum);
  send_all(&steps, sizeof steps);
  m3_FreeRuntime(runtime);
  m3_FreeEnvironment(environment);
  return result;
}

int main(void) {
  for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
    if (run(kernels[i].bytes, kernels[i].length)) LINE = '!';
  LINE = '.';
  for (;;) {
  }
}

/* The chip's start, as far as this needs it: memory is empty, and nothing of it lies in flash. */
extern uint32_t stack_top[], data_start[], data_end[], data_load[];

static void start(void) {
  for (uint32_t *to = data_start, *from = data_load; to < data_end;) *to++ = *from++;
  main();
}

__attribute__((section(".vectors"), used)) static const void *const vectors[2] = {stack_top, (const void *)start};

/* What the C library asks of a system: memory. */
extern char heap_start[], heap_end[];

void *_sbrk(int length) {
  static char *end;
  if (!end) end = heap_start;
  if (length > heap_end - end) return (void *)-1;
  end += length;
  return end - length;
}
