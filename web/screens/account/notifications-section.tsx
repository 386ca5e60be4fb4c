import { useState } from "react";

import type { NotificationKind, NotificationSettings } from "@miranda/contract/schemas/news/notifications.ts";

import { useNotificationSettings, useSaveNotificationSettings } from "../../api/news/notifications.ts";
import { Button } from "../../ui/button.tsx";
import { CheckboxField } from "../../ui/form/checkbox-field.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { SettingsSection } from "../../ui/form/settings-section.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { toast } from "../../ui/overlay/toast.ts";

const kinds: readonly { kind: NotificationKind; label: string }[] = [
  { kind: "run_ended", label: "A run of yours ended" },
  { kind: "run_failed", label: "A run of yours failed" },
  { kind: "budget_reached", label: "A run has reached its limit and waits" },
  { kind: "webhook_failed", label: "A webhook of your project fails" },
  { kind: "schedule_failed", label: "A schedule fails or has paused itself" },
  { kind: "call_reported", label: "Somebody reports a problem with an app of yours" },
  { kind: "session_stopped", label: "An administrator stops a session of yours" },
  { kind: "model_version", label: "A model of your project has a new version" },
  { kind: "model_alias", label: "Somebody moves an alias of a model" },
  { kind: "comment_mention", label: "Somebody mentions you in a comment" },
  { kind: "comment_reply", label: "Somebody replies in a thread that you wrote in" },
  { kind: "membership", label: "Somebody lets you into a project or a team, changes your role, or removes you" },
];

export function NotificationsSection() {
  const { data: settings, error } = useNotificationSettings();
  return (
    <SettingsSection title="Notifications" description="What you are told by the bell at the top." id="notifications">
      {settings ? <SettingsForm settings={settings} /> : null}
      {settings || error ? null : <Spinner label="Loading your settings" showLabel />}
      <FormAlert message={settings ? null : error?.message} />
    </SettingsSection>
  );
}

function SettingsForm({ settings }: { settings: NotificationSettings }) {
  const save = useSaveNotificationSettings();
  const form = useForm(async (fields) => {
    const isOn = (name: string) => fields.get(name) !== null;
    await save({
      run_ended: isOn("run_ended"),
      run_failed: isOn("run_failed"),
      budget_reached: isOn("budget_reached"),
      webhook_failed: isOn("webhook_failed"),
      schedule_failed: isOn("schedule_failed"),
      call_reported: isOn("call_reported"),
      session_stopped: isOn("session_stopped"),
      model_version: isOn("model_version"),
      model_alias: isOn("model_alias"),
      comment_mention: isOn("comment_mention"),
      comment_reply: isOn("comment_reply"),
      membership: isOn("membership"),
      browser: isOn("browser"),
      min_seconds: Number(fieldText(fields, "min_seconds") || Number.NaN),
    });
    toast.success("Notifications saved.");
  });
  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
      <fieldset className="flex flex-col gap-2.5">
        <legend className="mb-2 text-sm font-medium">You are told when</legend>
        {kinds.map(({ kind, label }) => (
          <CheckboxField key={kind} name={kind} label={label} defaultChecked={settings[kind]} />
        ))}
      </fieldset>
      <TextField
        label="Only about runs that take at least"
        name="min_seconds"
        inputMode="decimal"
        autoComplete="off"
        defaultValue={settings.min_seconds}
        hint="In seconds. 0 for every run."
        className="sm:max-w-40"
      />
      <fieldset className="flex flex-col gap-2.5">
        <legend className="mb-2 text-sm font-medium">In the background</legend>
        <CheckboxField
          name="browser"
          label="Show a notification of the browser while you do something else"
          defaultChecked={settings.browser}
        />
        <BrowserPermission />
      </fieldset>
      <FormAlert message={form.error} takesFocus />
      <div className="flex justify-end">
        <Button type="submit" variant="primary" busy={form.busy}>
          Save notifications
        </Button>
      </div>
    </form>
  );
}

/** The browser asks only after a click here, never by itself. */
function BrowserPermission() {
  const [permission, setPermission] = useState(() => ("Notification" in window ? Notification.permission : undefined));
  if (permission === undefined)
    return <p className="text-sm text-ink-muted">This browser shows no notifications of this page.</p>;
  if (permission === "granted") return <p className="text-sm text-ink-muted">This browser allows it.</p>;
  if (permission === "denied")
    return <p className="text-sm text-ink-muted">This browser blocks it. Change that in its settings for this page.</p>;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button size="sm" onClick={() => void Notification.requestPermission().then(setPermission)}>
        Allow in this browser
      </Button>
      <span className="text-sm text-ink-muted">This browser has not been asked yet.</span>
    </div>
  );
}
