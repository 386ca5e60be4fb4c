import { administration } from "@miranda/contract/admin-limits.ts";

import { TextAreaField, TextField } from "../../../ui/form/field.tsx";
import { fieldText } from "../../../ui/form/use-form.ts";
import { SettingsForm, type SettingsPartProps } from "./settings-form.tsx";

export function AnnouncementSection(props: SettingsPartProps) {
  return (
    <SettingsForm
      {...props}
      title="Announcement"
      description="Shown to everybody who is signed in, on every page, until they close it or its last day is over. An empty text shows nothing."
      action="Save announcement"
      read={(fields) => ({
        announcement: fieldText(fields, "announcement"),
        announcement_until: fieldText(fields, "announcement_until"),
      })}
    >
      <TextAreaField
        label="Text"
        name="announcement"
        rows={3}
        maxLength={administration.announcementMax}
        defaultValue={props.settings.announcement}
        hint="Links are written as [words](https://example.org)."
      />
      <TextField
        label="Until"
        name="announcement_until"
        type="date"
        defaultValue={props.settings.announcement_until}
        hint="The last day, in UTC. Empty: until you remove it."
        className="sm:max-w-48"
      />
    </SettingsForm>
  );
}
