import { useId, useState } from "react";

import { getCredits } from "@miranda/contract/billing/credits.ts";
import type { AtFull, MonthBudget } from "@miranda/contract/schemas/billing/budgets.ts";

import { type SpendingScope, useSaveMonthBudget } from "../../api/billing/spending.ts";
import { Money } from "../../panels/money.tsx";
import { useCurrency } from "../../api/settings.ts";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { ChoiceGroup } from "../../ui/form/choice-group.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { Card } from "../../ui/layout/card.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { toast } from "../../ui/overlay/toast.ts";
import { percentOf } from "./billing-words.ts";

const atFullWords: Record<AtFull, { label: string; after: string }> = {
  warn: { label: "Warn", after: "At 100 % you are told, and runs go on." },
  pause: { label: "Pause new runs", after: "At 100 % no new runs start." },
  stop: { label: "Stop what runs", after: "At 100 % what runs is stopped, and no new runs start." },
};

/** The budget for the month, and how much of it is used up. */
export function BudgetCard({ scope, budget }: { scope: SpendingScope; budget: MonthBudget | null }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Card className="flex flex-col gap-3 p-5">
      <div className="flex items-center justify-between gap-3">
        <h2 className="font-semibold">Budget for a month</h2>
        <Button size="sm" onClick={() => setOpen(true)}>
          {budget ? "Change budget" : "Set budget"}
        </Button>
      </div>
      {budget ? (
        <UsedBudget budget={budget} />
      ) : (
        <p className="text-sm text-ink-muted">
          {scope === undefined ? "You have set no budget." : "The project has no budget."} With one you are told when
          50, 80 and 100 % are spent, and decide what happens then.
        </p>
      )}
      {isOpen ? <BudgetDialog scope={scope} budget={budget} onClose={() => setOpen(false)} /> : null}
    </Card>
  );
}

function UsedBudget({ budget: { amount, spent, at_full } }: { budget: MonthBudget }) {
  const percent = percentOf(getCredits(spent), getCredits(amount));
  const colour = percent >= 100 ? "bg-danger" : percent >= 80 ? "bg-warning" : "bg-accent";
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-baseline justify-between gap-3 tabular-nums">
        <span>
          <Money amount={spent} /> of <Money amount={amount} digits="all" />
        </span>
        <span className={percent >= 100 ? "font-medium text-danger-text" : "text-ink-muted"}>{percent} %</span>
      </div>
      {/* The numbers above say the same. */}
      <div aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-sunken">
        <div className={classes("h-full", colour)} style={{ width: `${Math.min(100, percent)}%` }} />
      </div>
      <p className="text-sm text-ink-muted">{atFullWords[at_full].after}</p>
    </div>
  );
}

interface BudgetDialogProps {
  scope: SpendingScope;
  budget: MonthBudget | null;
  onClose: () => void;
}

function BudgetDialog({ scope, budget, onClose }: BudgetDialogProps) {
  const formId = useId();
  const save = useSaveMonthBudget(scope);
  const currency = useCurrency();
  const form = useForm(async (fields) => {
    await save({ amount: fieldText(fields, "amount"), at_full: fieldText(fields, "at_full") });
    toast.success("Budget saved.");
    onClose();
  });
  const removal = useForm(async () => {
    await save(undefined);
    toast.success("Budget removed.");
    onClose();
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Budget for a month"
      description={
        scope === undefined
          ? "What your credits may pay for in a calendar month of your time zone."
          : "What may be spent in the project in a calendar month of your time zone, whoever pays."
      }
      footer={
        <>
          {budget ? (
            <form onSubmit={removal.onSubmit} className="mr-auto">
              <Button type="submit" variant="ghost" busy={removal.busy}>
                Remove
              </Button>
            </form>
          ) : null}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            Save budget
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <TextField
          label={`Amount in ${currency}`}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          defaultValue={budget ? budget.amount.replace(/\.?0+$/, "") : ""}
        />
        <ChoiceGroup
          legend="When it is used up"
          name="at_full"
          defaultValue={budget?.at_full ?? "pause"}
          options={(["warn", "pause", "stop"] as const).map((value) => ({ value, label: atFullWords[value].label }))}
        />
        <FormAlert message={form.error ?? removal.error} takesFocus />
      </form>
    </Dialog>
  );
}
