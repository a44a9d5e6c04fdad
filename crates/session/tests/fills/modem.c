// A program that reads lines from a modem and copies the number of the last one to a buffer that is too small.
//
// clang-14 --target=wasm32 -O1 -g -nostdlib -fuse-ld=lld-14 -Wl,--no-entry -Wl,--export=main -Wl,--export-memory \
//   -Wl,-z,stack-size=4096 -Wl,--initial-memory=65536 modem.c -o modem.wasm
__attribute__((import_module("env"), import_name("uart_read"))) int uart_read(char *buffer, int room);
__attribute__((import_module("env"), import_name("print_string"))) void print_string(const char *text, int length);
__attribute__((import_module("env"), import_name("print_int"))) void print_int(int number);

static char line[16];
static int lines;
static int sum;

int main(void) {
  for (;;) {
    int length = uart_read(line, sizeof line);
    if (length <= 0)
      break;
    lines++;
    print_string(line, length);
    for (int i = 0; i < length; i++)
      if (line[i] >= '0' && line[i] <= '9')
        sum += line[i] - '0';
    if (length == 16)
      __builtin_trap();
  }
  print_int(sum);
  return lines;
}
