import { type InputField, typeOfField } from "../call-inputs/field-types.ts";

/** A call of an app as somebody would write it. `values` are by field name; the value of a file is the name of a file. */
export interface SnippetCall {
  /** For example https://miranda.example. */
  origin: string;
  name: string;
  fields: readonly InputField[];
  values: Readonly<Record<string, unknown>>;
  /** How many seconds the answer may wait for the result. */
  wait: number;
}

export const snippetLanguages = ["curl", "python", "javascript"] as const;
export type SnippetLanguage = (typeof snippetLanguages)[number];

/** The code that makes a call. The token is read from the environment, so that nobody pastes one into a program. */
export function snippetOf(language: SnippetLanguage, call: SnippetCall): string {
  switch (language) {
    case "curl":
      return curl(call);
    case "python":
      return python(call);
    case "javascript":
      return javascript(call);
  }
}

interface Parts {
  url: string;
  files: [name: string, file: string][];
  values: [name: string, value: unknown][];
}

function partsOf({ origin, name, fields, values, wait }: SnippetCall): Parts {
  const given = fields.filter((field) => Object.hasOwn(values, field.name));
  const isFile = (field: InputField) => typeOfField(field) === "file";
  return {
    url: `${origin}/api/v3/deployments/${encodeURIComponent(name)}/runs?wait=${wait}`,
    files: given.filter(isFile).map((field) => [field.name, textOf(values[field.name])]),
    values: given.filter((field) => !isFile(field)).map((field) => [field.name, values[field.name]]),
  };
}

/** As a part of a form. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function curl(call: SnippetCall): string {
  const { url, files, values } = partsOf(call);
  const lines = [`curl ${quoted(url)}`, `-H "Authorization: Bearer $MIRANDA_TOKEN"`];
  if (files.length === 0)
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(Object.fromEntries(values)))}`);
  // --form-string: a value that begins with @ would be read as the name of a file.
  for (const [name, value] of files.length > 0 ? values : [])
    lines.push(`--form-string ${quoted(`${name}=${textOf(value)}`)}`);
  for (const [name, file] of files) lines.push(`-F ${quoted(`${name}=@"${file.replaceAll(/["\\]/g, "\\$&")}"`)}`);
  return lines.join(" \\\n  ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function python(call: SnippetCall): string {
  const { url, files, values } = partsOf(call);
  const body =
    files.length === 0
      ? [`    json=${pythonValue(Object.fromEntries(values))},`]
      : [
          ...(values.length > 0
            ? [`    data=${pythonValue(Object.fromEntries(values.map(([name, value]) => [name, textOf(value)])))},`]
            : []),
          `    files={${files.map(([name, file]) => `${JSON.stringify(name)}: open(${JSON.stringify(file)}, "rb")`).join(", ")}},`,
        ];
  return [
    "import os",
    "import requests",
    "",
    "answer = requests.post(",
    `    ${JSON.stringify(url)},`,
    `    headers={"Authorization": f"Bearer {os.environ['MIRANDA_TOKEN']}"},`,
    ...body,
    ")",
    "if not answer.ok:",
    "    raise SystemExit(answer.text)",
    "call = answer.json()",
    `print(call["state"], call["result"])`,
  ].join("\n");
}

/** JSON's literals differ from Python's in three words. */
function pythonValue(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map((one) => pythonValue(one)).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${pythonValue(one)}`);
  return `{${entries.join(", ")}}`;
}

function javascript(call: SnippetCall): string {
  const { url, files, values } = partsOf(call);
  const head = [`const answer = await fetch(${JSON.stringify(url)}, {`, `  method: "POST",`];
  const token = "Authorization: `Bearer ${process.env.MIRANDA_TOKEN}`";
  const tail = [
    "});",
    "if (!answer.ok) throw new Error(await answer.text());",
    "const call = await answer.json();",
    "console.log(call.state, call.result);",
  ];
  if (files.length === 0)
    return [
      ...head,
      `  headers: { ${token}, "Content-Type": "application/json" },`,
      `  body: JSON.stringify(${JSON.stringify(Object.fromEntries(values))}),`,
      ...tail,
    ].join("\n");
  return [
    `import { openAsBlob } from "node:fs";`,
    "",
    "const form = new FormData();",
    ...values.map(([name, value]) => `form.append(${JSON.stringify(name)}, ${JSON.stringify(textOf(value))});`),
    ...files.map(
      ([name, file]) =>
        `form.append(${JSON.stringify(name)}, await openAsBlob(${JSON.stringify(file)}), ${JSON.stringify(file)});`,
    ),
    ...head,
    `  headers: { ${token} },`,
    "  body: form,",
    ...tail,
  ].join("\n");
}

/** What an assistant that speaks MCP over HTTP is told. */
export function mcpSettings(origin: string): string {
  const headers = { Authorization: "Bearer YOUR_TOKEN" };
  return JSON.stringify({ mcpServers: { miranda: { type: "http", url: `${origin}/mcp`, headers } } }, null, 2);
}
