import { isDemanded } from "@miranda/contract/call-docs/field-schema.ts";
import { type InputField, rangeOfField, typeOfField } from "@miranda/contract/call-inputs/field-types.ts";
import { bytesText } from "@miranda/contract/call-inputs/files.ts";
import { nodeFile } from "@miranda/contract/limits.ts";
import type { App } from "@miranda/contract/schemas/deployments/deployments.ts";

import { Badge } from "../../../ui/badge.tsx";
import { Card } from "../../../ui/layout/card.tsx";

/** What a call takes, and what its result has. */
export function ApiFields({ fields, outputs }: Pick<App, "fields" | "outputs">) {
  return (
    <div className="grid min-w-0 gap-6 lg:grid-cols-2">
      <Card className="min-w-0 p-4 sm:p-5">
        <h3 className="mb-3 font-medium">What you send</h3>
        {fields.length === 0 ? <p className="text-ink-muted">Nothing: send an empty object.</p> : null}
        <dl className="flex min-w-0 flex-col gap-4">
          {fields.map((field) => (
            <div key={field.name} className="min-w-0">
              <dt className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <code className="font-mono text-sm font-semibold wrap-anywhere">{field.name}</code>
                <span className="text-sm text-ink-muted">{typeWords(field)}</span>
                {isDemanded(field) ? <Badge tone="warning">required</Badge> : null}
              </dt>
              <dd dir="auto" className="mt-0.5 text-sm wrap-anywhere text-ink-muted">
                {[field.label, field.help, defaultWords(field)].filter(Boolean).join(" · ")}
              </dd>
            </div>
          ))}
        </dl>
      </Card>
      <Card className="min-w-0 p-4 sm:p-5">
        <h3 className="mb-3 font-medium">What you get</h3>
        <p className="mb-3 text-sm text-ink-muted">
          Once a run is done, <code className="font-mono">result</code> has a value for each of these names. A file or a
          picture is given by its address.
        </p>
        <dl className="flex min-w-0 flex-col gap-4">
          {outputs.map(({ name, label }) => (
            <div key={name} className="min-w-0">
              <dt>
                <code className="font-mono text-sm font-semibold wrap-anywhere">{name}</code>
              </dt>
              <dd dir="auto" className="mt-0.5 text-sm wrap-anywhere text-ink-muted">
                {label}
              </dd>
            </div>
          ))}
        </dl>
        {outputs.length === 0 ? <p className="text-ink-muted">This app shows nothing.</p> : null}
      </Card>
    </div>
  );
}

function typeWords(field: InputField): string {
  const type = typeOfField(field);
  switch (type) {
    case "number":
    case "integer": {
      const { min, max } = rangeOfField(field);
      const words = type === "integer" ? "whole number" : "number";
      if (min !== undefined && max !== undefined) return `${words} from ${min} to ${max}`;
      if (min !== undefined) return `${words}, at least ${min}`;
      return max === undefined ? words : `${words}, at most ${max}`;
    }
    case "text":
      return field.max === null ? "text" : `text, at most ${field.max} characters`;
    case "boolean":
      return "true or false";
    case "option":
      return field.control?.type === "select"
        ? `one of ${field.control.options.map((one) => JSON.stringify(one)).join(", ")}`
        : "one of several values";
    case "list":
      return "list";
    case "object":
      return "object";
    case "file": {
      const accept = field.control?.type === "file" ? (field.control.accept ?? "") : "";
      const most = bytesText(Math.min(field.max ?? nodeFile.sizeMax, nodeFile.sizeMax));
      return `file${accept === "" ? "" : ` (${accept})`}, at most ${most}`;
    }
    case "any":
      return "any value";
  }
}

function defaultWords({ default: given, ...field }: InputField): string {
  if (given === null || given === undefined || typeOfField(field) === "file") return "";
  const text = JSON.stringify(given);
  return `Default: ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`;
}
