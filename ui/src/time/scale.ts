// Steps and pixels of the timeline.

export function xAt(step: number, tip: number, width: number): number {
  return tip === 0 ? 0 : (Math.min(step, tip) / tip) * width;
}

export function stepAt(x: number, tip: number, width: number): number {
  return Math.round((Math.min(Math.max(x, 0), width) / Math.max(1, width)) * tip);
}

/** How many entries of each kind fall on each pixel. */
export function density(
  steps: Float64Array,
  kinds: Uint8Array,
  tip: number,
  width: number,
): [Uint32Array, Uint32Array, Uint32Array] {
  const pixels = Math.max(1, Math.ceil(width));
  const lanes: [Uint32Array, Uint32Array, Uint32Array] = [
    new Uint32Array(pixels),
    new Uint32Array(pixels),
    new Uint32Array(pixels),
  ];
  for (let n = 0; n < steps.length; n++) {
    const lane = lanes[(kinds[n] ?? 0) as 0 | 1 | 2];
    const x = Math.min(pixels - 1, Math.floor(xAt(steps[n] ?? 0, tip, width)));
    lane[x] = (lane[x] ?? 0) + 1;
  }
  return lanes;
}
