const families: readonly (readonly string[])[] = [
  ["int", "integer", "float", "double", "number"],
  ["str", "string", "text"],
  ["bool", "boolean"],
  ["list", "array"],
  ["dict", "object", "json"],
];

const familyOf = new Map(families.flatMap((family) => family.map((kind) => [kind, family[0] ?? kind] as const)));
const policies = new Set(["compute_policy", "storage_policy"]);

/** Whether a value of one kind may go to a receiver of another kind. `any` fits everything but a policy. */
export function kindsFit(given: string, asked: string): boolean {
  const [from, to] = [given.toLowerCase(), asked.toLowerCase()];
  // Node code cannot use a policy as a value, and no value can replace a policy.
  if (policies.has(from) || policies.has(to)) return from === to;
  if (isAny(from) || isAny(to)) return true;
  return (familyOf.get(from) ?? from) === (familyOf.get(to) ?? to);
}

function isAny(kind: string): boolean {
  return kind === "any" || kind === "";
}
