// A ball, a paddle, a joystick, and an ST7735 display over SPI.
import { analogRead, delay, digitalWrite, pinMode, spiBegin, writeSpiByte, writeSpiWords, HIGH, LOW, OUTPUT } from "../wiring/wiring";

const JOYSTICK: i32 = 34;
const DATA: i32 = 27; // high: data, low: a command
const WIDTH: i32 = 128;
const HEIGHT: i32 = 160;
const PADDLE_WIDTH: i32 = 24;
const PADDLE_Y: i32 = 150;
const BALL_SIZE: i32 = 4;
const BLACK: i32 = 0;
const WHITE: i32 = 0xffff;

let paddle: i32 = 52;
let x: i32 = 40;
let y: i32 = 20;
let dx: i32 = 2;
let dy: i32 = 3;
let missed: i32 = 0;

function command(byte: i32): void {
  digitalWrite(DATA, LOW);
  writeSpiByte(byte);
  digitalWrite(DATA, HIGH);
}

function window(start: i32, size: i32): void {
  const end = start + size - 1;
  writeSpiByte(0);
  writeSpiByte(start);
  writeSpiByte(0);
  writeSpiByte(end);
}

function rectangle(left: i32, top: i32, width: i32, height: i32, colour: i32): void {
  command(0x2a);
  window(left, width);
  command(0x2b);
  window(top, height);
  command(0x2c);
  writeSpiWords(width * height, colour);
}

function movePaddle(): void {
  const stick = analogRead(JOYSTICK);
  if (stick < 1000) {
    rectangle(paddle + PADDLE_WIDTH - 2, PADDLE_Y, 2, 4, BLACK);
    paddle = max(paddle - 2, 0);
  } else if (stick > 3000) {
    rectangle(paddle, PADDLE_Y, 2, 4, BLACK);
    paddle = min(paddle + 2, WIDTH - PADDLE_WIDTH);
  }
  rectangle(paddle, PADDLE_Y, PADDLE_WIDTH, 4, WHITE);
}

function moveBall(): void {
  rectangle(x, y, BALL_SIZE, BALL_SIZE, BLACK);
  x += dx;
  y += dy;
  if (x <= 0 || x >= WIDTH - BALL_SIZE) dx = -dx;
  if (y <= 0) dy = -dy;
  if (y >= PADDLE_Y - BALL_SIZE && dy > 0) {
    if (x + BALL_SIZE < paddle || x > paddle + PADDLE_WIDTH) missed += 1;
    dy = -dy;
  }
  rectangle(x, y, BALL_SIZE, BALL_SIZE, WHITE);
}

export function main(): void {
  pinMode(DATA, OUTPUT);
  spiBegin();
  command(0x11);
  // Sixteen bits a pixel: after a reset the controller takes eighteen.
  command(0x3a);
  writeSpiByte(0x05);
  command(0x29);
  rectangle(0, 0, WIDTH, HEIGHT, BLACK);
  while (true) {
    movePaddle();
    moveBall();
    delay(10);
  }
}
