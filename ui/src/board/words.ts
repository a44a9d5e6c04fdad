// What calls and readings are called, and what colours they have.
import { colourName, cssColour } from "./parts";

export interface Worded {
  text: string;
  /** The colour of a card that a sensor saw. */
  swatch: string | null;
}

/** Whether a call reads a sensor of colours: cards 0 to 7. */
export function readsColours(call: string): boolean {
  return /read_uart_sensor/.test(call);
}

/** A reading as a person says it: `7 brown`, `HIGH`. */
export function worded(call: string, value: string | null): Worded {
  if (value === null) {
    return { text: "", swatch: null };
  }
  if (readsColours(call) && /^[0-7]$/.test(value)) {
    return { text: `${value} ${colourName(Number(value))}`, swatch: cssColour(Number(value)) };
  }
  if (/digital_read/.test(call) && /^[01]$/.test(value)) {
    return { text: value === "1" ? "1 high" : "0 low", swatch: null };
  }
  return { text: value, swatch: null };
}
