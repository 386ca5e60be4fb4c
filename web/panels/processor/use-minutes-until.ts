import { useEffect, useState } from "react";

/** How many minutes are left, at least one. Undefined without a time. */
export function useMinutesUntil(time: string | null): number | undefined {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (time === null) return undefined;
    const update = () => setNow(Date.now());
    update();
    const timer = setInterval(update, 5_000);
    return () => clearInterval(timer);
  }, [time]);
  return time === null ? undefined : Math.max(1, Math.ceil((Date.parse(time) - now) / 60_000));
}
