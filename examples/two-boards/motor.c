// A motor board: every command that comes turns the motor once, and is acknowledged. Where none comes for a while, the
// board turns itself off.
#include "../wiring/wiring.h"

// Not primitives that Borges knows: board.toml declares them.
PRIMITIVE(uart_send) void uart_send(i32 port, i32 byte);
PRIMITIVE(uart_read) i32 uart_read(i32 port);  // -1 if no byte has come yet

enum { PORT = 1, TURN = 'T', ACK = 'A', PATIENCE = 4 };

i32 turns;

ENTRY void program(void) {
  i32 idle = 0;
  while (idle < PATIENCE) {
    if (uart_read(PORT) == TURN) {
      idle = 0;
      turns += 1;
      drive_motor_degrees(0, 5000, 90);
      uart_send(PORT, ACK);
    } else {
      idle += 1;
      chip_delay(10);
    }
  }
}
