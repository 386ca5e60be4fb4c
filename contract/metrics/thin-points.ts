/**
 * Which of many points are left when there is room for few: of every stretch the lowest and the highest, in their order,
 * so that peaks stay. Gaps stay too, one for each stretch. The first and the last point are always left.
 */
export function thinnedPlaces(values: readonly (number | null)[], most: number): number[] {
  if (values.length <= most) return Array.from(values.keys());
  const last = values.length - 1;
  const stretches = Math.max(1, Math.floor((most - 2) / 3));
  const places = [0];
  for (let at = 0; at < stretches; at++) {
    const from = 1 + Math.floor((at * (last - 1)) / stretches);
    const to = 1 + Math.floor(((at + 1) * (last - 1)) / stretches);
    places.push(...extremes(values, from, to));
  }
  places.push(last);
  return places;
}

function extremes(values: readonly (number | null)[], from: number, to: number): number[] {
  let lowest = -1;
  let highest = -1;
  let gap = -1;
  for (let at = from; at < to; at++) {
    const value = values[at] ?? null;
    if (value === null) {
      gap = at;
      continue;
    }
    if (lowest < 0 || value < (values[lowest] ?? 0)) lowest = at;
    if (highest < 0 || value > (values[highest] ?? 0)) highest = at;
  }
  return [...new Set([lowest, highest, gap])].filter((at) => at >= 0).toSorted((one, other) => one - other);
}
