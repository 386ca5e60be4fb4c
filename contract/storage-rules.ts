import { secret, storagePolicy as limits } from "./limits.ts";

// Rules for the fields of a storage policy, used by the server and by the form.

type Rule = (text: string) => string | undefined;

const secretName = /^[a-zA-Z_][a-zA-Z0-9_.-]*$/;
// The form of Amazon's keys: twenty characters with a known prefix, and forty of base64.
const looksLikeKey = /^(?:(?:AKIA|ASIA)[A-Z0-9]{16}|[a-zA-Z0-9/+]{40})$/;
const pathPart = /^(?!\.{1,2}$)[^\p{Cc}]+$/u;

/** What is wrong with a text. Undefined when nothing is. */
export const storageRules = {
  name: (text) =>
    text === ""
      ? "Volume name is required."
      : (tooLong("Volume name", text, limits.nameMax) ??
        unless(
          /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(text),
          "A volume name has letters, digits, dots, dashes and underscores.",
        )),
  bucket: (text) =>
    text === ""
      ? "Bucket is required."
      : unless(
          /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text) && !text.includes("..") && !/^[\d.]+$/.test(text),
          "A bucket name has 3 to 63 lower-case letters, digits, dots and dashes.",
        ),
  prefix: (text) =>
    tooLong("Prefix", text, limits.prefixMax) ??
    unless(
      text === "" || text.replace(/\/$/, "").split("/").every(isPathPart),
      "A prefix is a path such as data/2026, without a slash at its start and without empty parts, . and ..",
    ),
  region: (text) =>
    tooLong("Region", text, limits.nameMax) ??
    unless(/^[\w.-]*$/.test(text), "A region has letters, digits and dashes, such as eu-central-1."),
  endpoint: (text) =>
    tooLong("Endpoint", text, limits.endpointMax) ??
    unless(
      text === "" || isEndpoint(text),
      "An endpoint is an http or https address such as https://minio.example.org:9000, without user, query or fragment.",
    ),
  access_key_secret: (text) => secretNameProblem("access key", text),
  secret_key_secret: (text) => secretNameProblem("secret key", text),
} as const satisfies Record<string, Rule>;

function secretNameProblem(what: string, text: string): string | undefined {
  if (text === "") return undefined;
  if (looksLikeKey.test(text))
    return `That looks like the ${what} itself: save it as a secret, and write its name here.`;
  return (
    tooLong("Secret", text, secret.keyMax) ??
    unless(
      secretName.test(text),
      "The name of a secret has letters, digits, dots, dashes and underscores, and starts with a letter.",
    )
  );
}

const unless = (isGood: boolean, words: string): string | undefined => (isGood ? undefined : words);

const isPathPart = (part: string): boolean => pathPart.test(part);

const tooLong = (label: string, text: string, most: number): string | undefined =>
  unless(text.length <= most, `${label} can have at most ${most} characters.`);

function isEndpoint(text: string): boolean {
  if (!/^https?:\/\/[^\s\\?#@]+$/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).hostname !== "";
}
