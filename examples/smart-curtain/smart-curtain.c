// A curtain that closes when the sun is bright and opens when it is dim.
// A button moves it by hand; the light is then ignored for some rounds.
#include "../wiring/wiring.h"

enum { LIGHT_PIN = 34, BUTTON_PIN = 14, MOTOR = 0 };
enum { BRIGHT = 3000, DIM = 1000 };
enum { HOLD_ROUNDS = 10, SPEED = 8000, TRAVEL_DEGREES = 720 };

enum Position { OPEN, CLOSED };

struct Curtain {
  enum Position position;
  u32 hold;  // rounds for which the light is still ignored
  u32 moves;
};

static struct Curtain curtain = {OPEN, 0, 0};

NOINLINE static void move_to(struct Curtain *c, enum Position target) {
  if (c->position == target) return;
  i32 degrees = target == CLOSED ? TRAVEL_DEGREES : -TRAVEL_DEGREES;
  drive_motor_degrees(MOTOR, SPEED, degrees);
  c->position = target;
  c->moves += 1;
}

static void follow_light(struct Curtain *c) {
  i32 light = chip_analog_read(LIGHT_PIN);
  if (light > BRIGHT) {
    move_to(c, CLOSED);
  } else if (light < DIM) {
    move_to(c, OPEN);
  }
}

static void one_round(struct Curtain *c) {
  bool automatic = c->hold == 0;
  if (c->hold > 0) c->hold -= 1;
  if (chip_digital_read(BUTTON_PIN) == HIGH) {
    move_to(c, c->position == OPEN ? CLOSED : OPEN);
    c->hold = HOLD_ROUNDS;
  }
  if (automatic) {
    follow_light(c);
  }
}

ENTRY void run(void) {
  chip_pin_mode(BUTTON_PIN, INPUT);
  for (;;) {
    one_round(&curtain);
    chip_delay(200);
  }
}
