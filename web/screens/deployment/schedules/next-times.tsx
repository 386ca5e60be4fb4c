import { ownTime, timeIn } from "./time-words.ts";

interface NextTimesProps {
  times: readonly string[];
  timezone: string;
}

/** Times in the zone of a schedule, and beside them on the reader's clock where that differs. */
export function NextTimes({ times, timezone }: NextTimesProps) {
  return (
    <ol aria-label="Next times" className="flex flex-col gap-1 text-sm">
      {times.map((time) => {
        const own = ownTime(timezone, time);
        return (
          <li key={time} className="flex flex-wrap items-baseline gap-x-2 tabular-nums">
            <time dateTime={time}>{timeIn(timezone, time)}</time>
            {own === undefined ? null : <span className="text-ink-muted">{own} your time</span>}
          </li>
        );
      })}
    </ol>
  );
}
