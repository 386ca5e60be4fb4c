import { jsonViewer } from "../../limits.ts";

import type { Evaluated } from "../../providers/debugger/debugger-store.ts";
import { JsonTree } from "../../ui/json-tree.tsx";
import { LongText } from "../../ui/text/long-text.tsx";
import { useRest } from "./use-rest.ts";

/** What an evaluation printed, and its value or error. */
export function EvaluatedValue({ result, label }: { result: Evaluated; label: string }) {
  const rest = useRest(result.cuts);
  const { value, output, error } = result;
  return (
    <>
      {output ? (
        <pre className="font-mono text-sm break-words whitespace-pre-wrap">
          <LongText text={output.replace(/\n$/, "")} />
        </pre>
      ) : null}
      {error ? <p className="font-mono text-sm break-words text-danger-text">{error}</p> : null}
      {error || value === null ? null : <JsonTree value={value} limits={jsonViewer} label={label} rest={rest} />}
    </>
  );
}
