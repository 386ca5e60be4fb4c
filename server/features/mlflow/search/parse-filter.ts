import { invalid } from "../http/mlflow-error.ts";
import { type Token, tokensOf } from "./filter-tokens.ts";

export type EntityType = "metric" | "param" | "tag" | "attribute" | "dataset";

/** One comparison of a filter. All of them must hold. */
export type Clause = { type: EntityType; key: string } & (
  | { comparator: "=" | "!=" | ">" | ">=" | "<" | "<="; value: string | number }
  | { comparator: "LIKE" | "ILIKE"; value: string }
  | { comparator: "IN" | "NOT IN"; value: string[] }
  | { comparator: "IS NULL" | "IS NOT NULL" }
);

/** What a search knows: its attributes by the names that clients may use, and which entities it has. */
export interface SearchTerms {
  types: readonly EntityType[];
  /** By name, the attribute and what it holds. */
  attributes: Readonly<Record<string, { key: string; holds: "text" | "number" }>>;
}

const typeNames: Readonly<Record<string, EntityType>> = {
  ...{ metric: "metric", metrics: "metric" },
  ...{ param: "param", params: "param", parameter: "param", parameters: "param" },
  ...{ tag: "tag", tags: "tag" },
  ...{ attribute: "attribute", attributes: "attribute", attr: "attribute", run: "attribute" },
  ...{ dataset: "dataset", datasets: "dataset" },
};
const numberSigns = ["=", "!=", ">", ">=", "<", "<="];
const textSigns = ["=", "!=", "LIKE", "ILIKE", "IN", "NOT IN", "IS NULL", "IS NOT NULL"];
const most = { letters: 20_000, clauses: 100, listed: 10_000 };
const datasetKeys = ["name", "digest", "context"];

/** Reads a filter of MLflow: comparisons joined by AND. Refuses what does not parse, and says what is wrong. */
export function parseFilter(filter: string | undefined, terms: SearchTerms): Clause[] {
  if (!filter?.trim()) return [];
  if (filter.length > most.letters) throw invalid(`A filter can have at most ${most.letters} characters.`);
  const tokens = tokensOf(filter);
  const clauses: Clause[] = [];
  let at = 0;
  while (at < tokens.length) {
    if (clauses.length > 0 && !isWord(tokens[at++], "AND")) throw wrong(filter, tokens.slice(at - 1));
    const read = readClause(tokens, at, { filter, terms });
    clauses.push(read.clause);
    at = read.next;
    if (clauses.length > most.clauses) throw invalid(`A filter can have at most ${most.clauses} comparisons.`);
  }
  return clauses;
}

interface Reading {
  filter: string;
  terms: SearchTerms;
}

function readClause(tokens: Token[], at: number, reading: Reading): { clause: Clause; next: number } {
  const { filter, terms } = reading;
  const name = tokens[at];
  if (!name || (name.kind !== "word" && name.kind !== "quoted")) throw wrong(filter, tokens.slice(at));
  const identifier = readIdentifier(name.value, terms);
  const { type, key, holds } = identifier;
  const { comparator, next } = readComparator(tokens, at + 1, filter);
  const allowed = holds === "number" ? numberSigns : textSigns;
  if (!allowed.includes(comparator))
    throw invalid(`Invalid comparator '${comparator}' not one of '${allowed.join("', '")}' for ${type} '${key}'.`);
  if (comparator === "IS NULL" || comparator === "IS NOT NULL") return { clause: { type, key, comparator }, next };
  if (comparator === "IN" || comparator === "NOT IN") {
    const list = readList(tokens, next, filter);
    return { clause: { type, key, comparator, value: list.value }, next: list.next };
  }
  const given = tokens[next];
  if (!given) throw wrong(filter, tokens.slice(at));
  const value = holds === "number" ? readNumber(given, identifier) : readText(given, identifier);
  // Checked above: a text has no number, and a number no LIKE.
  return { clause: { type, key, comparator, value } as Clause, next: next + 1 };
}

interface Identifier {
  type: EntityType;
  key: string;
  holds: "text" | "number";
}

/** `metrics.loss`, `tags.mlflow.user`. A name without a type is an attribute. */
export function readIdentifier(name: string, { types, attributes }: SearchTerms): Identifier {
  const dot = name.indexOf(".");
  const given = dot < 0 ? "attribute" : name.slice(0, dot).trim().toLowerCase();
  const type = typeNames[given];
  if (type === undefined || !types.includes(type))
    throw invalid(
      `Invalid entity type '${given.slice(0, 100)}'. Valid values are ${types.map((one) => `'${one}'`).join(", ")}.`,
    );
  const key = unquoted(name.slice(dot + 1).trim());
  if (key === "") throw invalid(`Invalid identifier '${name.slice(0, 100)}': it names nothing.`);
  if (type === "metric") return { type, key, holds: "number" };
  if (type === "dataset" && !datasetKeys.includes(key))
    throw invalid(
      `Invalid dataset key '${key.slice(0, 100)}' specified. Valid keys are '${datasetKeys.join("', '")}'.`,
    );
  if (type !== "attribute") return { type, key, holds: "text" };
  const attribute = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
  if (!attribute)
    throw invalid(
      `Invalid attribute key '${key.slice(0, 100)}' specified. Valid keys are '${Object.keys(attributes).join("', '")}'.`,
    );
  return { type, ...attribute };
}

function unquoted(key: string): string {
  const mark = key.charAt(0);
  return key.length > 1 && (mark === "`" || mark === '"') && key.endsWith(mark) ? key.slice(1, -1) : key;
}

function readComparator(tokens: Token[], at: number, filter: string): { comparator: string; next: number } {
  const token = tokens[at];
  if (token?.kind === "sign") return { comparator: token.value, next: at + 1 };
  const words = tokens.slice(at, at + 3).map((one) => (one.kind === "word" ? one.value.toUpperCase() : ""));
  for (const comparator of ["LIKE", "ILIKE", "IN", "NOT IN", "IS NULL", "IS NOT NULL"]) {
    const parts = comparator.split(" ");
    if (parts.every((part, place) => words[place] === part)) return { comparator, next: at + parts.length };
  }
  throw wrong(filter, tokens.slice(Math.max(0, at - 1)));
}

function readList(tokens: Token[], at: number, filter: string): { value: string[]; next: number } {
  if (!isMark(tokens[at], "(")) throw wrong(filter, tokens.slice(at));
  const value: string[] = [];
  for (let place = at + 1; place < tokens.length; place += 2) {
    const token = tokens[place];
    if (token?.kind !== "text" && token?.kind !== "quoted")
      throw invalid("While parsing a list in the query, expected string value, punctuation, or whitespace.");
    value.push(token.value);
    if (value.length > most.listed) throw invalid(`A list can have at most ${most.listed} values.`);
    if (isMark(tokens[place + 1], ")")) return { value, next: place + 2 };
    if (!isMark(tokens[place + 1], ",")) break;
  }
  throw wrong(filter, tokens.slice(at));
}

function readNumber({ value, source, kind }: Token, { type, key }: Identifier): number {
  const number = Number(value);
  if (kind !== "word" || !Number.isFinite(number))
    throw invalid(`Expected numeric value type for ${type} '${key}'. Found ${source.slice(0, 200)}`);
  return number;
}

function readText({ value, source, kind }: Token, { type }: Identifier): string {
  if (kind === "text" || kind === "quoted") return value;
  throw invalid(`Expected a quoted string value for ${type} (e.g. 'my-value'). Got value ${source.slice(0, 200)}`);
}

const isWord = (token: Token | undefined, word: string) => token?.kind === "word" && token.value.toUpperCase() === word;
const isMark = (token: Token | undefined, mark: string) => token?.kind === "mark" && token.value === mark;

function wrong(filter: string, rest: readonly Token[]) {
  const clause = rest.map(({ source }) => source).join(" ");
  return invalid(`Invalid clause(s) in filter string: '${(clause || filter).slice(0, 200)}'. Join comparisons by AND.`);
}
