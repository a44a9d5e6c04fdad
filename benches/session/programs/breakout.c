/* Breakout on the display: two buttons, a bat, a ball, bricks. `main` plays `frames` frames. */
#define PRIMITIVE(name) __attribute__((import_module("env"), import_name(#name)))
PRIMITIVE(chip_digital_read) int chip_digital_read(int pin);
PRIMITIVE(chip_pin_mode) void chip_pin_mode(int pin, int mode);
PRIMITIVE(chip_delay) void chip_delay(int ms);
PRIMITIVE(display_setup) void display_setup(void);
PRIMITIVE(display_fill_rect) void display_fill_rect(int x, int y, int w, int h, int colour);

enum { LEFT = 14, RIGHT = 15, COLUMNS = 8, ROWS = 6, WIDTH = 128, HEIGHT = 160, BAT = 28 };

static unsigned char bricks[ROWS][COLUMNS];
static int ball_x, ball_y, speed_x, speed_y, bat, score;

static void fill_wall(void) {
  for (int row = 0; row < ROWS; row++) {
    for (int column = 0; column < COLUMNS; column++) {
      bricks[row][column] = 1;
      display_fill_rect(column * 16, 10 + row * 8, 15, 7, 0xf800 >> row);
    }
  }
}

static int left_in_wall(void) {
  int left = 0;
  for (int row = 0; row < ROWS; row++) {
    for (int column = 0; column < COLUMNS; column++) left += bricks[row][column];
  }
  return left;
}

static void move_bat(void) {
  int before = bat;
  if (chip_digital_read(LEFT)) bat -= 3;
  if (chip_digital_read(RIGHT)) bat += 3;
  if (bat < 0) bat = 0;
  if (bat > WIDTH - BAT) bat = WIDTH - BAT;
  if (bat != before) {
    display_fill_rect(before, 150, BAT, 4, 0);
    display_fill_rect(bat, 150, BAT, 4, 0x07e0);
  }
}

static void move_ball(void) {
  display_fill_rect(ball_x, ball_y, 4, 4, 0);
  ball_x += speed_x;
  ball_y += speed_y;
  if (ball_x <= 0 || ball_x >= WIDTH - 4) speed_x = -speed_x;
  if (ball_y <= 0) speed_y = -speed_y;
  if (ball_y >= HEIGHT - 4) speed_y = -2;
  if (ball_y >= 146 && ball_x + 4 > bat && ball_x < bat + BAT) speed_y = -2;
  for (int row = 0; row < ROWS; row++) {
    for (int column = 0; column < COLUMNS; column++) {
      int x = column * 16, y = 10 + row * 8;
      if (bricks[row][column] && ball_x + 4 > x && ball_x < x + 15 && ball_y + 4 > y && ball_y < y + 7) {
        bricks[row][column] = 0;
        score++;
        speed_y = -speed_y;
        display_fill_rect(x, y, 15, 7, 0);
      }
    }
  }
  display_fill_rect(ball_x, ball_y, 4, 4, 0xffff);
}

__attribute__((export_name("main"))) int play(int frames) {
  chip_pin_mode(LEFT, 0);
  chip_pin_mode(RIGHT, 0);
  display_setup();
  fill_wall();
  ball_x = 60, ball_y = 100, speed_x = 1, speed_y = -2, bat = 50;
  for (int frame = 0; frame < frames; frame++) {
    move_bat();
    move_ball();
    if (!left_in_wall()) fill_wall();
    chip_delay(16);
  }
  return score;
}
