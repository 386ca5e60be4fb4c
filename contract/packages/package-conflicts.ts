/** Two requirements for one package that no version meets. */
export interface PackageConflict {
  wanted: string;
  present: string;
}

interface Requirement {
  /** As it is written. */
  text: string;
  name: string;
  /** Undefined when it cannot be read: then no conflict is reported. */
  clauses: { sign: string; version: number[]; any: boolean }[] | undefined;
}

/** Of one piece of code. Nobody reads more, and comparing them must not take long. */
const listedMost = 200;
const lengthMost = 300;
const conflictsMost = 50;

/**
 * The packages that two pieces of code require in versions that exclude each other. It compares only version numbers. The
 * installer decides in the end: it also knows what packages require of each other.
 */
export function packageConflicts(wanted: readonly string[], present: readonly string[]): PackageConflict[] {
  const others = Map.groupBy(readAll(present), ({ name }) => name);
  const found: PackageConflict[] = [];
  for (const one of readAll(wanted))
    for (const other of others.get(one.name) ?? []) {
      if (found.length >= conflictsMost) return found;
      if (excludeEachOther(one, other)) found.push({ wanted: one.text, present: other.text });
    }
  return found;
}

function readAll(requirements: readonly string[]): Requirement[] {
  return requirements
    .slice(0, listedMost)
    .filter(({ length }) => length <= lengthMost)
    .map(read)
    .filter(({ name }) => name !== "");
}

function read(requirement: string): Requirement {
  const [plain = ""] = requirement.split(";");
  const [, name = "", rest = ""] = /^([A-Za-z0-9._-]+) *(?:\[[^\]]*\] *)?([=<>!~].*)?$/.exec(plain.trim()) ?? [];
  const clauses = rest === "" ? [] : rest.split(",").map(readClause);
  return {
    text: requirement,
    name: name.toLowerCase().replaceAll(/[-_.]+/g, "-"),
    clauses: clauses.every((clause) => clause !== undefined) ? clauses : undefined,
  };
}

function readClause(text: string) {
  const [, sign = "", version = "", star] = /^(===?|~=|!=|<=|>=|<|>)\s*(\d+(?:\.\d+)*)(\.\*)?$/.exec(text.trim()) ?? [];
  return sign === "" ? undefined : { sign, version: version.split(".").map(Number), any: star !== undefined };
}

function excludeEachOther(one: Requirement, other: Requirement): boolean {
  if (!one.clauses || !other.clauses) return false;
  const clauses = [...one.clauses, ...other.clauses];
  // If two ranges overlap, an end of one of them, or a version just beside it, is in both.
  const tried = clauses.flatMap(({ version }) => [version, [...version, 0, 1], before(version)]);
  return tried.length > 0 && !tried.some((version) => clauses.every((clause) => allows(clause, version)));
}

/** A version just below this one. */
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
      // ~=: at least this version, with the same first numbers.
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
