import { TextField } from "../../ui/form/field.tsx";
import { fieldText } from "../../ui/form/use-form.ts";

interface LimitFieldsProps<Name extends string> {
  limits: readonly { name: Name; label: string }[];
  values: Readonly<Partial<Record<Name, number | null>>>;
  /** What an empty field shows. */
  placeholder: (name: Name) => string;
}

export function LimitFields<Name extends string>({ limits, values, placeholder }: LimitFieldsProps<Name>) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {limits.map(({ name, label }) => (
        <TextField
          key={name}
          label={label}
          name={name}
          inputMode="numeric"
          autoComplete="off"
          placeholder={placeholder(name)}
          defaultValue={values[name] ?? ""}
        />
      ))}
    </div>
  );
}

/** The limits that a form names. An empty one stays empty. */
export function readLimits<Name extends string>(
  fields: FormData,
  limits: readonly { name: Name }[],
): Record<string, string> {
  return Object.fromEntries(limits.map(({ name }) => [name, fieldText(fields, name)]));
}
