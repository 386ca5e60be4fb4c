import { useId, useState } from "react";

import { getCredits, shownCredits } from "@miranda/contract/billing/credits.ts";
import type { Purse } from "@miranda/contract/schemas/billing/purses.ts";

import { usePurse, usePurseActions } from "../../api/billing/purses.ts";
import { Button } from "../../ui/button.tsx";
import { ChoiceGroup } from "../../ui/form/choice-group.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { Card } from "../../ui/layout/card.tsx";
import { ConfirmDialog } from "../../ui/overlay/confirm-dialog.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { toast } from "../../ui/overlay/toast.ts";

/** Who pays for the sessions of a project, and what its purse has. */
export function PurseCard({ projectId }: { projectId: string }) {
  const { data: purse } = usePurse(projectId);
  const { setInUse } = usePurseActions(projectId);
  const [dialog, setDialog] = useState<"fill" | "close" | null>(null);
  if (!purse) return null;
  const { balance, in_use, may_fill, may_manage } = purse;
  const choose = (value: "people" | "purse") => toastFailure(setInUse(value === "purse"));
  return (
    <Card className="flex flex-col gap-3 p-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="font-semibold">Purse</h2>
        <span className="flex gap-2">
          {may_manage && balance !== null && getCredits(balance) > 0n ? (
            <Button size="sm" variant="ghost" onClick={() => setDialog("close")}>
              Close purse
            </Button>
          ) : null}
          {may_fill ? (
            <Button size="sm" onClick={() => setDialog("fill")}>
              Fill purse
            </Button>
          ) : null}
        </span>
      </div>
      <p className="tabular-nums">{balance === null ? "–" : shownCredits(getCredits(balance))} credits</p>
      {may_manage ? (
        <ChoiceGroup
          legend="Who pays for new sessions"
          name="pays"
          value={in_use ? "purse" : "people"}
          onChoose={choose}
          className="sm:grid-cols-2"
          options={[
            { value: "people", label: "Whoever starts them" },
            { value: "purse", label: "The project's purse" },
          ]}
        />
      ) : (
        <p className="text-sm text-ink-muted">{whoPays(purse)}</p>
      )}
      {dialog === "fill" ? <FillDialog projectId={projectId} onClose={() => setDialog(null)} /> : null}
      {dialog === "close" ? <CloseDialog projectId={projectId} onClose={() => setDialog(null)} /> : null}
    </Card>
  );
}

function whoPays({ in_use }: Purse): string {
  return in_use ? "The purse pays for new sessions." : "Whoever starts a session pays for it.";
}

interface DialogProps {
  projectId: string;
  onClose: () => void;
}

function FillDialog({ projectId, onClose }: DialogProps) {
  const formId = useId();
  const [key] = useState(() => crypto.randomUUID());
  const { fill } = usePurseActions(projectId);
  const form = useForm(async (fields) => {
    await fill(fieldText(fields, "amount"), key);
    toast.success("Purse filled.");
    onClose();
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Fill purse"
      description="From your own credits. What is left when the purse is closed goes back to those who filled it last."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            Fill purse
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <TextField label="Credits" name="amount" inputMode="decimal" autoComplete="off" />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}

function CloseDialog({ projectId, onClose }: DialogProps) {
  const { close } = usePurseActions(projectId);
  return (
    <ConfirmDialog
      title="Close purse"
      text="What is left goes back to those who filled it last. What an administrator granted is withdrawn. From then on, whoever starts a session pays."
      action="Close purse"
      onConfirm={async () => {
        await close();
        toast.success("Purse closed.");
        onClose();
      }}
      onClose={onClose}
    />
  );
}
