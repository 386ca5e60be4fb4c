import { type AuditDetails, auditWords } from "../schemas/audit.ts";
import { moneyText } from "./money-text.ts";

interface SentenceParts {
  kind: string;
  result: "done" | "refused";
  actor: { name: string } | null;
  project: { name: string } | null;
  subject: { name: string } | null;
  details: AuditDetails;
}

/** "ada made bob an editor of Iris" */
export function auditSentence(
  { kind, result, actor, project, subject, details }: SentenceParts,
  currency: string,
): string {
  const words = Object.hasOwn(auditWords, kind) ? auditWords[kind as keyof typeof auditWords] : `did ${kind}`;
  const values: Record<string, unknown> = { ...details, subject: subject?.name, project: project?.name };
  const filled = words.replaceAll(/\{(\w+)(?:\|([^}]*))?\}/g, (_whole, name: string, otherwise = "") => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined || value === null || value === "" ? otherwise : textOf(value, currency);
  });
  const token = typeof details["with_token"] === "string" ? ` (with the token ${details["with_token"]})` : "";
  const isSaid = kind.endsWith(".failed") || kind.endsWith(".refused");
  return `${actor?.name || "Somebody"} ${filled}${token}${result === "refused" && !isSaid ? ", which was refused" : ""}`;
}

/** Only amounts of money have nine decimals. */
function textOf(value: unknown, currency: string): string {
  const text = String(value);
  return /^-?\d{1,12}\.\d{9}$/.test(text) ? moneyText(text, currency, "all") : text;
}
