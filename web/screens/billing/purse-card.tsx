import { useState } from "react";

import { getCredits } from "@miranda/contract/billing/credits.ts";
import type { Purse } from "@miranda/contract/schemas/billing/purses.ts";

import { useAccount } from "../../api/account/session.ts";
import { usePurse, usePurseActions } from "../../api/billing/purses.ts";
import { useMoney } from "../../api/settings.ts";
import { Button } from "../../ui/button.tsx";
import { ChoiceGroup } from "../../ui/form/choice-group.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { Card } from "../../ui/layout/card.tsx";
import { ConfirmDialog } from "../../ui/overlay/confirm-dialog.tsx";
import { FormDialog } from "../../ui/overlay/form-dialog.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { toast } from "../../ui/overlay/toast.ts";
import { Money } from "../../panels/money.tsx";
import { GrantFields } from "../../panels/grant-fields.tsx";

/** Who pays for the sessions of a project, and its credits. */
export function PurseCard({ projectId }: { projectId: string }) {
  const { data: purse } = usePurse(projectId);
  const { setInUse } = usePurseActions(projectId);
  const { is_admin } = useAccount();
  const [dialog, setDialog] = useState<"fill" | "grant" | "close" | null>(null);
  if (!purse) return null;
  const { balance, in_use, may_fill, may_manage } = purse;
  const choose = (value: "people" | "purse") => toastFailure(setInUse(value === "purse"));
  return (
    <Card className="flex flex-col gap-3 p-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="font-semibold">Project credits</h2>
        <span className="flex gap-2">
          {may_manage && balance !== null && getCredits(balance) > 0n ? (
            <Button size="sm" variant="ghost" onClick={() => setDialog("close")}>
              Close
            </Button>
          ) : null}
          {is_admin === 1 ? (
            <Button size="sm" variant="ghost" onClick={() => setDialog("grant")}>
              Grant credits
            </Button>
          ) : null}
          {may_fill ? (
            <Button size="sm" onClick={() => setDialog("fill")}>
              Add credits
            </Button>
          ) : null}
        </span>
      </div>
      <p data-testid="project-credits">{balance === null ? "–" : <Money amount={balance} />}</p>
      {may_manage ? (
        <ChoiceGroup
          legend="Who pays for new sessions"
          name="pays"
          value={in_use ? "purse" : "people"}
          onChoose={choose}
          className="sm:grid-cols-2"
          options={[
            { value: "people", label: "Whoever starts them" },
            { value: "purse", label: "The project" },
          ]}
        />
      ) : (
        <p className="text-sm text-ink-muted">{whoPays(purse)}</p>
      )}
      {dialog === "fill" ? <FillDialog projectId={projectId} onClose={() => setDialog(null)} /> : null}
      {dialog === "grant" ? <GrantDialog projectId={projectId} onClose={() => setDialog(null)} /> : null}
      {dialog === "close" ? <CloseDialog projectId={projectId} onClose={() => setDialog(null)} /> : null}
    </Card>
  );
}

function whoPays({ in_use }: Purse): string {
  return in_use ? "The project pays for new sessions." : "Whoever starts a session pays for it.";
}

interface DialogProps {
  projectId: string;
  onClose: () => void;
}

function FillDialog({ projectId, onClose }: DialogProps) {
  const [key] = useState(() => crypto.randomUUID());
  const { fill } = usePurseActions(projectId);
  const form = useForm(async (fields) => {
    await fill(fieldText(fields, "amount"), key);
    toast.success("Credits added.");
    onClose();
  });
  return (
    <FormDialog
      form={form}
      title="Add project credits"
      description="From your own credits. What is left when the project credits are closed goes back to those who added last."
      action="Add credits"
      onClose={onClose}
    >
      <TextField label="Credits" name="amount" inputMode="decimal" autoComplete="off" />
    </FormDialog>
  );
}

function GrantDialog({ projectId, onClose }: DialogProps) {
  const [key] = useState(() => crypto.randomUUID());
  const { grant } = usePurseActions(projectId);
  const money = useMoney();
  const form = useForm(async (fields) => {
    const amount = fieldText(fields, "amount");
    await grant({ amount, note: fieldText(fields, "note"), key });
    toast.success(`Granted ${money(amount.trim(), "all")}.`);
    onClose();
  });
  return (
    <FormDialog
      form={form}
      title="Grant project credits"
      description="You grant these as an administrator. Nobody pays for them. The note is in the ledger of the project."
      action="Grant credits"
      onClose={onClose}
    >
      <GrantFields />
    </FormDialog>
  );
}

function CloseDialog({ projectId, onClose }: DialogProps) {
  const { close } = usePurseActions(projectId);
  return (
    <ConfirmDialog
      title="Close project credits"
      text="What is left goes back to those who added last. What an administrator granted is withdrawn. From then on, whoever starts a session pays."
      action="Close"
      onConfirm={async () => {
        await close();
        toast.success("Project credits closed.");
        onClose();
      }}
      onClose={onClose}
    />
  );
}
