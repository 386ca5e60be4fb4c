/** How long something took: the only place that writes it. Where rounding would give 60 s, it is a minute. */
export function durationText(seconds: number): string {
  if (!(seconds > 0)) return "0 s";
  const micros = Math.round(seconds * 1e6);
  if (micros < 1_000) return `${Math.max(1, micros)} µs`;
  const millis = Math.round(seconds * 1_000);
  if (millis < 1_000) return `${millis} ms`;
  const tenths = Math.round(seconds * 10);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  const all = Math.round(seconds / 60);
  return `${Math.floor(all / 60)} h ${all % 60} min`;
}

/** While it goes on: a number that changes ten times per second would distract. */
export function runningDurationText(seconds: number): string {
  const whole = Math.floor(Math.max(0, seconds));
  return whole < 60 ? `${whole} s` : durationText(whole);
}
