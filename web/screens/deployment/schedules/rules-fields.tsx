import type { Channel } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { MissedRule, Overlap, Schedule, ScheduleTold } from "@miranda/contract/schemas/deployments/schedules.ts";

import { Fold } from "../../../panels/deploy/section.tsx";
import { SelectField, TextField } from "../../../ui/form/field.tsx";
import { fieldText } from "../../../ui/form/use-form.ts";

type Words<Value extends string> = readonly { value: Value; words: string }[];

const overlaps: Words<Overlap> = [
  { value: "skip", words: "Skip this time" },
  { value: "queue", words: "Wait until it has ended" },
  { value: "cancel", words: "Cancel the older call" },
];

const missedRules: Words<MissedRule> = [
  { value: "latest", words: "Make one call for all of them" },
  { value: "all", words: "Make a call for each of them" },
  { value: "skip", words: "Skip them" },
];

const told: Words<ScheduleTold> = [
  { value: "creator", words: "The person who saved the schedule" },
  { value: "owner", words: "The owner of the deployment" },
  { value: "editors", words: "Everybody who may edit the project" },
  { value: "nobody", words: "Nobody" },
];

const failuresMax = 5;

interface RulesFieldsProps {
  schedule: Schedule | undefined;
  hasStaging: boolean;
  channel: Channel;
  onChannel: (channel: Channel) => void;
}

/** What happens when something goes wrong. Inputs of a form: `rulesOf` reads them. */
export function RulesFields({ schedule, hasStaging, channel, onChannel }: RulesFieldsProps) {
  return (
    <Fold title="When something goes wrong" text="Overlaps, missed times, failures.">
      <div className="grid gap-4 sm:grid-cols-2">
        <Choice label="If the call before has not ended" name="overlap" words={overlaps} value={schedule?.overlap} />
        <Choice
          label="Times missed while the server was down"
          name="missed"
          words={missedRules}
          value={schedule?.missed}
        />
        <TextField
          label="Failures in a row before it pauses"
          name="failures_max"
          inputMode="numeric"
          autoComplete="off"
          defaultValue={schedule?.failures_max ?? failuresMax}
          hint="With 0, it never pauses."
        />
        <Choice label="Who is told of failures" name="told" words={told} value={schedule?.told} />
        {hasStaging ? (
          <SelectField
            label="Channel"
            value={channel}
            onChange={(event) => onChannel(event.target.value === "staging" ? "staging" : "production")}
          >
            <option value="production">Production</option>
            <option value="staging">Staging</option>
          </SelectField>
        ) : null}
      </div>
    </Fold>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  name: string;
  words: Words<Value>;
  value: Value | undefined;
}

function Choice<Value extends string>({ label, name, words, value }: ChoiceProps<Value>) {
  return (
    <SelectField label={label} name={name} defaultValue={value ?? words[0]?.value}>
      {words.map((one) => (
        <option key={one.value} value={one.value}>
          {one.words}
        </option>
      ))}
    </SelectField>
  );
}

export function rulesOf(form: FormData) {
  const chosen = <Value extends string>(name: string, words: Words<Value>, first: Value): Value =>
    words.find(({ value }) => value === fieldText(form, name))?.value ?? first;
  const failures = fieldText(form, "failures_max").trim();
  if (!/^\d{1,4}$/.test(failures) || Number(failures) > 1_000)
    throw new Error("Failures must be a whole number from 0 to 1000.");
  return {
    overlap: chosen("overlap", overlaps, "skip"),
    missed: chosen("missed", missedRules, "latest"),
    told: chosen("told", told, "creator"),
    failures_max: Number(failures),
  };
}
