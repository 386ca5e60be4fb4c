import { isRecord } from "../../is-record.ts";
import { type MimeBundle, type Output, outputOf } from "../../ui/output/output-kind.ts";

/** An output as somebody reads it who does not code. */
export type ShownOutput =
  | { kind: "markdown"; text: string }
  | { kind: "answer"; text: string }
  /** A few named values. */
  | { kind: "facts"; facts: { name: string; value: string | number | boolean | null }[] }
  /** Nothing to look at: only a file. */
  | { kind: "file" }
  | Output;

const fileMime = "application/vnd.miranda.file+json";
const factsMax = 12;
const drawing = /^\s*<svg\s[\s\S]*<\/svg>\s*$/;

export function shownOutput(data: MimeBundle): ShownOutput {
  const markdown = data["text/markdown"];
  if (typeof markdown === "string") return { kind: "markdown", text: markdown };
  if (isOnlyFile(data)) return { kind: "file" };
  const json = data["application/json"];
  if (json === null) return { kind: "answer", text: "Nothing" };
  const output = outputOf(data);
  // A node that draws sends its drawing as text.
  if (output.kind === "text" && drawing.test(output.text)) return outputOf({ "image/svg+xml": output.text });
  if (output.kind !== "json") return output;
  const { value } = output;
  if (typeof value === "boolean") return { kind: "answer", text: value ? "Yes" : "No" };
  const facts = isRecord(value) ? Object.entries(value) : [];
  if (facts.length > 0 && facts.length <= factsMax && facts.every((fact): fact is Fact => isPlain(fact[1])))
    return { kind: "facts", facts: facts.map(([name, one]) => ({ name, value: one })) };
  return output;
}

/** The text beside a file only names it. */
function isOnlyFile(data: MimeBundle): boolean {
  return fileMime in data && Object.keys(data).every((mime) => mime === fileMime || mime === "text/plain");
}

type Fact = [string, string | number | boolean | null];

function isPlain(value: unknown): boolean {
  if (typeof value === "string") return value.length <= 80;
  return value === null || typeof value === "number" || typeof value === "boolean";
}
