import { classes } from "../../../ui/classes.ts";
import { SelectField, TextField } from "../../../ui/form/field.tsx";
import { type CronChoice, lastDay, type Rhythm, rhythms } from "./cron-choices.ts";

const rhythmWords: Readonly<Record<Rhythm, string>> = {
  minutes: "Every few minutes",
  hourly: "Every hour",
  daily: "Every day",
  weekdays: "Every day from Monday to Friday",
  weekly: "Every week",
  monthly: "Every month",
  cron: "By a cron expression",
};

// Monday first. Sunday is 0.
const weekdays = [
  ...[1, 2, 3, 4, 5, 6, 0].map((day) => {
    const date = new Date(Date.UTC(2024, 0, 7 + day));
    const name = (style: "short" | "long") => date.toLocaleDateString("en", { weekday: style, timeZone: "UTC" });
    return { day, short: name("short"), long: name("long") };
  }),
];

const days = Array.from({ length: 31 }, (_, at) => String(at + 1));

interface TimesFieldProps {
  choice: CronChoice;
  onChange: (choice: CronChoice) => void;
  error: string | undefined;
}

/** When a schedule runs, for people who do not know cron. */
export function TimesField({ choice, onChange, error }: TimesFieldProps) {
  const set = (part: Partial<CronChoice>): void => onChange({ ...choice, ...part });
  const { rhythm } = choice;
  return (
    <>
      <SelectField
        label="How often"
        value={rhythm}
        onChange={(event) => set({ rhythm: rhythms.find((one) => one === event.target.value) ?? "daily" })}
      >
        {rhythms.map((one) => (
          <option key={one} value={one}>
            {rhythmWords[one]}
          </option>
        ))}
      </SelectField>
      {rhythm === "minutes" ? (
        <TextField
          label="Minutes between two calls"
          inputMode="numeric"
          autoComplete="off"
          value={choice.minutes}
          error={error}
          hint="Counted from when you save the schedule."
          onChange={(event) => set({ minutes: event.target.value })}
        />
      ) : null}
      {rhythm === "hourly" ? (
        <TextField
          label="Minutes past the hour"
          inputMode="numeric"
          autoComplete="off"
          value={choice.minute}
          error={error}
          onChange={(event) => set({ minute: event.target.value })}
        />
      ) : null}
      {rhythm === "weekly" ? (
        <WeekdayField chosen={choice.weekdays} onChange={(chosen) => set({ weekdays: chosen })} />
      ) : null}
      {rhythm === "monthly" ? (
        <SelectField
          label="Day of the month"
          value={choice.day}
          hint={Number(choice.day) > 28 ? "Months without this day are skipped." : undefined}
          onChange={(event) => set({ day: event.target.value })}
        >
          {days.map((day) => (
            <option key={day}>{day}</option>
          ))}
          <option value={lastDay}>The last day</option>
        </SelectField>
      ) : null}
      {rhythm === "daily" || rhythm === "weekdays" || rhythm === "weekly" || rhythm === "monthly" ? (
        <TextField
          label="Time"
          type="time"
          value={choice.time}
          error={error}
          onChange={(event) => set({ time: event.target.value })}
        />
      ) : null}
      {rhythm === "cron" ? (
        <TextField
          label="Cron expression"
          className="font-mono"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
          value={choice.cron}
          error={error}
          hint="Minute, hour, day of the month, month, day of the week."
          onChange={(event) => set({ cron: event.target.value })}
        />
      ) : null}
    </>
  );
}

function WeekdayField({ chosen, onChange }: { chosen: readonly number[]; onChange: (days: number[]) => void }) {
  return (
    <fieldset className="min-w-0 sm:col-span-2">
      <legend className="mb-1.5 text-sm font-medium">Days</legend>
      <div className="grid grid-cols-7 gap-1.5">
        {weekdays.map(({ day, short, long }) => (
          <label
            key={day}
            className={classes(
              "grid h-9 place-items-center rounded-md border border-line bg-surface text-sm outline-offset-2 outline-(--ring) transition-colors",
              "hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-checked:text-accent-text has-focus-visible:outline-2",
            )}
          >
            <input
              type="checkbox"
              className="sr-only"
              aria-label={long}
              checked={chosen.includes(day)}
              onChange={(event) =>
                onChange(event.target.checked ? [...chosen, day] : chosen.filter((one) => one !== day))
              }
            />
            <span aria-hidden="true">{short}</span>
          </label>
        ))}
      </div>
      {chosen.length === 0 ? <p className="mt-1.5 text-xs text-danger-text">Choose at least one day.</p> : null}
    </fieldset>
  );
}
