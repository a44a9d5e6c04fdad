// What readings and pins look like.
import type { BoardView, PinView } from "../wire/types";

const COLOURS: [string, string][] = [
  ["none", "transparent"],
  ["black", "#15171b"],
  ["blue", "#2d6cdf"],
  ["green", "#2fa84f"],
  ["yellow", "#f2c118"],
  ["red", "#d7322e"],
  ["white", "#f4f6f8"],
  ["brown", "#8a5a33"],
];

/** What a board is called; the one of programs without a board file is called nothing in particular. */
export function nameOf(board: BoardView | null): string {
  return board && board.name !== "default" ? board.name : "Board";
}

/** The name of a colour as LEGO's sensor counts them. */
export function colourName(reading: number): string {
  return COLOURS[reading]?.[0] ?? String(reading);
}

export function cssColour(reading: number | null): string {
  return reading === null ? "transparent" : (COLOURS[reading]?.[1] ?? "transparent");
}

/** Whether a pin is best drawn as a lamp. */
export function isLed(pin: PinView): boolean {
  return pin.label ? /\bleds?\b|lamp|light|bulb/i.test(pin.label) : pin.mode === "output" || pin.written;
}

const LEDS: Record<string, string> = {
  red: "#e5383b",
  green: "#2fb344",
  blue: "#2d7ff9",
  yellow: "#f5b700",
  white: "#dfe6ee",
  orange: "#f77f00",
};

/** The colour that a label names, or the usual red. */
export function ledColour(pin: PinView): string {
  const named = /red|green|blue|yellow|white|orange/i.exec(pin.label ?? "");
  return LEDS[named?.[0].toLowerCase() ?? "red"] ?? "";
}

/** The pixels of a display as bytes of red, green, blue and opacity. */
export function pixels(runs: [number, number][], count: number): Uint8ClampedArray<ArrayBuffer> {
  const bytes = new Uint8ClampedArray(count * 4);
  let at = 0;
  for (const [length, colour] of runs) {
    const end = Math.min(at + length, count);
    for (; at < end; at++) {
      bytes[at * 4] = colour >> 16;
      bytes[at * 4 + 1] = (colour >> 8) & 255;
      bytes[at * 4 + 2] = colour & 255;
      bytes[at * 4 + 3] = 255;
    }
  }
  return bytes;
}
