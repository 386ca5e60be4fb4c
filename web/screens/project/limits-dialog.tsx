import { useId } from "react";

import type { ProjectBudgets } from "@miranda/contract/schemas/news/budgets.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";

import { useBudgets, useSaveBudgets } from "../../api/runs/budgets.ts";
import { useCurrency, useMoney } from "../../api/settings.ts";
import { Button } from "../../ui/button.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { toast } from "../../ui/overlay/toast.ts";

interface LimitsDialogProps {
  project: Project;
  onClose: () => void;
}

/** What the runs of a project may cost. For its owner. */
export function LimitsDialog({ project, onClose }: LimitsDialogProps) {
  const { data, error, isFetchedAfterMount } = useBudgets(project.id);
  const currency = useCurrency();
  const formId = useId();
  const save = useSaveBudgets(project.id);
  const form = useForm(async (fields) => {
    await save({ run_budget: fieldText(fields, "run_budget"), day_budget: fieldText(fields, "day_budget") });
    toast.success("Limits saved.");
    onClose();
  });
  const known = isFetchedAfterMount ? data : undefined;

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Limits of ${project.name}`}
      description={`In ${currency}. A run that reaches a limit pauses and asks. Leave a field empty for no limit.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy} disabled={!known}>
            Save limits
          </Button>
        </>
      }
    >
      {known ? (
        <form id={formId} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
          <LimitFields budgets={known} />
          <FormAlert message={form.error} takesFocus />
        </form>
      ) : (
        <>
          <FormAlert message={error?.message} />
          {error ? null : <Spinner label="Loading the limits" showLabel />}
        </>
      )}
    </Dialog>
  );
}

function LimitFields({ budgets: { run_budget, day_budget, spent_today } }: { budgets: ProjectBudgets }) {
  const money = useMoney();
  return (
    <>
      <TextField
        label="For each run"
        name="run_budget"
        inputMode="decimal"
        autoComplete="off"
        defaultValue={run_budget ?? ""}
        optional
      />
      <TextField
        label="For all runs of a day"
        name="day_budget"
        inputMode="decimal"
        autoComplete="off"
        defaultValue={day_budget ?? ""}
        hint={`Today its sessions have cost ${money(spent_today)}. The day ends at midnight UTC.`}
        optional
      />
    </>
  );
}
