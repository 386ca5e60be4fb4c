import { useId, useState } from "react";

import type { ModelDetails } from "@miranda/contract/schemas/models/versions.ts";

import { useModelActions } from "../../../api/models/model-actions.ts";
import { Button } from "../../../ui/button.tsx";
import { FormAlert, TextAreaField, TextField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { toast } from "../../../ui/overlay/toast.ts";

interface AliasDialogProps {
  model: ModelDetails;
  /** The version that gets the alias. */
  number: number;
  onClose: () => void;
}

/** Gives an alias to a version, or moves it there from another one. */
export function AliasDialog({ model, number, onClose }: AliasDialogProps) {
  const id = useId();
  const { setAlias } = useModelActions(model.id);
  const others = model.aliases.filter((one) => one.number !== number);
  const [alias, setName] = useState(model.aliases.length === 0 ? "champion" : (others[0]?.alias ?? ""));
  const holder = model.aliases.find((one) => one.alias === alias.trim());
  const form = useForm(async (data) => {
    await setAlias({ alias: alias.trim(), version: number, reason: fieldText(data, "reason").trim() });
    toast.success(`“${alias.trim()}” is version ${number} now.`);
    onClose();
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Set an alias for version ${number}`}
      description="Code and deployments that load the model by an alias use this version from their next run on."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} variant="primary" busy={form.busy} disabled={alias.trim() === ""}>
            {holder && holder.number !== number ? `Move from version ${holder.number}` : "Set the alias"}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={form.onSubmit} className="flex flex-col gap-4">
        <div className="flex flex-col gap-2">
          <TextField
            label="Alias"
            value={alias}
            onChange={({ target }) => setName(target.value)}
            autoComplete="off"
            spellCheck={false}
            required
          />
          {others.length > 0 ? (
            <ul aria-label="Aliases of other versions" className="flex flex-wrap gap-1.5">
              {others.map((one) => (
                <li key={one.alias}>
                  <Button size="sm" variant="ghost" onClick={() => setName(one.alias)}>
                    {one.alias} (v{one.number})
                  </Button>
                </li>
              ))}
            </ul>
          ) : null}
        </div>
        <TextAreaField
          label="Reason"
          name="reason"
          rows={2}
          optional
          hint="Everybody who reads the project sees it in the history."
        />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
