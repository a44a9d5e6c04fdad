// Reads frames from a serial line and switches a relay.
// A frame is: 0x02, length, payload, sum of the payload bytes modulo 256.
// The payload of a command is 'R' and then '0' or '1'.
#include "../wiring/wiring.h"

// Not a primitive that Borges knows: board.toml declares it.
// Gives the next byte, or -1 if none has come yet.
PRIMITIVE(uart_read_byte) i32 uart_read_byte(i32 port);

enum { PORT = 1, RELAY_PIN = 23, START = 0x02, PAYLOAD_MAX = 8 };

enum State { WAIT_START, WAIT_LENGTH, WAIT_PAYLOAD, WAIT_SUM };

struct Parser {
  enum State state;
  u8 length;
  u8 received;
  u8 sum;
  char payload[PAYLOAD_MAX];
  u8 relay;  // what the relay is set to
  u16 frames;
  u16 errors;
};

static struct Parser parser;

static void obey(struct Parser *p) {
  if (p->length == 2 && p->payload[0] == 'R') {
    p->relay = p->payload[1] == '1';
  }
}

static void accept_byte(struct Parser *p, u8 byte) {
  switch (p->state) {
    case WAIT_START:
      if (byte == START) p->state = WAIT_LENGTH;
      break;
    case WAIT_LENGTH:
      p->length = byte;
      p->received = 0;
      p->sum = 0;
      p->state = byte == 0 ? WAIT_SUM : WAIT_PAYLOAD;
      break;
    case WAIT_PAYLOAD:
      p->payload[p->received] = (char)byte;
      p->received += 1;
      p->sum += byte;
      if (p->received == p->length) p->state = WAIT_SUM;
      break;
    case WAIT_SUM:
      if (byte == p->sum) {
        p->frames += 1;
        obey(p);
      } else {
        p->errors += 1;
      }
      p->state = WAIT_START;
      break;
  }
}

ENTRY void run(void) {
  chip_pin_mode(RELAY_PIN, OUTPUT);
  for (;;) {
    i32 byte = uart_read_byte(PORT);
    if (byte < 0) {
      chip_delay(1);
      continue;
    }
    accept_byte(&parser, (u8)byte);
    chip_digital_write(RELAY_PIN, parser.relay != 0);
  }
}
