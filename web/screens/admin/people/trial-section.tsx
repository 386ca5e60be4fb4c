import { CheckboxField } from "../../../ui/form/checkbox-field.tsx";
import { TextField } from "../../../ui/form/field.tsx";
import { fieldText } from "../../../ui/form/use-form.ts";
import { PersonForm, type PersonPartProps } from "./person-form.tsx";

export function TrialSection(props: PersonPartProps) {
  const { person } = props;
  const day = person.trial ? (person.trial_end?.slice(0, 10) ?? "") : "";
  return (
    <PersonForm
      {...props}
      title="Trial and subscription"
      description="Without a subscription, an account runs processors only during its trial."
      action="Save trial"
      read={(fields) => {
        const until = fieldText(fields, "trial_until");
        const subscribed = fields.get("subscribed") !== null;
        return {
          ...(until !== day && { trial_until: until }),
          ...(subscribed !== person.subscribed && { subscribed }),
        };
      }}
    >
      <TextField
        label="Trial until"
        name="trial_until"
        type="date"
        defaultValue={day}
        hint="The last day, in UTC. Empty: no trial."
        className="sm:max-w-48"
      />
      <CheckboxField label="Subscribed" name="subscribed" defaultChecked={person.subscribed} />
    </PersonForm>
  );
}
