import { useEffect, useRef, useState } from "react";

/** A value that follows another, at most once in this many milliseconds, and only while the page can be seen. */
export function usePaced<Value>(value: Value, pace: number): Value {
  const [shown, setShown] = useState(value);
  const shownAt = useRef(0);
  useEffect(() => {
    if (value === shown) return;
    const show = (): void => {
      if (document.hidden) return;
      shownAt.current = Date.now();
      setShown(value);
    };
    const timer = setTimeout(show, Math.max(0, shownAt.current + pace - Date.now()));
    document.addEventListener("visibilitychange", show);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", show);
    };
  }, [value, shown, pace]);
  return shown;
}
