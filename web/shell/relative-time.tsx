import { relativeTime } from "../format/relative-time.ts";

export function RelativeTime({ time }: { time: string }) {
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()}>
      {relativeTime(time)}
    </time>
  );
}
