/** Where the lines of runs go through the axes. A place is null where a run has no value. */
export interface PlacedLine {
  id: string;
  ys: readonly (number | null)[];
}

/** The path of a line. It ends before an axis without a value and begins anew after it. */
export function linePath(xs: readonly number[], { ys }: PlacedLine): string {
  let path = "";
  let isDown = false;
  for (const [at, y] of ys.entries()) {
    if (y === null) {
      isDown = false;
      continue;
    }
    const x = xs[at] ?? 0;
    path += `${isDown ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    // A value between two gaps would be invisible.
    if (!isDown && (ys[at + 1] ?? null) === null) path += "h4";
    isDown = true;
  }
  return path;
}

const beside = 0.08;

/** The line nearest to a point, if one is near. */
export function nearestLine(
  xs: readonly number[],
  lines: readonly PlacedLine[],
  { x, y, reach }: { x: number; y: number; reach: number },
): string | undefined {
  const after = xs.findIndex((one) => one >= x);
  const right = after < 0 ? xs.length - 1 : Math.max(1, after);
  const [from, to] = [xs[right - 1] ?? 0, xs[right] ?? 0];
  const share = to === from ? 0 : Math.min(1, Math.max(0, (x - from) / (to - from)));
  let [found, best]: [string | undefined, number] = [undefined, reach];
  for (const { id, ys } of lines) {
    const [start, end] = [ys[right - 1] ?? null, ys[right] ?? null];
    // Close to an axis, one value is enough.
    const alone = share <= beside ? start : share >= 1 - beside ? end : null;
    const at = start !== null && end !== null ? start + (end - start) * share : alone;
    if (at === null || Math.abs(at - y) >= best) continue;
    [found, best] = [id, Math.abs(at - y)];
  }
  return found;
}
