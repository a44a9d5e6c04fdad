// The board as a picture of forty pixels: what it does that one would see from afar.
import type { Brush } from "../drawing";
import type { BoardView } from "../wire/types";
import { isLed, ledColour, pixels } from "./parts";

/** Draws a board around a point, so that it fits in a circle of `radius`. */
export function thumb(brush: Brush, board: BoardView, x: number, y: number, radius: number, colour: string): void {
  const [motor] = board.motors;
  const lamps = board.pins.filter(isLed);
  if (board.display && board.display.width > 0) {
    screen(brush, board.display, x, y, radius);
  } else if (motor) {
    dial(brush, motor.degrees, x, y, radius, colour);
  } else if (board.strip) {
    const shown = board.strip.shown.slice(0, 8);
    shown.forEach((pixel, n) => {
      brush.square(x + (n - (shown.length - 1) / 2) * 7, y, 2.8).fill(`#${pixel.toString(16).padStart(6, "0")}`);
    });
  } else {
    const shown = lamps.slice(0, 4);
    shown.forEach((pin, n) => {
      const bright = pin.duty ?? (pin.high ? 1 : 0);
      const at = x + (n - (shown.length - 1) / 2) * Math.min(13, (2 * radius) / Math.max(1, shown.length));
      brush.context.globalAlpha = bright > 0 ? 0.35 + bright * 0.65 : 1;
      brush.disc(at, y, Math.min(4.6, radius * 0.4)).fill(bright > 0 ? ledColour(pin) : brush.palette.part);
      brush.context.globalAlpha = 1;
      brush.stroke(brush.palette["part-line"], 1);
    });
  }
}

function dial(brush: Brush, degrees: number, x: number, y: number, radius: number, colour: string): void {
  const { palette } = brush;
  brush.disc(x, y, radius).fill(palette.part).stroke(colour === palette.ink ? palette["part-line"] : colour, colour === palette.ink ? 1 : 1.8);
  const turn = ((degrees - 90) * Math.PI) / 180;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const [tip, back, side] = [radius * 0.78, radius * 0.22, radius * 0.13];
  brush.line(x + cos * tip, y + sin * tip, x - sin * side, y + cos * side, x - cos * back, y - sin * back, x + sin * side, y - cos * side);
  brush.context.closePath();
  brush.fill(colour).disc(x, y, radius * 0.13).fill(palette.part).stroke(colour, 1.1);
}

const kept = new WeakMap<object, OffscreenCanvas>();

function screen(brush: Brush, display: NonNullable<BoardView["display"]>, x: number, y: number, radius: number): void {
  let picture = kept.get(display);
  if (!picture) {
    picture = new OffscreenCanvas(display.width, display.height);
    const data = pixels(display.runs, display.width * display.height);
    picture.getContext("2d")?.putImageData(new ImageData(data, display.width, display.height), 0, 0);
    kept.set(display, picture);
  }
  const tall = radius * 2;
  const wide = (tall * display.width) / display.height;
  brush.context.drawImage(picture, x - wide / 2, y - radius, wide, tall);
  brush.context.strokeStyle = brush.palette["part-line"];
  brush.context.strokeRect(x - wide / 2, y - radius, wide, tall);
}

const STILL = { motor: 0, speed: 0, degrees: 0, needle: "" };

/** A board with a motor, where others like it have one: one that has not moved stands at 0. */
export function withDial(board: BoardView): BoardView {
  return board.motors.length > 0 ? board : { ...board, motors: [STILL] };
}

/** Whether there is anything to see. */
export function hasPicture(board: BoardView): boolean {
  return board.motors.length > 0 || board.pins.some(isLed) || board.strip != null || (board.display?.width ?? 0) > 0;
}
