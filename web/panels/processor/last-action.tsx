import { useEffect } from "react";

import { useAccount } from "../../api/account/session.ts";
import { useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { toast } from "../../ui/overlay/toast.ts";

const actionTexts: Readonly<Record<string, string>> = {
  start: "ran the workflow",
  run: "ran the workflow",
  continue: "continued",
  pause: "paused",
  interrupt: "interrupted the run",
  "force-stop": "stopped a node by force",
  "step-over": "stepped over",
  "step-in": "stepped in",
  "step-out": "stepped out",
  stop: "stopped the session",
  restart: "restarted the session",
  compile: "compiled a node",
  "run-setup": "ran the node setup",
};

/** Who sent the last command to the session: several people share one processor. */
export function LastAction() {
  const { username } = useAccount();
  const acted = useProcessorState((state) => state.acted);
  const isOwn = acted?.by.username === username;
  const name = acted?.by.first_name || acted?.by.username;
  const action = acted && actionTexts[acted.command];
  useEffect(() => {
    if (action && !isOwn) toast.message(`${name} ${action}.`);
    // One toast per action, however often it renders.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [acted?.time]);
  if (!acted || !action) return null;
  return (
    <p className="mt-1 truncate text-xs text-ink-faint" data-testid="last-action">
      {isOwn ? "You" : name} {action} · <RelativeTime time={new Date(acted.time).toISOString()} />
    </p>
  );
}
