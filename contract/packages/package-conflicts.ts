/** Two wishes for one package that no version fulfils. */
export interface PackageConflict {
  wanted: string;
  present: string;
}

interface Requirement {
  name: string;
  /** Undefined when it cannot be read, so that nothing is said about it. */
  clauses: { sign: string; version: number[]; any: boolean }[] | undefined;
}

/**
 * The packages of which two codes want versions that exclude each other, as far as their numbers say so. The installer
 * has the last word: it also knows what packages want of each other.
 */
export function packageConflicts(wanted: readonly string[], present: readonly string[]): PackageConflict[] {
  return wanted.flatMap((one) =>
    present
      .filter((other) => excludeEachOther(read(one), read(other)))
      .map((other) => ({ wanted: one, present: other })),
  );
}

function read(requirement: string): Requirement {
  const [plain = ""] = requirement.split(";");
  const [, name = "", rest = ""] = /^\s*([A-Za-z0-9._-]+?)\s*(?:\[[^\]]*\])?\s*([=<>!~].*)?$/.exec(plain) ?? [];
  const clauses = rest === "" ? [] : rest.split(",").map(readClause);
  return {
    name: name.toLowerCase().replaceAll(/[-_.]+/g, "-"),
    clauses: clauses.every((clause) => clause !== undefined) ? clauses : undefined,
  };
}

function readClause(text: string) {
  const [, sign = "", version = "", star] = /^\s*(===?|~=|!=|<=|>=|<|>)\s*(\d+(?:\.\d+)*)(\.\*)?\s*$/.exec(text) ?? [];
  return sign === "" ? undefined : { sign, version: version.split(".").map(Number), any: star !== undefined };
}

function excludeEachOther(one: Requirement, other: Requirement): boolean {
  if (one.name === "" || one.name !== other.name || !one.clauses || !other.clauses) return false;
  const clauses = [...one.clauses, ...other.clauses];
  // A range that both allow contains one of its own ends, or something just beside it.
  const tried = clauses.flatMap(({ version }) => [version, [...version, 0, 1], before(version)]);
  return tried.length > 0 && !tried.some((version) => clauses.every((clause) => allows(clause, version)));
}

/** A version just below. */
function before(version: readonly number[]): number[] {
  const at = version.findLastIndex((part) => part > 0);
  return at === -1 ? [0] : [...version.slice(0, at), (version[at] ?? 1) - 1, 999_999];
}

type Clause = NonNullable<Requirement["clauses"]>[number];

function allows({ sign, version, any }: Clause, tried: readonly number[]): boolean {
  const isWithin = compare(tried.slice(0, version.length), version) === 0;
  switch (sign) {
    case "==":
    case "===":
      return any ? isWithin : compare(tried, version) === 0;
    case "!=":
      return any ? !isWithin : compare(tried, version) !== 0;
    case ">=":
      return compare(tried, version) >= 0;
    case "<=":
      return compare(tried, version) <= 0;
    case ">":
      return compare(tried, version) > 0;
    case "<":
      return compare(tried, version) < 0;
    default:
      // ~=: at least this one, with the same beginning.
      return compare(tried, version) >= 0 && compare(tried.slice(0, version.length - 1), version.slice(0, -1)) === 0;
  }
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
