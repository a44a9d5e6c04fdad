// A motor board: every command that comes turns the motor once, and is acknowledged.
#include "../wiring/wiring.h"

// Not primitives that Borges knows: board.toml declares them.
PRIMITIVE(uart_send) void uart_send(i32 port, i32 byte);
PRIMITIVE(uart_read) i32 uart_read(i32 port);  // -1 if no byte has come yet

enum { PORT = 1, TURN = 'T', ACK = 'A' };

i32 turns;

ENTRY void program(void) {
  for (;;) {
    if (uart_read(PORT) == TURN) {
      turns += 1;
      drive_motor_degrees(0, 5000, 90);
      uart_send(PORT, ACK);
    } else {
      chip_delay(10);
    }
  }
}
