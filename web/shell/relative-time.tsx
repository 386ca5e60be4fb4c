import { useSyncExternalStore } from "react";

import { relativeTime } from "../format/relative-time.ts";

const minute = 60_000;
const currentMinute = () => Math.floor(Date.now() / minute);

function everyMinute(onChange: () => void): () => void {
  const timer = setInterval(onChange, minute);
  return () => clearInterval(timer);
}

/** How long ago something was. It follows the time by itself: what surrounds it may not be drawn again for hours. */
export function RelativeTime({ time }: { time: string }) {
  useSyncExternalStore(everyMinute, currentMinute);
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()}>
      {relativeTime(time)}
    </time>
  );
}
