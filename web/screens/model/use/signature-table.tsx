import type { ModelSignature, SignatureField } from "@miranda/contract/schemas/models/versions.ts";

import { oneLine } from "../../../ui/text/drawable-text.ts";

const parts = [
  { part: "inputs", label: "Input" },
  { part: "outputs", label: "Output" },
  { part: "params", label: "Parameter" },
] as const;

/** What the model takes and gives. */
export function SignatureTable({ signature }: { signature: ModelSignature }) {
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
      tabIndex={0}
      className="relative overflow-x-auto rounded-lg border border-line bg-surface -outline-offset-2"
    >
      <table className="w-full text-left text-sm">
        <caption className="sr-only">Inputs and outputs of the model</caption>
        <thead className="bg-sunken text-ink-muted">
          <tr>
            {["", "Name", "Type"].map((title) => (
              <th key={title} scope="col" className="px-3 py-2 font-medium">
                {title === "" ? <span className="sr-only">Kind</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {parts.flatMap(({ part, label }) =>
            signature[part].map((field, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- fields may have no name
              <tr key={`${part} ${at}`} className="border-t border-line">
                <td className="px-3 py-1.5 text-ink-muted">{label}</td>
                <td dir="auto" className="px-3 py-1.5 font-mono break-all">
                  {oneLine(field.name) || "(no name)"}
                </td>
                <td className="px-3 py-1.5 whitespace-nowrap">{typeWords(field)}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </div>
  );
}

function typeWords({ type, shape, required, default: usual }: SignatureField): string {
  const size = shape ? ` (${shape.map((one) => (one < 0 ? "any" : one)).join(" × ")})` : "";
  const own = usual === null || usual === undefined ? "" : `, ${JSON.stringify(usual)} unless given`;
  return oneLine(`${type}${size}${required ? "" : ", optional"}${own}`);
}
