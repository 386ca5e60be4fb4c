import { useId } from "react";

import type { Webhook, WebhookEvent } from "@miranda/contract/schemas/news/webhooks.ts";

import { Button } from "../../../ui/button.tsx";
import { CheckboxField } from "../../../ui/form/checkbox-field.tsx";
import { FormAlert, TextField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";

// Not from the contract's schema, which would bring zod along.
const events: readonly { event: WebhookEvent; label: string }[] = [
  { event: "run_ended", label: "A run ended" },
  { event: "run_failed", label: "A run failed" },
  { event: "budget_reached", label: "A run has reached its limit" },
  { event: "model_version", label: "A model has a new version" },
  { event: "model_alias", label: "An alias of a model was set, moved or removed" },
];

interface WebhookFormProps {
  webhook?: Webhook;
  action: string;
  onSave: (fields: { url: string; events: WebhookEvent[] }) => Promise<void>;
  onCancel: () => void;
}

export function WebhookForm({ webhook, action, onSave, onCancel }: WebhookFormProps) {
  const legend = useId();
  const form = useForm((fields) =>
    onSave({
      url: fieldText(fields, "url"),
      events: events.filter(({ event }) => fields.get(event) !== null).map(({ event }) => event),
    }),
  );
  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
      <TextField
        label="URL"
        name="url"
        type="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://example.org/miranda"
        defaultValue={webhook?.url}
      />
      <fieldset aria-labelledby={legend} className="flex flex-col gap-2.5">
        <legend id={legend} className="mb-2 text-sm font-medium">
          Call it when
        </legend>
        {events.map(({ event, label }) => (
          <CheckboxField
            key={event}
            name={event}
            label={label}
            defaultChecked={webhook ? webhook.events.includes(event) : event === "run_ended"}
          />
        ))}
      </fieldset>
      <FormAlert message={form.error} takesFocus />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" busy={form.busy}>
          {action}
        </Button>
      </div>
    </form>
  );
}
