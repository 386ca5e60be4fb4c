import { administration } from "@miranda/contract/admin-limits.ts";

import { TextAreaField } from "../../../ui/form/field.tsx";
import { fieldText } from "../../../ui/form/use-form.ts";
import { SettingsForm, type SettingsPartProps } from "./settings-form.tsx";

export function AnnouncementSection(props: SettingsPartProps) {
  return (
    <SettingsForm
      {...props}
      title="Announcement"
      description="Shown to everybody who is signed in, on every page, until they close it. An empty text shows nothing."
      action="Save announcement"
      read={(fields) => ({ announcement: fieldText(fields, "announcement") })}
    >
      <TextAreaField
        label="Text"
        name="announcement"
        rows={3}
        maxLength={administration.announcementMax}
        defaultValue={props.settings.announcement}
        hint="Links are written as [words](https://example.org)."
      />
    </SettingsForm>
  );
}
