import { useState } from "react";

import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";

import { useSharingActions } from "../../../api/deployments/sharing.ts";
import { CopiedText } from "../../../panels/deploy/copied-text.tsx";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/overlay/confirm-dialog.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";

/** The public link: whoever has it can use the app, and the owner pays. */
export function LinkSettings({ deployment }: { deployment: Deployment }) {
  const { makeLink, removeLink } = useSharingActions(deployment.graph.id);
  const [asking, setAsking] = useState<"new" | "remove" | null>(null);
  const link = deployment.sharing?.link ?? null;
  const mayManage = deployment.right === "manage";
  return (
    <div className="mt-4 flex flex-col gap-2 border-t border-line pt-4">
      {link === null ? (
        <p className="text-sm text-ink-muted">There is no link yet.</p>
      ) : (
        <CopiedText label="Public link" text={new URL(`/explorer/links/${link}`, location.origin).href} />
      )}
      {mayManage ? (
        <div className="flex flex-wrap gap-2">
          <Button size="sm" onClick={() => (link === null ? toastFailure(makeLink()) : setAsking("new"))}>
            {link === null ? "Make a link" : "Make a new link"}
          </Button>
          {link === null ? null : (
            <Button size="sm" variant="ghost" onClick={() => setAsking("remove")}>
              Remove the link
            </Button>
          )}
        </div>
      ) : null}
      {asking === null ? null : (
        <ConfirmDialog
          title={asking === "new" ? "Make a new link" : "Remove the link"}
          text="The old link stops working at once. Its visitors lose their results."
          action={asking === "new" ? "Make a new link" : "Remove"}
          onClose={() => setAsking(null)}
          onConfirm={async () => {
            await (asking === "new" ? makeLink() : removeLink());
            setAsking(null);
          }}
        />
      )}
    </div>
  );
}
