// What all pictures on canvases are drawn with.
import type { Palette } from "./state/theme.svelte";

/** What is drawn with: a canvas's context, or one that writes SVG. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | "arc" | "beginPath" | "bezierCurveTo" | "clearRect" | "clip" | "closePath" | "drawImage" | "ellipse" | "fill" | "fillRect" | "fillStyle" | "fillText" | "font"
  | "globalAlpha" | "lineCap" | "lineTo" | "lineWidth" | "measureText" | "moveTo" | "quadraticCurveTo" | "rect" | "restore" | "roundRect" | "save" | "setLineDash"
  | "setTransform" | "stroke" | "strokeRect" | "strokeStyle" | "textAlign" | "textBaseline"
> & { readonly canvas: { readonly width: number; readonly height: number } };

/** Draws on a canvas in pixels of the page: a path is begun by its shape, then filled, stroked or both. */
export class Brush {
  readonly width: number;
  readonly height: number;

  /** Begins a picture: the canvas is cleared. */
  constructor(
    readonly context: Pen,
    readonly palette: Palette,
  ) {
    const ratio = window.devicePixelRatio || 1;
    this.width = context.canvas.width / ratio;
    this.height = context.canvas.height / ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
  }

  /** A line through points, given as x, y, x, y. */
  line(...points: number[]): this {
    this.context.beginPath();
    for (let n = 0; n < points.length; n += 2) {
      this.context.lineTo(points[n] ?? 0, points[n + 1] ?? 0);
    }
    return this;
  }

  disc(x: number, y: number, radius: number): this {
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
    return this;
  }

  /** A square with sides of twice `half`. */
  square(x: number, y: number, half: number): this {
    this.context.beginPath();
    this.context.rect(x - half, y - half, 2 * half, 2 * half);
    return this;
  }

  /** A regular polygon, its first corner `turned` from the right. */
  polygon(x: number, y: number, radius: number, corners: number, turned = 0): this {
    this.context.beginPath();
    for (let corner = 0; corner < corners; corner++) {
      const angle = turned + (corner * 2 * Math.PI) / corners;
      this.context.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
    }
    this.context.closePath();
    return this;
  }

  fill(colour: string): this {
    this.context.fillStyle = colour;
    this.context.fill();
    return this;
  }

  stroke(colour: string, width: number, dash: number[] = []): this {
    this.context.strokeStyle = colour;
    this.context.lineWidth = width;
    this.context.setLineDash(dash);
    this.context.stroke();
    return this;
  }

  write(text: string, x: number, y: number, colour: string, font: string, align: CanvasTextAlign = "left"): void {
    this.context.font = font;
    this.context.fillStyle = colour;
    this.context.textAlign = align;
    this.context.fillText(text, x, y);
  }
}
