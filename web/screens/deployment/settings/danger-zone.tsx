import { useState } from "react";
import { useNavigate } from "react-router";

import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";

import { useDeploymentActions } from "../../../api/deployments/deployments.ts";
import { graphAddress } from "../../../api/graphs.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/overlay/confirm-dialog.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { toast } from "../../../ui/overlay/toast.ts";

interface DangerZoneProps {
  projectId: string;
  deployment: Deployment;
}

export function DangerZone({ projectId, deployment }: DangerZoneProps) {
  const { change, remove } = useDeploymentActions(deployment.graph.id);
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const isPaused = deployment.paused;
  return (
    <div className="flex flex-col divide-y divide-line">
      {deployment.owner === null ? (
        <div className="flex flex-wrap items-center justify-between gap-3 pb-4">
          <p className="min-w-0 flex-1 basis-60 text-sm text-ink-muted">
            The person who paid for this deployment is gone. If you take it over, you pay from then on.
          </p>
          <Button variant="primary" onClick={() => toastFailure(change({ take_over: true }))}>
            Take it over
          </Button>
        </div>
      ) : null}
      <div className="flex flex-wrap items-center justify-between gap-3 py-4 first:pt-0">
        <p className="min-w-0 flex-1 basis-60 text-sm text-ink-muted">
          {isPaused
            ? "It is paused and takes no new calls."
            : "While it is paused, it takes no new calls. Running calls end as usual."}
        </p>
        <Button onClick={() => toastFailure(change({ paused: !isPaused }))}>{isPaused ? "Resume" : "Pause"}</Button>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-3 pt-4">
        <p className="min-w-0 flex-1 basis-60 text-sm text-ink-muted">
          Deletes the deployment with its releases, calls, schedules, tokens and links. The workflow and its versions
          stay.
        </p>
        <Button variant="danger" onClick={() => setDeleting(true)}>
          Delete…
        </Button>
      </div>
      {isDeleting ? (
        <ConfirmDialog
          title={`Delete the deployment ${deployment.title}`}
          text="Running calls are stopped, and nobody can use the app any more. This action cannot be undone."
          action="Delete"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await remove();
            toast.success("Deployment deleted.");
            await navigate(graphAddress(projectId, deployment.graph.id), { replace: true });
          }}
        />
      ) : null}
    </div>
  );
}
