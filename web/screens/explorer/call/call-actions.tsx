import { Flag, Share2, Square, Workflow } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";

import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";

import { useCallActions } from "../../../api/apps/calls.ts";
import { callAddress } from "../../../api/deployments/calls.ts";
import { messageOf } from "../../../message-of.ts";
import { Button, buttonClasses } from "../../../ui/button.tsx";
import { toast } from "../../../ui/overlay/toast.ts";
import type { AppPage } from "../app/app-page.ts";
import { lookOf } from "./call-words.ts";
import { ReportDialog } from "./report-dialog.tsx";
import { ShareDialog } from "./share-dialog.tsx";

const tall = "max-sm:h-11";

/** What can be done with a call: cancel, share, report, and for editors open it in the Designer. */
export function CallActions({ call, page: { app, door } }: { call: Call; page: AppPage }) {
  const { cancel } = useCallActions(door);
  const [isBusy, setBusy] = useState(false);
  const [open, setOpen] = useState<"share" | "report" | null>(null);
  const look = lookOf(call.state);
  const isAlive = call.time_ended === null;

  function stop() {
    setBusy(true);
    cancel(call.id)
      .catch((cause: unknown) => toast.error(messageOf(cause)))
      .finally(() => setBusy(false));
  }

  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {isAlive ? (
        <Button busy={isBusy} onClick={stop} className={tall}>
          <Square className="size-3.5 fill-current" aria-hidden="true" />
          Cancel
        </Button>
      ) : null}
      {look === "done" ? (
        <Button onClick={() => setOpen("share")} className={tall}>
          <Share2 className="size-4" aria-hidden="true" />
          {call.shared === null ? "Share" : "Shared"}
        </Button>
      ) : null}
      {look === "failed" ? <Reporting isReported={call.reported} onReport={() => setOpen("report")} /> : null}
      {app.designer && !isAlive ? (
        <Link
          to={callAddress(app.designer.project_id, app.designer.graph_id, call.id)}
          className={buttonClasses({ variant: look === "failed" ? "secondary" : "ghost" }, tall)}
        >
          <Workflow className="size-4" aria-hidden="true" />
          Open in Designer
        </Link>
      ) : null}
      {open === "share" ? <ShareDialog call={call} door={door} onClose={() => setOpen(null)} /> : null}
      {open === "report" ? <ReportDialog call={call} door={door} onClose={() => setOpen(null)} /> : null}
    </div>
  );
}

function Reporting({ isReported, onReport }: { isReported: boolean; onReport: () => void }) {
  if (isReported)
    return (
      <output className="inline-flex h-9 items-center gap-2 text-ink-muted">
        <Flag className="size-4" aria-hidden="true" />
        Reported to the owner
      </output>
    );
  return (
    <Button onClick={onReport} className={tall}>
      <Flag className="size-4" aria-hidden="true" />
      Report to the owner
    </Button>
  );
}
