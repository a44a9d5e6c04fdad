// What the start page says of the examples beside their names: a sentence, their language, a picture.
const PICTURES = import.meta.glob<string>("./pictures/*.svg", { query: "?raw", import: "default", eager: true });

export interface Example {
  title: string;
  language: string;
  about: string;
}

export const EXAMPLES: Record<string, Example> = {
  "color-dial": { title: "Color dial", language: "AssemblyScript · 3 clicks", about: "A needle turns to the colour that a sensor sees. One colour has no field." },
  "temperature-monitor": { title: "Temperature monitor", language: "AssemblyScript · 4 min", about: "Orange, although it is much too hot for that. Only now and then." },
  "smart-curtain": { title: "Smart curtain", language: "C, optimised · 5 min", about: "It starts to move and turns back at once. Two inputs at the same time." },
  "uart-parser": { title: "UART parser", language: "C · 3 min", about: "A frame one byte too long opens the relay. Who wrote that value?" },
  "binary-counter": { title: "Binary counter", language: "AssemblyScript · 4 min", about: "A button counts twice, if pressed between two instructions." },
  blink: { title: "Blink", language: "Rust · 2 min", about: "An LED, a button and a Rust enum; one way leads to a trap." },
  breakout: { title: "Breakout", language: "AssemblyScript · 3 min", about: "A game on a display, forwards and backwards." },
  "gesture-robot": { title: "Gesture robot", language: "AssemblyScript · 3 min", about: "Asks one question too often: 31 ways where 5 would do." },
  "math-actor": { title: "Math actor", language: "AmbientTalk · 2 min", about: "Two clients, one actor. Client 1 asks for 24 and sometimes prints 66." },
  philosophers: { title: "Philosophers", language: "μOz · 1 min", about: "Each takes the first fork. Then all wait for each other." },
  purchase: { title: "A purchase", language: "μOz · 4 min", about: "Accepted, though the credit is short: in which of all interleavings?" },
  "two-boards": { title: "Two boards", language: "C · 3 min", about: "A lost answer, and a command is carried out twice." },
  deadlock: { title: "A deadlock", language: "μOz", about: "One message, wanted twice. Who takes it first?" },
  "order-violation": { title: "An order violation", language: "μOz", about: "Two senders that nothing orders." },
  "atomicity-violation": { title: "An atomicity violation", language: "μOz", about: "A send and a receive that are not one step." },
  "save-notes": { title: "Save notes", language: "C, WASI", about: "A full disk, and notes that are lost." },
  ledger: { title: "Ledger", language: "Rust, WASI", about: "A file that is gone before the new one is written." },
  records: { title: "Records", language: "C, WASI", about: "A name longer than its room, among all inputs of six bytes." },
  lease: { title: "Lease", language: "C, WASI", about: "A clock that is read twice." },
  calculator: { title: "Calculator", language: "C, WASI", about: "A library remembers what it should not." },
  "light-sensor": { title: "Light sensor", language: "AssemblyScript", about: "An output that feeds back into an input; going back undoes it." },
  "knock-lock": { title: "Knock lock", language: "AssemblyScript", about: "Three knocks open it, even a week apart." },
  knock: { title: "Knock", language: "AssemblyScript", about: "One reading, two ways." },
  keyboard: { title: "Keyboard", language: "AssemblyScript", about: "Two keys at once play a note that neither has." },
  "love-o-meter": { title: "Love-o-meter", language: "AssemblyScript", about: "Two degrees are 25 readings wide: noise switches an LED." },
  "switch-case": { title: "Switch case", language: "AssemblyScript", about: "A fifth case that nobody wrote." },
  "touch-sensor-lamp": { title: "Touch sensor lamp", language: "AssemblyScript", about: "A touch is a range of readings." },
  while: { title: "While", language: "AssemblyScript", about: "A division by zero that one early press leads to." },
  "while-no-calibrate": { title: "While, uncalibrated", language: "AssemblyScript", about: "The same loop without its calibration." },
  zoetrope: { title: "Zoetrope", language: "AssemblyScript", about: "A switch that matters rounds later." },
  "crystal-ball": { title: "Crystal ball", language: "AssemblyScript", about: "Eight answers, each a way of its own." },
  choices: { title: "Choices", language: "λ amb · 1 min", about: "Two choices, four ways, three sums. Where do two ways meet?" },
};

/** The picture of an example, as text of SVG that is ours. */
export function pictureOf(name: string): string | null {
  return PICTURES[`./pictures/${name}.svg`] ?? null;
}
