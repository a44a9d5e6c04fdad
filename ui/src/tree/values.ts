// Values as they are typed: `500, 2000, 3500`, `0..7`, or both.

/** How many values a text names; none if it is no such text. */
export function countOf(text: string): number {
  let count = 0;
  for (const part of text.split(",").map((one) => one.trim()).filter(Boolean)) {
    const range = /^(-?\d+)\s*\.\.\s*(-?\d+)$/.exec(part);
    if (range) {
      count += Math.max(0, Number(range[2]) - Number(range[1]) + 1);
    } else if (/^-?[\d.]+$|^0x[\da-f]+$|^\w+$/i.test(part)) {
      count++;
    } else {
      return 0;
    }
  }
  return count;
}
