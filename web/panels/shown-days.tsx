import { useState } from "react";

import { daysOfRange, type FirstAndLast, type Range, ranges } from "../format/spending-range.ts";
import { DayField } from "../ui/form/day-field.tsx";
import { PlainSelect } from "../ui/form/plain-select.tsx";

interface ShownDays {
  days: FirstAndLast;
  range: Range;
  choose: (range: Range) => void;
  setOther: (days: FirstAndLast) => void;
}

/** The days whose spending is shown. Whoever chooses other days begins with those that were shown before. */
export function useShownDays(first: Exclude<Range, "other">): ShownDays {
  const [range, setRange] = useState<Range>(first);
  const [other, setOther] = useState<FirstAndLast>(daysOfRange(first));
  const days = range === "other" ? other : daysOfRange(range);
  const choose = (next: Range): void => {
    setOther(days);
    setRange(next);
  };
  return { days, range, choose, setOther };
}

export function ShownDaysSelect({ days, range, choose, setOther }: ShownDays) {
  return (
    <>
      <PlainSelect label="Days" value={range} onChange={(value) => choose(value as Range)}>
        {ranges.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </PlainSelect>
      {range === "other" ? (
        <div className="flex flex-wrap gap-3">
          <DayField
            label="From"
            value={days.from}
            max={days.to}
            onChange={(from) => from && setOther({ ...days, from })}
          />
          <DayField label="To" value={days.to} min={days.from} onChange={(to) => to && setOther({ ...days, to })} />
        </div>
      ) : null}
    </>
  );
}
