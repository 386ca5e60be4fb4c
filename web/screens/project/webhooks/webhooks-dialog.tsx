import { Webhook as WebhookIcon } from "lucide-react";
import { useState } from "react";

import type { Project } from "@miranda/contract/schemas/projects.ts";
import type { Webhook, WebhookWithSecret } from "@miranda/contract/schemas/news/webhooks.ts";

import { useWebhookActions, useWebhooks } from "../../../api/news/webhooks.ts";
import { errorScreen } from "../../../limits.ts";
import { logWarning } from "../../../log.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { Spinner } from "../../../ui/layout/spinner.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { WebhookRow } from "./webhook-row.tsx";

interface WebhooksDialogProps {
  project: Project;
  onClose: () => void;
}

type View =
  | { name: "list" }
  | { name: "add" }
  | { name: "edit"; webhook: Webhook }
  | { name: "secret"; secret: string };

const list: View = { name: "list" };

/** What a project calls when something happened to its runs. Open while it is mounted. */
export function WebhooksDialog({ project, onClose }: WebhooksDialogProps) {
  const [view, setView] = useState<View>(list);
  const { create, change } = useWebhookActions(project.id);
  const showSecret = ({ secret }: WebhookWithSecret) => setView({ name: "secret", secret });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={view.name === "add" ? "Add a webhook" : view.name === "edit" ? "Edit the webhook" : "Webhooks"}
      description={`Miranda calls these addresses about the runs and models of ${project.name}.`}
      wide
    >
      {view.name === "list" ? (
        <List
          projectId={project.id}
          onAdd={() => setView({ name: "add" })}
          onEdit={(webhook) => setView({ name: "edit", webhook })}
          onSecret={showSecret}
        />
      ) : null}
      {view.name === "add" ? (
        <WebhookForm
          action="Add webhook"
          onSave={async (fields) => showSecret(await create(fields))}
          onCancel={() => setView(list)}
        />
      ) : null}
      {view.name === "edit" ? (
        <WebhookForm
          webhook={view.webhook}
          action="Save"
          onSave={async (fields) => {
            await change(view.webhook.id, fields);
            setView(list);
          }}
          onCancel={() => setView(list)}
        />
      ) : null}
      {view.name === "secret" ? <Secret secret={view.secret} onDone={() => setView(list)} /> : null}
    </Dialog>
  );
}

interface ListProps {
  projectId: string;
  onAdd: () => void;
  onEdit: (webhook: Webhook) => void;
  onSecret: (webhook: WebhookWithSecret) => void;
}

function List({ projectId, onAdd, onEdit, onSecret }: ListProps) {
  const { data: webhooks, error } = useWebhooks(projectId);
  return (
    <div className="flex flex-col gap-4">
      {webhooks || error ? null : <Spinner label="Loading the webhooks" showLabel />}
      <FormAlert message={webhooks ? null : error?.message} />
      {webhooks?.length === 0 ? (
        <p className="flex items-center gap-2.5 text-ink-muted">
          <WebhookIcon className="size-4 shrink-0" aria-hidden="true" />
          This project has no webhooks.
        </p>
      ) : null}
      {webhooks && webhooks.length > 0 ? (
        <ul aria-label="Webhooks" className="-my-1 flex flex-col divide-y divide-line">
          {webhooks.map((webhook) => (
            <WebhookRow
              key={webhook.id}
              projectId={projectId}
              webhook={webhook}
              onEdit={() => onEdit(webhook)}
              onSecret={onSecret}
            />
          ))}
        </ul>
      ) : null}
      <div className="flex justify-end">
        <Button variant="primary" disabled={!webhooks} onClick={onAdd}>
          Add webhook
        </Button>
      </div>
    </div>
  );
}

function Secret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <div className="flex flex-col gap-4">
      <p>This secret signs every call, so that the receiver knows who sent it. Copy it now: it is not shown again.</p>
      <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3">
        <code data-testid="webhook-secret" className="min-w-0 flex-1 font-mono text-sm break-all select-all">
          {secret}
        </code>
        <CopyButton
          size="sm"
          text={secret}
          confirmFor={errorScreen.copiedFor}
          onFailure={(cause) => logWarning("The secret could not be copied.", cause)}
        />
      </div>
      <div className="flex justify-end">
        <Button variant="primary" onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  );
}
