import type { ReactNode } from "react";

import { classes } from "../classes.ts";

interface ChoiceGroupProps<Value extends string> {
  legend: string;
  name: string;
  options: readonly { value: Value; label: ReactNode }[];
  defaultValue?: string | undefined;
  value?: Value | undefined;
  onChoose?: (value: Value) => void;
  className?: string;
  legendHidden?: boolean;
}

/** One of a few choices, all visible. Radio buttons underneath, so arrow keys and forms work as usual. */
export function ChoiceGroup<Value extends string>(props: ChoiceGroupProps<Value>) {
  const { legend, legendHidden = false, name, options, defaultValue, value, onChoose, className } = props;
  return (
    <fieldset className="min-w-0">
      <legend className={legendHidden ? "sr-only" : "mb-2 text-sm font-medium"}>{legend}</legend>
      <div className={classes("grid gap-2", className)}>
        {options.map((option) => (
          <label
            key={option.value}
            className="flex min-h-10 items-center rounded-md border border-line bg-surface px-3 py-2 text-base leading-5 outline-offset-2 outline-(--ring) transition-colors hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-checked:text-accent-text has-focus-visible:outline-2"
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              className="sr-only"
              {...(value === undefined
                ? { defaultChecked: option.value === defaultValue }
                : { checked: option.value === value })}
              onChange={() => onChoose?.(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
