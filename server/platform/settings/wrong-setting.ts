import { assertNever } from "@miranda/contract/assert-never.ts";
import { z } from "zod";

import { StartupError } from "../errors/startup-error.ts";

/** What zod finds wrong, without its words: people who run Miranda do not know them. */
type Issue = z.core.$ZodIssue;

const more = "See docs/operations.md.";

/** Their values may hold a password, and this line is in logs. */
const confidential = /(?:DATABASE|REDIS|SMTP)_URL$|KEY|PASSPHRASE|TOKEN$|PROVIDERS$/;

/** Of settings whose schema tells no example. */
const examples: Readonly<Record<string, string>> = {
  DATABASE_URL: "postgres://miranda:password@localhost/miranda",
  REDIS_URL: "redis://localhost:6379",
  MIRANDA_SMTP_URL: "smtps://user:password@mail.example.org",
  PUBLIC_URL: "https://miranda.example.org",
  MIRANDA_HOSTS: "miranda.lan, 10.0.0.8",
  MIRANDA_MAIL_FROM: "Miranda <miranda@example.org>",
  MIRANDA_SESSION_UIDS: "1879100000-1879165535",
  MIRANDA_BACKUP_EVERY: "1d",
};
const secretExample = "what `openssl rand -base64 32` prints";

const Described = z.object({
  type: z.string().optional(),
  default: z.union([z.string(), z.number()]).optional().catch(undefined),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  format: z.string().optional(),
});
type Described = z.infer<typeof Described>;

/** The refusal of a setting: its name, its value, what it must be, and an example. */
export function wrongSetting(schema: z.ZodObject, issue: Issue | undefined, given: NodeJS.ProcessEnv): StartupError {
  const name = String(issue?.path[0] ?? "");
  const described = describe(schema.shape[name]);
  const example = exampleOf(name, described);
  const wanted = `it must be ${expected(issue, described)}, for example ${example}. ${more}`;
  if (confidential.test(name))
    return new StartupError(`The setting ${name} is wrong (its value is not shown): ${wanted}`);
  return new StartupError(`The setting ${name} is wrong: it is "${given[name]?.slice(0, 200)}", and ${wanted}`);
}

function describe(schema: unknown): Described {
  if (!(schema instanceof z.ZodType)) return {};
  return Described.parse(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
}

function expected(issue: Issue | undefined, { type, ...bounds }: Described): string {
  // A rule of ours says what it wants.
  if (issue && ownWords(issue)) return issue.message;
  if (type === "integer" || type === "number") return `a ${type === "integer" ? "whole " : ""}number ${range(bounds)}`;
  if (bounds.enum) return oneOf(bounds.enum.includes("true") ? ["true", "false"] : bounds.enum);
  if (bounds.format === "uri") return "a whole address";
  const { minLength = 0, maxLength } = bounds;
  return maxLength === undefined ? `at least ${minLength} characters` : `${minLength} to ${maxLength} characters`;
}

function exampleOf(name: string, { type, minimum, ...described }: Described): string {
  if (examples[name] !== undefined) return examples[name];
  if (described.enum) return described.enum.includes("true") ? "true" : String(described.default ?? described.enum[0]);
  if (described.default !== undefined) return String(described.default);
  if (type === "integer" || type === "number") return String(minimum ?? 1);
  if (described.format === "uri") return "https://miranda.example.org";
  return secretExample;
}

function range({ minimum, maximum }: Pick<Described, "minimum" | "maximum">): string {
  const isOpen = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER;
  return isOpen ? `of at least ${minimum ?? 0}` : `from ${minimum ?? 0} to ${maximum}`;
}

function oneOf(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

const ownWords = ({ code, message }: Issue): boolean =>
  code === "custom" || (code === "invalid_format" && !message.startsWith("Invalid"));

const kinds: Readonly<Record<string, string>> = {
  ...{ string: "a text", number: "a number", boolean: "true or false", array: "a list", object: "an object" },
};

/** What a part of a longer setting must be, in our words. */
export function wantedPart(issue: Issue | undefined): string {
  if (!issue) return "it is wrong";
  if (ownWords(issue)) return `it must be ${issue.message}`;
  switch (issue.code) {
    case "invalid_type":
      return issue.message.endsWith("received undefined")
        ? "it is missing"
        : `it must be ${kinds[issue.expected] ?? issue.expected}`;
    case "invalid_format":
      return "it must be a whole address, for example https://id.example.org";
    case "invalid_value":
      return `it must be ${oneOf(issue.values.map(String))}`;
    case "unrecognized_keys":
      return `it has names that do not exist: ${issue.keys.join(", ").slice(0, 200)}`;
    case "too_small":
      return "it is too short";
    case "too_big":
      return "it is too long";
    case "custom":
    case "invalid_element":
    case "invalid_key":
    case "invalid_union":
    case "not_multiple_of":
      return "it has a value of a wrong kind";
    default:
      return assertNever(issue);
  }
}

const prefix = "MIRANDA_";
/** What else may be in the environment: a program for node code, the compose file's own, and the variables of tests. */
const others = /^MIRANDA_(?:PYTHON|LISTEN|TEST_\w+)$/;

/** Refuses a name that nobody reads: a misspelt setting would silently do nothing. */
export function refuseUnknown(environment: NodeJS.ProcessEnv, known: readonly string[]): void {
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith(prefix) && !known.includes(name) && !others.test(name),
  );
  if (unknown === undefined) return;
  const [nearest] = known
    .filter((name) => name.startsWith(prefix))
    .map((name) => ({ name, away: distance(unknown.slice(prefix.length), name.slice(prefix.length)) }))
    .toSorted((one, other) => one.away - other.away);
  const isNear = nearest !== undefined && nearest.away <= Math.max(2, (unknown.length - prefix.length) / 2);
  throw new StartupError(
    `There is no setting ${unknown.slice(0, 100)}.${isNear ? ` Did you mean ${nearest.name}?` : ""} ${more}`,
  );
}

/** How many letters must be added, removed or exchanged to get from one word to the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1];
    for (let to = 1; to <= other.length; to += 1)
      next.push(
        Math.min((row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1, (row[to - 1] ?? 0) + (other[to - 1] === one[at] ? 0 : 1)),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
