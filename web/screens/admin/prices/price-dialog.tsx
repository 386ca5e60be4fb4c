import { prices as limits } from "@miranda/contract/admin-limits.ts";
import type { PriceList } from "@miranda/contract/schemas/billing/prices.ts";

import { usePriceActions } from "../../../api/billing/prices.ts";
import { useCurrency } from "../../../api/settings.ts";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/form/field.tsx";
import { fieldText } from "../../../ui/form/use-form.ts";
import { FormDialog } from "../../../ui/overlay/form-dialog.tsx";
import { toast } from "../../../ui/overlay/toast.ts";
import { useVersionedForm } from "../use-versioned-form.ts";
import { priceLabels } from "./price-labels.ts";

interface PriceDialogProps {
  list: PriceList;
  /** Shows what somebody else has set meanwhile. */
  onReload: () => void;
  onClose: () => void;
}

export function PriceDialog({ list, onReload, onClose }: PriceDialogProps) {
  const { set } = usePriceActions(list.version);
  const currency = useCurrency();
  const form = useVersionedForm({
    refusedWith: "prices_changed",
    save: async (given) => {
      const from = fieldText(given, "from");
      await set({
        core_hour: fieldText(given, "core_hour"),
        ram_gb_hour: fieldText(given, "ram_gb_hour"),
        hour: fieldText(given, "hour"),
        // What a person chooses is in their own time zone.
        from: from === "" ? "" : new Date(from).toISOString(),
        note: fieldText(given, "note"),
      });
      toast.success("Prices set.");
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title="Set prices"
      description={`In ${currency}. New prices apply from their start time, also to running sessions. Past charges do not change.`}
      action="Set prices"
      buttons={form.isOutdated ? <Button onClick={onReload}>Load current values</Button> : null}
      onClose={onClose}
    >
      {priceLabels.map(({ name, label }) => (
        <TextField
          key={name}
          label={label}
          name={name}
          inputMode="decimal"
          autoComplete="off"
          defaultValue={String(Number(list.now[name]))}
        />
      ))}
      <TextField
        label="Start"
        name="from"
        type="datetime-local"
        hint="In your time zone. If empty, prices start in one minute."
      />
      <TextField label="Note" name="note" optional autoComplete="off" maxLength={limits.noteMax} />
    </FormDialog>
  );
}
