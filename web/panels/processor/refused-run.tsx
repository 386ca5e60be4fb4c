import { CircleAlert } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";
import { useNavigate } from "react-router";

import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import type { RefusedRun as Refused } from "../../providers/processor/runs/run-refusal.ts";
import { toast } from "../../ui/overlay/toast.ts";
import { Tooltip } from "../../ui/overlay/tooltip.tsx";

/** What kept the last run from starting, beside Run or as a toast. It links to the line or the field. */
export function RefusedRun({ asToast }: { asToast: boolean }) {
  const { refusal, graphId, projectId } = useProcessor();
  const refused = useSyncExternalStore(refusal.watch, refusal.get);
  const navigate = useNavigate();
  const address = refused ? addressOf(`/designer/projects/${projectId}/graphs/${graphId}`, refused) : "";
  const words = refused ? `${refused.words.replace(/\.$/, "")}. Nothing was run.` : "";
  useEffect(() => {
    if (!asToast || !refused) return;
    const action = { label: "Show", onClick: () => void navigate(address) };
    toast.error(words, { action });
    refusal.clear();
  }, [asToast, refused, refusal, navigate, address, words]);
  if (asToast || !refused) return null;
  return (
    <span role="alert" className="min-w-0">
      <Tooltip side="bottom" text={words}>
        <button
          type="button"
          data-testid="refused-run"
          className="ml-1 flex h-7 max-w-72 min-w-0 xl:max-w-140 items-center gap-1.5 rounded-md bg-danger-soft px-2 text-left text-sm text-danger-text max-sm:h-auto max-sm:max-w-56 max-sm:py-1"
          onClick={() => {
            refusal.clear();
            void navigate(address);
          }}
        >
          <CircleAlert className="size-3.5 shrink-0" aria-hidden="true" />
          <span className="truncate max-sm:line-clamp-4 max-sm:whitespace-normal">{refused.words}</span>
        </button>
      </Tooltip>
    </span>
  );
}

/** A line is shown in the code, a field on the canvas. */
function addressOf(graph: string, refused: Refused): string {
  if ("line" in refused) return `${graph}/code/${refused.node}?line=${refused.line}`;
  return `${graph}?${new URLSearchParams({ node: `${refused.node}`, field: refused.field })}`;
}
