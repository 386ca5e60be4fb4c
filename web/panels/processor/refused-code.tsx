import { CircleAlert } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";
import { useNavigate } from "react-router";

import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import { toast } from "../../ui/overlay/toast.ts";
import { Tooltip } from "../../ui/overlay/tooltip.tsx";

/** The error in the code that kept the last run from starting, beside Run or as a toast. It links to its line. */
export function RefusedCode({ asToast }: { asToast: boolean }) {
  const { refusal, graphId, projectId } = useProcessor();
  const refused = useSyncExternalStore(refusal.watch, refusal.get);
  const navigate = useNavigate();
  const address = `/designer/projects/${projectId}/graphs/${graphId}/code/${refused?.node}?line=${refused?.line}`;
  useEffect(() => {
    if (!asToast || !refused) return;
    const action = { label: "Show", onClick: () => void navigate(address) };
    toast.error(`${refused.words}. Nothing was run.`, { action });
    refusal.clear();
  }, [asToast, refused, refusal, navigate, address]);
  if (asToast || !refused) return null;
  return (
    <span role="alert" className="min-w-0">
      <Tooltip side="bottom" text={`${refused.words}. Nothing was run.`}>
        <button
          type="button"
          data-testid="refused-code"
          className="ml-1 flex h-7 max-w-72 min-w-0 items-center gap-1.5 rounded-md bg-danger-soft px-2 text-sm text-danger-text max-sm:max-w-40"
          onClick={() => {
            refusal.clear();
            void navigate(address);
          }}
        >
          <CircleAlert className="size-3.5 shrink-0" aria-hidden="true" />
          <span className="truncate">{refused.words}</span>
        </button>
      </Tooltip>
    </span>
  );
}
