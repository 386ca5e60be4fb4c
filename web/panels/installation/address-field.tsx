import type { AdminSettings } from "@miranda/contract/schemas/admin.ts";

import { TextField } from "../../ui/form/field.tsx";

interface AddressFieldProps {
  settings: AdminSettings;
  /** What the field shows when nobody has said the address. */
  suggested?: string;
}

/** The address by which people reach the server. The field is `public_url`. */
export function AddressField({ settings, suggested = "" }: AddressFieldProps) {
  const { now, fixed } = settings.address;
  const hint = fixed
    ? "The setting PUBLIC_URL says it."
    : "Links in mails and sign-in use it. The server uses it from its next start on. Open it in a browser first, to see that it works.";
  return (
    <TextField
      label="Address"
      name="public_url"
      type="url"
      inputMode="url"
      spellCheck={false}
      readOnly={fixed}
      defaultValue={fixed ? (now ?? "") : (settings.public_url ?? suggested)}
      placeholder="https://miranda.example.org"
      hint={hint}
    />
  );
}
