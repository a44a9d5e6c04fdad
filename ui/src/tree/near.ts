// Where a card stands beside a point of a canvas, so that it does not cover the point and is not cut off.
const GAP = 16;

export function beside(x: number, y: number, card: { width: number; height: number }, room: { width: number; height: number }): string {
  const left = x + GAP + card.width <= room.width ? x + GAP : Math.max(8, Math.min(x - GAP - card.width, room.width - card.width - 8));
  const isBelow = y + GAP + card.height <= room.height;
  const top = isBelow ? y + GAP : Math.max(8, y - GAP - card.height);
  return `left: ${Math.max(8, left)}px; top: ${top}px`;
}
