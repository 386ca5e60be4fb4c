import { relativeTime } from "@miranda/contract/relative-time.ts";

export function RelativeTime({ time }: { time: string }) {
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()}>
      {relativeTime(time)}
    </time>
  );
}
