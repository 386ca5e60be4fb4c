import type { NodeOutput } from "@miranda/contract/schemas/processors.ts";

import { jsonViewer } from "../../limits.ts";
import { outputOf } from "../../ui/output/output-kind.ts";
import { OutputView } from "../../ui/output/output-view.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { WhenSeen } from "./when-seen.tsx";

/** Outputs of a node, oldest first. */
export function OutputList({ outputs, name }: { outputs: readonly NodeOutput[]; name: string }) {
  return outputs.map(({ number, id, data }) => (
    <section key={number} aria-label={`Output ${number}`} className="flex min-w-0 flex-col gap-1.5">
      {outputs.length > 1 || id !== null ? (
        <p className="flex items-baseline gap-2 text-xs text-ink-faint tabular-nums">
          {number} of {outputs.at(-1)?.number}
          {id === null ? null : <span className="truncate font-medium text-ink-muted">{oneLine(id)}</span>}
        </p>
      ) : null}
      <WhenSeen>
        <OutputView output={outputOf(data)} label={`${name} ${number}`} limits={jsonViewer} />
      </WhenSeen>
    </section>
  ));
}
