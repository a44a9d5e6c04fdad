// A canvas's pen that writes SVG: what is drawn on the page and what is exported is drawn by the same hand.
import type { Pen } from "./drawing";

const ANCHORS: Partial<Record<CanvasTextAlign, string>> = { center: "middle", right: "end" };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter] ?? letter);
}

/** What `save` keeps. */
interface Kept {
  globalAlpha: number;
  clipped: string;
}

export class VectorPen implements Pen {
  fillStyle: Pen["fillStyle"] = "#000";
  strokeStyle: Pen["strokeStyle"] = "#000";
  lineWidth = 1;
  lineCap: CanvasLineCap = "butt";
  font = "11px sans-serif";
  textAlign: CanvasTextAlign = "left";
  textBaseline: CanvasTextBaseline = "alphabetic";
  globalAlpha = 1;
  readonly canvas: { width: number; height: number };
  private readonly parts: string[] = [];
  private readonly clips: string[] = [];
  private readonly kept: Kept[] = [];
  private readonly scale = new OffscreenCanvas(1, 1).getContext("2d");
  private path = "";
  private dash: number[] = [];
  private clipped = "";

  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly ground: string,
  ) {
    const ratio = window.devicePixelRatio || 1;
    this.canvas = { width: width * ratio, height: height * ratio };
  }

  beginPath(): void {
    this.path = "";
  }

  moveTo(x: number, y: number): void {
    this.path += `M${short(x)} ${short(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.path += `${this.path === "" ? "M" : "L"}${short(x)} ${short(y)}`;
  }

  quadraticCurveTo(atX: number, atY: number, x: number, y: number): void {
    this.path += `Q${short(atX)} ${short(atY)} ${short(x)} ${short(y)}`;
  }

  bezierCurveTo(fromX: number, fromY: number, toX: number, toY: number, x: number, y: number): void {
    this.path += `C${short(fromX)} ${short(fromY)} ${short(toX)} ${short(toY)} ${short(x)} ${short(y)}`;
  }

  /** An arc from one angle to another; a whole turn is two halves. */
  arc(x: number, y: number, radius: number, from: number, to: number): void {
    this.ellipse(x, y, radius, radius, 0, from, to);
  }

  ellipse(x: number, y: number, wide: number, tall: number, _turn: number, from: number, to: number): void {
    const at = (angle: number): string => `${short(x + wide * Math.cos(angle))} ${short(y + tall * Math.sin(angle))}`;
    const half = (from + to) / 2;
    const by = `A${short(wide)} ${short(tall)} 0 0 1 `;
    this.path += `${this.path === "" ? "M" : "L"}${at(from)}${by}${at(half)}${by}${at(to)}`;
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.path += `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`;
  }

  roundRect(x: number, y: number, width: number, height: number, radii?: number | DOMPointInit | Iterable<number | DOMPointInit>): void {
    const r = Math.max(0, Math.min(typeof radii === "number" ? radii : 0, width / 2, height / 2));
    const corner = (dx: number, dy: number): string => `a${short(r)} ${short(r)} 0 0 1 ${short(dx)} ${short(dy)}`;
    this.path += `M${short(x + r)} ${short(y)}h${short(width - 2 * r)}${corner(r, r)}v${short(height - 2 * r)}${corner(-r, r)}h${short(2 * r - width)}${corner(-r, -r)}v${short(2 * r - height)}${corner(r, -r)}z`;
  }

  closePath(): void {
    this.path += "z";
  }

  fill(): void {
    this.put(`<path d="${this.path}" fill="${String(this.fillStyle)}"/>`);
  }

  stroke(): void {
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    const cap = this.lineCap === "butt" ? "" : ` stroke-linecap="${this.lineCap}"`;
    this.put(`<path d="${this.path}" fill="none" stroke="${String(this.strokeStyle)}" stroke-width="${this.lineWidth}"${dash}${cap}/>`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.put(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${String(this.fillStyle)}"/>`);
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.put(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="none" stroke="${String(this.strokeStyle)}"/>`);
  }

  fillText(text: string, x: number, y: number): void {
    const anchor = ANCHORS[this.textAlign];
    const base = this.textBaseline === "middle" ? ` dominant-baseline="central"` : "";
    this.put(`<text x="${short(x)}" y="${short(y)}" style="font:${escaped(this.font)}" fill="${String(this.fillStyle)}"${anchor ? ` text-anchor="${anchor}"` : ""}${base}>${escaped(text)}</text>`);
  }

  measureText(text: string): TextMetrics {
    if (!this.scale) {
      throw new Error("this browser measures no text: export from another one");
    }
    this.scale.font = this.font;
    return this.scale.measureText(text);
  }

  setLineDash(dash: number[]): void {
    this.dash = dash;
  }

  clip(): void {
    this.clipped = `c${this.clips.length}`;
    this.clips.push(`<clipPath id="${this.clipped}"><path d="${this.path}"/></clipPath>`);
  }

  save(): void {
    this.kept.push({ globalAlpha: this.globalAlpha, clipped: this.clipped });
  }

  restore(): void {
    const { globalAlpha, clipped } = this.kept.pop() ?? { globalAlpha: 1, clipped: "" };
    this.globalAlpha = globalAlpha;
    this.clipped = clipped;
  }

  /** Begins on a clean sheet, as large as was said. */
  clearRect(): void {
    this.parts.length = 0;
  }

  setTransform(): void {
    // The page's pixels are the picture's own.
  }

  drawImage(): void {
    // Pictures of displays are left out: they are as large as all the rest.
  }

  private put(element: string): void {
    const alpha = this.globalAlpha === 1 ? "" : ` opacity="${this.globalAlpha}"`;
    const clip = this.clipped === "" ? "" : ` clip-path="url(#${this.clipped})"`;
    this.parts.push(alpha + clip === "" ? element : `<g${alpha}${clip}>${element}</g>`);
  }

  /** The picture. */
  toString(): string {
    const size = `viewBox="0 0 ${short(this.width)} ${short(this.height)}" width="${short(this.width)}" height="${short(this.height)}"`;
    const defs = this.clips.length > 0 ? `<defs>${this.clips.join("")}</defs>` : "";
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${defs}<rect width="100%" height="100%" fill="${this.ground}"/>${this.parts.join("\n")}</svg>\n`;
  }
}

function short(number: number): string {
  return String(Math.round(number * 100) / 100);
}
