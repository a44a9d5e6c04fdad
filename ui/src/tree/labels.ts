// Texts in a drawing that must not fall on one another: the more important ones are placed first, and each may say where
// else it could stand. What finds no room is left out. The boxes are kept, so that a test can ask.
import type { Brush } from "../drawing";

export interface Label {
  text: string;
  /** Where its base line is, and which end of it `x` means. */
  x: number;
  y: number;
  align: CanvasTextAlign;
  font: string;
  colour: string;
  /** The lower, the earlier it is placed. */
  rank: number;
  /** Other places for it, as offsets from the first. */
  else?: [number, number][];
  /** A filled ground below it. */
  pill?: { fill: string; edge?: string };
}

export interface Box {
  text: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const HEIGHT = 13;

/** Shortened in the middle: of a name, both ends tell most. */
export function elided(text: string, letters: number): string {
  if (text.length <= letters) {
    return text;
  }
  const kept = Math.max(2, letters - 1);
  const head = Math.ceil(kept * 0.6);
  return `${text.slice(0, head)}…${text.slice(text.length - (kept - head))}`;
}

function meets(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** Writes what has room, and says where. */
export function place(brush: Brush, labels: Label[], taken: Box[] = []): Box[] {
  const { context } = brush;
  const boxes: Box[] = [];
  const blocked = [...taken];
  for (const label of [...labels].sort((a, b) => a.rank - b.rank)) {
    context.font = label.font;
    const padding = label.pill ? 7 : 1;
    const width = context.measureText(label.text).width;
    for (const [dx, dy] of [[0, 0] as [number, number], ...(label.else ?? [])]) {
      const [x, y] = [label.x + dx, label.y + dy];
      const left = label.align === "center" ? x - width / 2 : label.align === "right" ? x - width : x;
      const box = { text: label.text, left: left - padding, right: left + width + padding, top: y - HEIGHT + 2, bottom: y + 4 };
      if (box.right > brush.width + 200 || blocked.some((other) => meets(box, other))) {
        continue;
      }
      if (label.pill) {
        context.beginPath();
        context.roundRect(box.left, box.top - 2, box.right - box.left, box.bottom - box.top + 3, 9);
        brush.fill(label.pill.fill);
        if (label.pill.edge) brush.stroke(label.pill.edge, 1);
      }
      brush.write(label.text, left, y, label.colour, label.font);
      boxes.push(box);
      blocked.push(box);
      break;
    }
  }
  return boxes;
}
