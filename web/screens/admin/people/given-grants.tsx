import { useState } from "react";

import { getCredits } from "@miranda/contract/billing/credits.ts";
import { spending } from "@miranda/contract/limits.ts";
import type { Person } from "@miranda/contract/schemas/account/people.ts";
import type { GivenGrant } from "@miranda/contract/schemas/billing/grants.ts";

import { useCorrection, useGrantsOf } from "../../../api/admin/grants.ts";
import { useMoney } from "../../../api/settings.ts";
import { Money } from "../../../panels/money.tsx";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { FormDialog } from "../../../ui/overlay/form-dialog.tsx";
import { toast } from "../../../ui/overlay/toast.ts";

/** What a person was granted, and a way to take it back. */
export function GivenGrants({ person }: { person: Person }) {
  const { data = [], error } = useGrantsOf(person.id);
  const [wrong, setWrong] = useState<GivenGrant | null>(null);
  if (error) return <p className="text-sm text-ink-muted">Earlier grants could not be loaded: {error.message}</p>;
  if (data.length === 0) return null;
  return (
    <>
      <ul aria-label="Granted credits" className="mt-5 -mb-2.5 divide-y divide-line border-t border-line">
        {data.map((grant) => (
          <li key={grant.key} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2.5">
            <div className="min-w-0 grow basis-48">
              <div className="truncate">{grant.note}</div>
              <p className="text-sm text-ink-muted">
                By {grant.by ?? "a deleted account"}, <RelativeTime time={grant.time_granted} />
                <Taken grant={grant} />
              </p>
            </div>
            <Money amount={grant.amount} digits="all" className="font-medium" />
            {getCredits(grant.left) > 0n ? (
              <Button size="sm" aria-label={`Take back: ${grant.note}`} onClick={() => setWrong(grant)}>
                Take back…
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {wrong === null ? null : <TakeBackDialog person={person} grant={wrong} onClose={() => setWrong(null)} />}
    </>
  );
}

function Taken({ grant: { amount, left } }: { grant: GivenGrant }) {
  const money = useMoney();
  const taken = getCredits(amount) - getCredits(left);
  if (taken === 0n) return null;
  return <>. {getCredits(left) === 0n ? "All of it" : money(taken, "all")} was taken back</>;
}

interface TakeBackProps {
  person: Person;
  grant: GivenGrant;
  onClose: () => void;
}

function TakeBackDialog({ person, grant, onClose }: TakeBackProps) {
  const correct = useCorrection(person.id);
  const money = useMoney();
  const [key] = useState(() => crypto.randomUUID());
  const form = useForm(async (fields) => {
    const [amount, reason] = [fieldText(fields, "amount").trim(), fieldText(fields, "reason")];
    const made = await correct({ key, grant: grant.key, amount, reason });
    toast.success(`Took back ${money(made.amount, "all")}.`);
    onClose();
  });
  return (
    <FormDialog
      form={form}
      title="Take back credits"
      description={`The ledger of ${person.username} gets an entry with the reason. If the credits were spent, the balance becomes negative and sessions end.`}
      action="Take back"
      danger
      onClose={onClose}
    >
      <TextField
        label="Credits to take back"
        name="amount"
        inputMode="decimal"
        autoComplete="off"
        defaultValue={grant.left.replace(/\.?0+$/, "")}
        hint={`At most ${money(grant.left, "all")}.`}
      />
      <TextField label="Reason" name="reason" maxLength={spending.noteMax} autoComplete="off" />
    </FormDialog>
  );
}
