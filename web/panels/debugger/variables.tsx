import { jsonViewer } from "../../limits.ts";

import { useDebugger } from "../../providers/processor/processor-provider.tsx";
import { JsonTree } from "../../ui/json-tree.tsx";
import { useRest } from "./use-rest.ts";

/** The variables of the selected frame. */
export function Variables() {
  const frame = useDebugger((state) => state.frame);
  const variables = useDebugger((state) => state.variables);
  const rest = useRest(variables?.cuts);
  if (!variables) return <p className="px-3 py-2 text-sm text-ink-faint">Loading…</p>;
  if (variables.error) return <p className="px-3 py-2 text-sm text-danger-text">{variables.error}</p>;
  return (
    <div className="min-h-0 flex-1 overflow-auto px-3 py-2">
      <JsonTree key={frame} value={variables.locals} limits={jsonViewer} label="Local variables" rest={rest} />
    </div>
  );
}
