// A remote control: each command asks the motor board for one more turn, and is sent again until that says that it has come.
#include "../wiring/wiring.h"

// Not primitives that Borges knows: board.toml declares them.
PRIMITIVE(uart_send) void uart_send(i32 port, i32 byte);
PRIMITIVE(uart_read) i32 uart_read(i32 port);  // -1 if no byte has come yet

enum { PORT = 1, TURN = 'T', ACK = 'A', COMMANDS = 2, TRIES = 2, LOOKS = 2 };

i32 asked;   // commands so far
i32 failed;  // those that nobody acknowledged

static bool is_acknowledged(void) {
  for (i32 look = 0; look < LOOKS; look++) {
    chip_delay(10);
    if (uart_read(PORT) == ACK) return 1;
  }
  return 0;
}

ENTRY void program(void) {
  while (asked < COMMANDS) {
    asked += 1;
    i32 tries = 0;
    do {
      if (tries++ == TRIES) {
        failed += 1;
        break;
      }
      uart_send(PORT, TURN);
    } while (!is_acknowledged());
  }
}
