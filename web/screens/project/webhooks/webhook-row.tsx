import { ChevronDown, Ellipsis } from "lucide-react";
import { useState } from "react";

import type { Webhook, WebhookWithSecret } from "@miranda/contract/schemas/news/webhooks.ts";

import { useWebhookActions } from "../../../api/news/webhooks.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { ConfirmDialog } from "../../../ui/overlay/confirm-dialog.tsx";
import { Dropdown, DropdownItem, DropdownSeparator } from "../../../ui/overlay/dropdown.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { toast } from "../../../ui/overlay/toast.ts";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { WebhookCalls } from "./webhook-calls.tsx";

interface WebhookRowProps {
  projectId: string;
  webhook: Webhook;
  onEdit: () => void;
  onSecret: (webhook: WebhookWithSecret) => void;
}

export function WebhookRow({ projectId, webhook, onEdit, onSecret }: WebhookRowProps) {
  const { turn, test, rotate, remove } = useWebhookActions(projectId);
  const [isOpen, setOpen] = useState(false);
  const [isTesting, setTesting] = useState(false);
  const [asking, setAsking] = useState<"rotate" | "remove" | null>(null);
  const { id, url, enabled } = webhook;
  const close = () => setAsking(null);

  async function sendTest(): Promise<void> {
    setTesting(true);
    try {
      const { status, answer, state } = await test(id);
      setOpen(true);
      if (state === "arrived") toast.success(`The test arrived. The answer was ${status}.`);
      else toast.error(status === null ? answer : `The test was refused with ${status}.`);
    } finally {
      setTesting(false);
    }
  }

  return (
    <li className="flex flex-col gap-2 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-0 flex-1 basis-72">
          <div className="flex min-w-0 items-center gap-2">
            <span className="truncate font-medium" title={url}>
              {oneLine(url)}
            </span>
            {enabled ? null : <Badge>Off</Badge>}
            {enabled && webhook.failing_since ? <Badge tone="danger">Fails</Badge> : null}
          </div>
          <State webhook={webhook} />
        </div>
        <div className="flex items-center gap-2">
          <Button
            size="sm"
            variant="ghost"
            aria-expanded={isOpen}
            aria-label={`Last calls of ${url}`}
            onClick={() => setOpen(!isOpen)}
          >
            Calls
            <ChevronDown className={classes("size-3.5", isOpen ? "rotate-180" : null)} aria-hidden="true" />
          </Button>
          <Button size="sm" busy={isTesting} aria-label={`Test ${url}`} onClick={() => toastFailure(sendTest())}>
            Test
          </Button>
          <Dropdown
            trigger={
              <Button size="sm" variant="ghost" aria-label={`More for ${url}`} className="px-1.5">
                <Ellipsis className="size-4" aria-hidden="true" />
              </Button>
            }
          >
            <DropdownItem onSelect={onEdit}>Edit</DropdownItem>
            <DropdownItem onSelect={() => toastFailure(turn(id, !enabled))}>
              {enabled ? "Turn off" : "Turn on"}
            </DropdownItem>
            <DropdownItem onSelect={() => setAsking("rotate")}>New secret</DropdownItem>
            <DropdownSeparator />
            <DropdownItem danger onSelect={() => setAsking("remove")}>
              Delete
            </DropdownItem>
          </Dropdown>
        </div>
      </div>
      {isOpen ? <WebhookCalls projectId={projectId} webhookId={id} /> : null}
      {asking === "rotate" ? (
        <ConfirmDialog
          title="Make a new secret"
          text="The old secret ends at once. Until the receiver knows the new one, it cannot check the calls."
          action="Make a new secret"
          onClose={close}
          onConfirm={async () => onSecret(await rotate(id))}
        />
      ) : null}
      {asking === "remove" ? (
        <ConfirmDialog
          title="Delete the webhook"
          text="Its calls that wait and the list of its answers go too."
          action="Delete"
          onClose={close}
          onConfirm={() => remove(id)}
        />
      ) : null}
    </li>
  );
}

function State({ webhook: { enabled, disabled_reason, failing_since, events } }: { webhook: Webhook }) {
  if (!enabled) return <p className="text-sm text-ink-muted">{disabled_reason || "It is not called."}</p>;
  if (failing_since)
    return (
      <p className="text-sm text-danger-text">
        The calls fail. The first one failed <RelativeTime time={failing_since} />.
      </p>
    );
  return <p className="text-sm text-ink-muted">{events.length === 1 ? "1 event" : `${events.length} events`}</p>;
}
