import { spending } from "@miranda/contract/limits.ts";

import { TextField } from "../ui/form/field.tsx";

/** What an administrator grants, and why. */
export function GrantFields() {
  return (
    <div className="grid gap-4 sm:grid-cols-[10rem_minmax(0,1fr)]">
      <TextField label="Credits to grant" name="amount" inputMode="decimal" autoComplete="off" />
      <TextField label="Note" name="note" maxLength={spending.noteMax} autoComplete="off" placeholder="Invoice 7" />
    </div>
  );
}
