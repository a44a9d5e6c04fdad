/// <reference types="vite/client" />
interface Window {
  /** A call to the server, and what it has said so far, until the page's script takes it: see public/early.js. */
  borgesEarly?: { socket: WebSocket; heard: MessageEvent<string | ArrayBuffer>[] } | null;
  /** For tests and benches only. */
  borgesTree?: {
    spot(branch: number, index: number, offset?: number): { x: number; y: number } | null;
    /** How many branches have a place in the picture. */
    drawn(): number;
    /** Middles of the suggested options, and where the needle stands at their ends. */
    suggested(): { x: number; y: number; set: string; end: string; degrees: number | null }[];
    /** What is written where, in pixels of the canvas. */
    labels(): { text: string; left: number; top: number; right: number; bottom: number }[];
    pan(dx: number, dy: number): void;
    fit(): void;
    open(branch: number, index: number, steps: number): void;
    step: number;
  };
  borgesStates?: {
    count(): number;
    pan(dx: number, dy: number): void;
    zoom(factor: number): void;
    fit(): void;
  };
}
