import { useEffect, useState } from "react";

/** The time, once a second while something ticks. */
export function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}
