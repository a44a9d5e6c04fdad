/* Runs each kernel once in wasm3 and says what src/kernels.rs says, on the same chips: see src/emulated.rs. */
#include <stdint.h>

#include "kernels.h"
#include "wasm3.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

static void send_all(const void *bytes, unsigned length);

#ifdef __ARM_FP /* The STM32F405 in QEMU */
#define LINE REGISTER(0x40011004)
#define CLOCK REGISTER(0x40000024)

static uint32_t counted;

static void begin(void) { counted = CLOCK; }

static void end(void) { counted = CLOCK - counted; }

static void send_counted(void) { send_all(&counted, sizeof counted); }

static void turn_on(void) {
  /* The floating-point unit, as cortex-m-rt does. */
  REGISTER(0xe000ed88) |= 0xf00000;
  __asm__ volatile("dsb\nisb");
}

static void rest(void) {
  register uint32_t exit __asm__("r0") = 0x18, ordinary __asm__("r1") = 0x20026;
  __asm__ volatile("bkpt 0xab" : : "r"(exit), "r"(ordinary));
}
#else /* The RP2040 in rp2040js */
#define LINE REGISTER(0x40034000)

static void begin(void) { LINE = '('; }

static void end(void) { LINE = ')'; }

static void send_counted(void) {}

static void turn_on(void) {}

static void rest(void) {
  for (;;) {
  }
}
#endif

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
  begin();
  result = m3_CallV(function, 1);
  end();
  uint32_t sum = 0;
  if (!result) result = m3_GetResultsV(function, &sum);
  /* It does not count instructions. */
  uint64_t steps = 0;
  LINE = '=';
  send_all(&sum, sizeof sum);
  send_all(&steps, sizeof steps);
  send_counted();
  m3_FreeRuntime(runtime);
  m3_FreeEnvironment(environment);
  return result;
}

int main(void) {
  turn_on();
  for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
    if (run(kernels[i].bytes, kernels[i].length)) LINE = '!';
  LINE = '.';
  rest();
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
