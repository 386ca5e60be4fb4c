/** The fields of `from` that `like` has. */
export function pickFields<Fields extends object>(from: Fields, like: Partial<Fields>): Partial<Fields> {
  const picked: Partial<Fields> = {};
  for (const field in like) if (Object.hasOwn(like, field)) picked[field] = from[field];
  return picked;
}
