import { useId, useRef, useState } from "react";

import type { InputProblem } from "@miranda/contract/schemas/deployments/calls.ts";
import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { Schedule, ScheduleBody } from "@miranda/contract/schemas/deployments/schedules.ts";
import { formText } from "@miranda/contract/limits.ts";

import { HttpError } from "../../../api/http.ts";
import { useScheduleActions } from "../../../api/deployments/schedules.ts";
import { AppFields, focusFirstProblem } from "../../../panels/app-form/app-fields.tsx";
import { checkForm, type FormValues, startValues } from "../../../panels/app-form/form-values.ts";
import { Section } from "../../../panels/deploy/section.tsx";
import { Button } from "../../../ui/button.tsx";
import { FormAlert, TextField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { choiceOf, firstChoice, timesOf } from "./cron-choices.ts";
import { RulesFields, rulesOf } from "./rules-fields.tsx";
import { SchedulePreview, useSchedulePreview } from "./schedule-preview.tsx";
import { sentInputs } from "./sent-inputs.ts";
import { ownZone } from "./time-words.ts";
import { TimesField } from "./times-field.tsx";
import { ZoneField } from "./zone-field.tsx";

interface ScheduleFormProps {
  deployment: Deployment;
  /** Left out: a new one is made. */
  schedule?: Schedule | undefined;
  onClose: () => void;
}

/** Makes a schedule or changes one. Open while it is mounted. */
export function ScheduleForm({ deployment, schedule, onClose }: ScheduleFormProps) {
  const formId = useId();
  const body = useRef<HTMLFormElement>(null);
  const { create, change, addFile } = useScheduleActions(deployment.graph.id);
  const [choice, setChoice] = useState(() => (schedule ? choiceOf(schedule) : firstChoice));
  const [timezone, setTimezone] = useState(() => schedule?.timezone ?? ownZone());
  const [channel, setChannel] = useState(schedule?.channel ?? "production");
  const fields = (channel === "production" ? deployment.production : deployment.staging)?.form.fields ?? [];
  const [values, setValues] = useState<FormValues>(() => startValues(fields, schedule?.inputs));
  const [problems, setProblems] = useState<readonly InputProblem[]>([]);
  const times = timesOf(choice);
  const preview = useSchedulePreview(times && { ...times, timezone });

  function showProblems(found: readonly InputProblem[]): void {
    setProblems(found);
    // Once they are shown.
    requestAnimationFrame(() => body.current && focusFirstProblem(body.current, fields, found));
    const known = new Set(fields.map(({ name }) => name));
    const others = found.filter(({ field }) => !known.has(field)).map(({ field, message }) => `${field}: ${message}`);
    if (others.length > 0) throw new Error(others.join("\n"));
  }

  const form = useForm(async (given) => {
    if (!times) throw new Error("Choose when it runs.");
    const checked = checkForm(fields, values);
    if ("problems" in checked) return showProblems(checked.problems);
    setProblems([]);
    const settings = { name: fieldText(given, "name"), ...times, timezone, channel, ...rulesOf(given) };
    try {
      const inputs = await sentInputs(fields, checked.inputs, addFile);
      const saved: ScheduleBody = { ...settings, inputs };
      await (schedule ? change(schedule.id, saved) : create(saved));
      onClose();
    } catch (cause) {
      if (!(cause instanceof HttpError) || cause.problems.length === 0) throw cause;
      showProblems(cause.problems);
    }
  });

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={schedule ? "Edit the schedule" : "New schedule"}
      description={`${deployment.title} is called at these times, in your name.`}
      wide
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            {schedule ? "Save" : "Make schedule"}
          </Button>
        </>
      }
    >
      <form ref={body} id={formId} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-6">
        <TextField
          label="Name"
          name="name"
          dir="auto"
          required
          autoComplete="off"
          maxLength={formText.nameMax}
          placeholder="Nightly report"
          defaultValue={schedule?.name}
        />
        <Section title="When">
          <div className="grid gap-4 sm:grid-cols-2">
            <TimesField choice={choice} onChange={setChoice} error={preview.error} />
            <div className="sm:col-span-2">
              <ZoneField value={timezone} onChange={setTimezone} />
            </div>
            <SchedulePreview preview={preview} timezone={timezone} />
          </div>
        </Section>
        {fields.length > 0 ? (
          <Section title="Inputs of each call">
            <AppFields
              fields={fields}
              values={values}
              onChange={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
              problems={problems}
              disabled={form.busy}
            />
          </Section>
        ) : null}
        <RulesFields
          schedule={schedule}
          hasStaging={deployment.staging !== null || channel === "staging"}
          channel={channel}
          onChannel={setChannel}
        />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
