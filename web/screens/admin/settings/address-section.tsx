import { AddressField } from "../../../panels/installation/address-field.tsx";
import { fieldText } from "../../../ui/form/use-form.ts";
import { SettingsForm, type SettingsPartProps } from "./settings-form.tsx";

export function AddressSection(props: SettingsPartProps) {
  if (props.settings.address.fixed) return null;
  return (
    <SettingsForm
      {...props}
      title="Address"
      description="By which address people reach this server."
      action="Save address"
      read={(fields) => ({ public_url: fieldText(fields, "public_url") })}
    >
      <AddressField settings={props.settings} />
    </SettingsForm>
  );
}
